//! The short form of `cargo xtask faults`.

use benchmark_tests::faults::{Figure, at_once, full_disk, kills};

fn assert_passed(figures: &[Figure]) {
    for figure in figures {
        assert!(!figure.has_failed(), "{figure}");
        println!("{figure}");
    }
}

#[test]
fn runs_that_are_killed() {
    assert_passed(&kills(6, 0));
}

#[test]
fn four_runs_at_once() {
    assert_passed(&at_once(1));
}

#[test]
fn a_full_disk() {
    assert_passed(&full_disk(2));
}
