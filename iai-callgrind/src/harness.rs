//! What `main!` calls: the fork server, test mode, or the start of the runner.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use iai_callgrind_runner::protocol::{Hook, ServerEnvironment};

use crate::launch::launch;
use crate::serve::serve;
use crate::suite::Suite;
use crate::{lower, test_mode};

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
    if let Some(hook) = Hook::of_this_process() {
        return run_hook(suite, hook);
    }
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        return Ok(test_mode::run(suite, arguments));
    }
    let executable = env::current_exe()
        .map_err(|error| format!("can't find the benchmark executable: {error}"))?;
    launch(&lower::lower(suite, &executable)?, &arguments)
}

/// Runs what the runner asks for. If it panics this process ends as any other that does.
fn run_hook(suite: &Suite, hook: Hook) -> Result<ExitCode, String> {
    let hooks = match hook.group {
        None => Some(suite.hooks),
        Some(index) => suite.groups.get(index).map(|group| group.hooks),
    };
    let run = hooks.and_then(|hooks| if hook.is_setup { hooks.setup } else { hooks.teardown });
    let run = run.ok_or_else(|| format!("there is no hook `{hook}`"))?;
    run();
    Ok(ExitCode::SUCCESS)
}
