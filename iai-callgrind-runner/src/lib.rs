//! The runner of iai-callgrind: reads a benchmark file's plan, runs its cases under Valgrind's tools,
//! reads the tools' files, compares and reports.

// The program reports this as a single error
#![cfg(unix)]
// Only `console` writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod against;
mod checks;
mod commits;
mod declared;
mod error;
mod exec;
mod failure;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod note;
mod outcome;
mod page;
mod plan;
mod resolve;
#[cfg(test)]
mod round_trip_tests;
mod run;
mod session;
mod shard;
mod stored;

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use iai_callgrind_base::console;
use iai_callgrind_cli::{Bench, Cli, Command, Exec, ResultsCommand, Test};
use iai_callgrind_commands::{Commands, HookCommands};
use iai_callgrind_launch::{Executor, ValgrindExecutor};
use iai_callgrind_plan::{Plan, streams};
use iai_callgrind_process::{ProcessError, watch};
use iai_callgrind_render::report::Report;
use rustix::process::{Resource, getrlimit};

use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::resolve::selected;
use crate::run::Hooks;
#[cfg(feature = "stored-cases")]
#[doc(hidden)]
pub use crate::run::{CaseFiles, CaseKey, CaseStore, StoredEnd};

/// Runs the program. Returns 0 on success, 1 for an error, 2 for a wrong argument, 3 for a
/// regression, and 128 and the number of the signal for an interrupted run.
#[must_use]
pub fn main() -> ExitCode {
    let run = || main_with(env::args_os(), &ValgrindExecutor);
    let limit = getrlimit(Resource::Stack).current;
    if limit.is_none_or(|limit| limit >= STACK as u64) {
        return run();
    }
    match thread::Builder::new().stack_size(STACK).spawn(run) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => run(),
    }
}

/// Size of the stack. The definition of the command line alone exceeds a small limit (`ulimit -s`).
const STACK: usize = 8 * 1024 * 1024;

/// Runs the program with these arguments, the first of which is its name. The files of cases come from a store, for tests.
#[cfg(feature = "stored-cases")]
#[doc(hidden)]
#[must_use]
pub fn main_with_stored_cases(
    arguments: impl IntoIterator<Item = OsString>,
    store: &dyn CaseStore,
) -> ExitCode {
    main_with(arguments, &run::StoredExecutor(store))
}

fn main_with(arguments: impl IntoIterator<Item = OsString>, executor: &dyn Executor) -> ExitCode {
    // SAFETY: no other thread runs yet.
    unsafe { forget_empty_variables() };
    report_large_files();
    report_ends_of_children();
    iai_callgrind_cli::color_choice(None).write_global();
    let log = env_logger::Env::new().filter_or("IAI_CALLGRIND_LOG", "warn");
    env_logger::Builder::from_env(log).init();
    let result = match streams::check() {
        Err(error) => Err(ProcessError::Streams(error).into()),
        Ok(()) => run_command(Cli::parse_arguments(arguments).command, executor),
    };
    let outcome = result.unwrap_or_else(|error| {
        // A closed standard error can't be reported anywhere
        let _ = writeln!(console::stderr(), "error: {error}");
        CommandOutcome::of_error(&error)
    });
    outcome.into()
}

fn run_command(command: Command, executor: &dyn Executor) -> Result<CommandOutcome> {
    match command {
        Command::Bench(options) => {
            iai_callgrind_cli::color_choice(options.output.color).write_global();
            if let Some(path) = &options.time.write_plan {
                return write_plan(path);
            }
            session::run(&read_plan()?, HookCommands::new(), *options, executor)
        }
        Command::Exec(options) => exec(*options, executor),
        Command::Test(options) => test(*options),
        Command::Results(ResultsCommand::Report(options)) => match &options.html {
            Some(directory) => page::run(directory, &options),
            None => stored::run(ResultsCommand::Report(options)),
        },
        Command::Results(command) => stored::run(command),
        Command::Commits(command) => commits::run(command),
    }
}

/// Runs commands instead of a benchmark file.
fn exec(mut options: Exec, executor: &dyn Executor) -> Result<CommandOutcome> {
    let Commands { plan, hooks } = exec::commands(&options.commands)?;
    options.run.home = Some(stored::new_directory(options.run.home.as_deref())?);
    let options = Bench::from(options);
    iai_callgrind_cli::color_choice(options.output.color).write_global();
    session::run(&plan, hooks, options, executor)
}

/// Runs the benchmarks of the plan natively.
fn test(options: Test) -> Result<CommandOutcome> {
    let plan = read_plan()?;
    let home = options.run.home.clone();
    let filtered_out = options.filtered_out;
    let settings = Bench::from(options).settings(&plan)?;
    let hooks = Hooks::of_plan(&plan, HookCommands::new(), &settings);
    let mut benchmarks = selected(plan, &settings)?;
    // Natively, measured hooks run as ordinary ones
    benchmarks.retain(|benchmark| benchmark.hook.is_none());
    // SAFETY: no other thread runs yet.
    let _watch = unsafe { watch() }?;
    let mut report = Report::of_tests(benchmarks.len(), filtered_out);
    let tally = run::test(&benchmarks, &hooks, &settings, home.as_deref(), &mut report)?;
    report.finish(&tally)?;
    let has_failed = tally.failed + tally.hooks_failed > 0;
    Ok(if has_failed { CommandOutcome::TestFailed } else { CommandOutcome::Success })
}

/// Reads the plan from the standard input.
fn read_plan() -> Result<Plan> {
    let mut json = String::new();
    stdin().read_to_string(&mut json).map_err(Error::io("read", Path::new("the plan")))?;
    plan::read(&json)
}

/// Writes the plan from the standard input to a file.
fn write_plan(path: &Path) -> Result<CommandOutcome> {
    let mut file = File::create_new(path).map_err(Error::io("create", path))?;
    io::copy(&mut stdin(), &mut file).map_err(Error::io("write", path))?;
    Ok(CommandOutcome::Success)
}

/// Turns a file that exceeds the limit of file sizes into an error. Programs that this process
/// starts do not inherit the handler, so the signal ends them.
fn report_large_files() {
    // Without the handler the signal ends this process
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::default());
}

/// Has the system report ends of children, even if the process that started this one ignores
/// `SIGCHLD`.
fn report_ends_of_children() {
    // SAFETY: the default action runs no code.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Removes empty variables of the runner, because CI jobs set unused ones to an empty text.
///
/// # Safety
///
/// No other thread runs.
unsafe fn forget_empty_variables() {
    for (name, value) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"IAI_CALLGRIND_") && value.is_empty() {
            // SAFETY: as demanded of the caller.
            unsafe { env::remove_var(name) };
        }
    }
}
