//! What `main!` calls: the fork server, test mode, or the start of the runner.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use iai_callgrind_plan::protocol::{Hook, ServerEnvironment};

use crate::binary::{self, Action};
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
        return test_mode::run(suite, &executable()?, arguments);
    }
    launch(&lower::lower(suite, &executable()?)?, "bench", &arguments)
}

fn executable() -> Result<PathBuf, String> {
    env::current_exe().map_err(|error| format!("can't find the benchmark executable: {error}"))
}

/// Runs what the runner asks for. If it panics this process ends as any other that does.
fn run_hook(suite: &Suite, hook: Hook) -> Result<ExitCode, String> {
    let directory = env::var_os(Hook::DIRECTORY);
    let enter = move || {
        let entered = directory.as_ref().map_or(Ok(()), env::set_current_dir);
        entered
            .unwrap_or_else(|error| panic!("can't enter the directory of the benchmark: {error}"));
    };
    let action = action(suite, hook).ok_or_else(|| format!("there is no hook `{hook}`"))?;
    action.run(&enter);
    Ok(ExitCode::SUCCESS)
}

/// What this hook runs.
fn action(suite: &Suite, hook: Hook) -> Option<Action> {
    let group = hook.group.map(|index| suite.groups.get(index));
    if let Some(index) = hook.case {
        let (_, functions) = binary::functions(group??, suite.file)?;
        let mut cases = functions.into_iter().flat_map(|function| function.cases);
        let case = cases.nth(usize::try_from(index).ok()?)?;
        return if hook.is_setup { case.setup } else { case.teardown };
    }
    let hooks = match group {
        None => suite.hooks,
        Some(group) => group?.hooks,
    };
    let run = if hook.is_setup { hooks.setup } else { hooks.teardown };
    run.map(Action::Plain)
}
