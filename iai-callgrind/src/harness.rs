//! What `main!` calls: the fork server, test mode, or the start of the runner.

use std::env;
use std::ffi::OsString;
use std::panic::catch_unwind;
use std::process::ExitCode;

use iai_callgrind_runner::protocol::{Counting, ServerEnvironment};

use crate::launch::launch;
use crate::region::Region;
use crate::serve::serve;
use crate::suite::Suite;
use crate::{lower, suite};

/// Runs a benchmark file.
///
/// `cargo bench` starts it with `--bench`. Without that (`cargo test --benches`) each case runs once
/// and natively, and fails if it panics.
#[must_use]
pub fn main(suite: &Suite) -> ExitCode {
    // Before anything else allocates memory: the fork server has to start the same everywhere
    let result = match ServerEnvironment::of_this_process() {
        Some(environment) => serve(&environment)
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| format!("the fork server failed: {error}")),
        None => start(suite),
    };
    result.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::FAILURE
    })
}

fn start(suite: &Suite) -> Result<ExitCode, String> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(test(suite));
    }
    let executable = env::current_exe()
        .map_err(|error| format!("can't find the benchmark executable: {error}"))?;
    launch(&lower::lower(suite, &executable)?, &arguments)
}

/// Runs each case once, without Valgrind.
fn test(suite: &Suite) -> ExitCode {
    let mut failed = 0;
    for (name, case) in cases(suite) {
        let result = catch_unwind(|| (case.run)(&mut Region::new(Counting::Function)));
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        failed += usize::from(result.is_err());
    }
    if failed == 0 {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {failed} failed");
    ExitCode::FAILURE
}

/// All cases with their names.
fn cases(suite: &Suite) -> impl Iterator<Item = (String, &'static suite::Case)> {
    let file = suite.file;
    suite.groups.iter().flat_map(move |group| {
        group.functions.iter().flat_map(move |function| {
            function.cases.iter().map(move |case| {
                let id = case.id.map_or_else(String::new, |id| format!("::{id}"));
                (format!("{file}::{}::{}{id}", group.name, function.name), case)
            })
        })
    })
}
