//! Stored results survive runs that are killed, several runs at once, and a full disk.
//!
//! Ordinary runs of the tests take the short forms. `cargo xtask faults` runs the long ones, with the number
//! of kills and the seed in `FAULTS_KILLS` and `FAULTS_SEED`.

use std::env;
use std::str::FromStr;

use end_to_end_tests::faults::{
    Figure, at_once, full_disk, imports_killed_at_renames, kills, kills_at_renames,
};

#[track_caller]
fn assert_passed(figures: &[Figure]) {
    for figure in figures {
        println!("{figure}");
    }
    assert!(!figures.iter().any(Figure::has_failed), "{figures:#?}");
}

/// Returns the number in this variable.
fn number<N: FromStr>(variable: &str, default: N) -> N {
    match env::var(variable) {
        Ok(value) => {
            value.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {value}"))
        }
        Err(_) => default,
    }
}

#[test]
fn runs_that_are_killed() {
    assert_passed(&kills(2, 0));
}

#[test]
#[ignore = "long"]
fn runs_that_are_killed_often() {
    assert_passed(&kills(number("FAULTS_KILLS", 200), number("FAULTS_SEED", 0)));
}

#[test]
fn runs_that_are_killed_at_some_renames() {
    assert_passed(&kills_at_renames(200));
}

#[test]
#[ignore = "long"]
fn runs_that_are_killed_at_each_rename() {
    assert_passed(&kills_at_renames(1));
}

#[test]
fn imports_that_are_killed_at_some_renames() {
    assert_passed(&[imports_killed_at_renames(12)]);
}

#[test]
#[ignore = "long"]
fn imports_that_are_killed_at_each_rename() {
    assert_passed(&[imports_killed_at_renames(1)]);
}

#[test]
fn four_runs_at_once() {
    assert_passed(&at_once(1));
}

#[test]
#[ignore = "long"]
fn four_runs_at_once_again_and_again() {
    assert_passed(&at_once(5));
}

#[test]
fn a_disk_that_is_nearly_full() {
    assert_passed(&full_disk(1));
}

#[test]
#[ignore = "long"]
fn a_disk_with_more_and_less_space() {
    assert_passed(&full_disk(usize::MAX));
}
