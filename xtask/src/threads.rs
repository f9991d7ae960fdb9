//! The threads of tests.

use std::process::Command;
use std::{env, thread};

/// Gives a command that runs end-to-end tests one thread more than there are CPUs, because some tests wait.
pub(crate) fn set_threads(tests: &mut Command) {
    if env::var_os("RUST_TEST_THREADS").is_none() {
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        tests.env("RUST_TEST_THREADS", (cpus + 1).to_string());
    }
}
