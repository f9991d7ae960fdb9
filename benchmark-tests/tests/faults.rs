//! The short form of `cargo xtask faults`.

use benchmark_tests::faults::{
    Figure, at_once, full_disk, imports_killed_at_renames, kills, kills_at_renames,
};

fn assert_passed(figures: &[Figure]) {
    for figure in figures {
        assert!(!figure.has_failed(), "{figure}");
        println!("{figure}");
    }
}

#[test]
fn runs_that_are_killed() {
    assert_passed(&kills(2, 0));
}

#[test]
fn runs_that_are_killed_at_renames() {
    assert_passed(&kills_at_renames(40));
}

#[test]
fn imports_that_are_killed() {
    assert_passed(&[imports_killed_at_renames()]);
}

#[test]
fn four_runs_at_once() {
    assert_passed(&at_once(1));
}

#[test]
fn a_full_disk() {
    assert_passed(&full_disk(2));
}
