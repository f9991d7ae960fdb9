//! Prints its environment, or complains of a variable that is not among those its arguments name.

use std::env;
use std::process::ExitCode;

/// Variables that Valgrind and the runner set themselves.
const EXPECTED: [&str; 3] = ["GLIBC_TUNABLES", "LD_PRELOAD", "VALGRIND_LIB"];

fn main() -> ExitCode {
    let allowed: Vec<_> = env::args().skip(1).collect();
    let mut is_expected = true;
    for (name, value) in env::vars() {
        println!("{name}={value}");
        is_expected &= allowed.contains(&format!("{name}={value}")) || EXPECTED.contains(&&*name);
    }
    let found = |pair: &&String| {
        pair.split_once('=').is_some_and(|(name, value)| env::var(name).is_ok_and(|it| it == value))
    };
    let has_all = allowed.iter().all(|pair| found(&pair));
    if is_expected && has_all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
