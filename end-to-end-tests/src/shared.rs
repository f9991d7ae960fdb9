//! Runs that several tests look at.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{Report, Run, Suite};

/// Identifies a run: the benchmark file and its arguments.
type Key = (&'static str, Vec<String>);

/// Returns the first run of a benchmark file with these arguments. The benchmarks run once per test
/// process, in a home directory of their own, whose files are removed after the run.
///
/// A test that reads files, or that needs a second run, makes its own [`Suite`].
pub fn shared_run(file: &'static str, arguments: &[&str]) -> &'static Run {
    static RUNS: OnceLock<Mutex<HashMap<Key, &'static OnceLock<Run>>>> = OnceLock::new();
    let key = (file, arguments.iter().map(|&argument| argument.to_owned()).collect());
    let mut runs = RUNS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let run: &'static OnceLock<Run> = runs.entry(key).or_insert_with(|| Box::leak(Box::default()));
    // Other runs need not wait for this one
    drop(runs);
    run.get_or_init(|| Suite::new(file).run(arguments))
}

/// Returns the results of a [`shared_run`], which has to succeed.
#[must_use]
pub fn shared_report(file: &'static str, arguments: &[&str]) -> Report {
    shared_run(file, arguments).succeeded().report()
}
