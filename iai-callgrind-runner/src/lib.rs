//! The runner of iai-callgrind: reads a benchmark file's plan, runs its cases under Valgrind's tools,
//! reads the tools' files, compares and reports.

// The program reports this as a single error
#![cfg(unix)]
// Only `console` writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod against;
mod cli;
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
mod settings;
mod shard;
mod stored;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use iai_callgrind_base::{FileError, console};
use iai_callgrind_commands::{Commands, HookCommands};
use iai_callgrind_history as history;
use iai_callgrind_launch::{Executor, ValgrindExecutor};
use iai_callgrind_plan::{Plan, streams};
use iai_callgrind_process::{ProcessError, watch};
use iai_callgrind_render::page::prepare;
use iai_callgrind_render::report::{Context, Report, SnapshotReport, Tally, print_snapshot};
use iai_callgrind_results::Benchmark;
use iai_callgrind_results::snapshot::{Part, Snapshot};
use iai_callgrind_revisions::OtherSide;
use iai_callgrind_store::Slot;
use rustix::process::{Resource, getrlimit};

use crate::against::other_side;
use crate::cli::{
    Bench, Cli, Command, Exec, ListFormat, ResultsCommand, Test, measuring_arguments,
};
use crate::error::{Error, Result};
use crate::note::Note;
use crate::outcome::CommandOutcome;
use crate::resolve::selected;
use crate::run::error::RunError;
#[cfg(feature = "stored-cases")]
#[doc(hidden)]
pub use crate::run::{CaseFiles, CaseKey, CaseStore, StoredEnd};
use crate::run::{Hooks, NewTimes, ProfiledFile, TimedFile};
use crate::settings::{LimitSource, Settings};

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
    cli::color_choice(None).write_global();
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
            cli::color_choice(options.output.color).write_global();
            if let Some(path) = &options.time.write_plan {
                return write_plan(path);
            }
            run_plan(&read_plan()?, HookCommands::new(), *options, executor)
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
    cli::color_choice(options.output.color).write_global();
    run_plan(&plan, hooks, options, executor)
}

/// Runs the benchmarks of a plan. Without a benchmark executable, these commands are its hooks.
fn run_plan(
    plan: &Plan,
    hooks: HookCommands,
    options: Bench,
    executor: &dyn Executor,
) -> Result<CommandOutcome> {
    let list = options.selection.list.then_some(options.selection.format);
    let mut settings = options.settings(plan)?;
    settings.adapt_to_stdout();
    // SAFETY: no other thread runs yet.
    let _watch = unsafe { watch() }?;
    // The program and the subcommand come first
    let arguments = || measuring_arguments(&env::args_os().skip(2).collect::<Vec<_>>());
    if settings.record && list.is_none() {
        history::check_repository(Path::new(&plan.package_dir))?;
    }
    let mut other = match list {
        None => other_side(plan, &settings, arguments)?,
        Some(_) => None,
    };
    if let Some(other) = &mut other {
        settings.mode.old = other.measure()?;
    }
    // The times need its build. Other runs wait for the work tree until then
    let mut other = other.filter(|_| settings.time.is_some());
    let hooks = Hooks::of_plan(plan, hooks, &settings);
    let executable = plan.executable.as_ref().map(|executable| executable.path.clone());
    let mut benchmarks = shard::select(selected(plan.clone(), &settings)?, &settings)?;
    compare_first_baseline(&mut settings, &benchmarks);
    if let Some(format) = list {
        FileError::of_output(print_names(&benchmarks, format))?;
        return Ok(CommandOutcome::Success);
    }
    if let Some(number) = settings.counted_layouts {
        other.iter_mut().for_each(OtherSide::release);
        run::learn_from_layouts(&mut benchmarks, plan, &settings, &arguments(), number)?;
    }
    if settings.limit == Some(LimitSource::Auto) {
        history::learn_limits(&mut benchmarks, &settings.home, &hooks.package)?;
    }
    if benchmarks.is_empty() {
        // A filter without a match here must not change the reports of other benchmark files
        settings.reports.in_files.clear();
        settings.reports.pages.clear();
        settings.snapshot = settings.snapshot.filter(|_| settings.selects_all());
    }
    if let Some(duration) = settings.profile_time {
        let file = ProfiledFile { benchmarks: &benchmarks, hooks: &hooks, settings: &settings };
        return Ok(outcome(&file.run(plan, duration)?));
    }
    settings.reports.pages.iter().try_for_each(|directory| prepare(directory))?;
    // Before anything runs, so that a damaged snapshot is an error at once
    let snapshot = read_snapshot(&settings, &hooks.package, &plan.file)?;
    note_perf(&benchmarks, settings.time.is_some());
    let report_options = settings.report_options();
    let context = Context::new(plan, &report_options);
    let mut report = Report::of_run(context, &report_options)?;
    let mut new_times = NewTimes::of_run(&settings, executable.as_deref());
    let timed = settings.time.as_ref().map(|time| TimedFile {
        benchmarks: &benchmarks,
        hooks: &hooks,
        settings: &settings,
        time,
    });
    if let Some(timed) = timed.filter(|_| other.is_none()) {
        let tally = timed.time(plan, &mut report, &mut new_times)?;
        finish(report, &tally, new_times)?;
        if tally.interrupted.is_none() {
            declared::record(plan, &settings)?;
            write_pages(&settings, &hooks.package, &directories(&benchmarks))?;
        }
        return Ok(outcome(&tally));
    }
    let mut tally = run::run(&benchmarks, executable, &hooks, &settings, executor, &mut report)?;
    if let (Some(timed), Some(other), None) = (timed, other, tally.interrupted) {
        timed.compare(other, &mut report, &mut tally, &mut new_times)?;
    }
    finish(report, &tally, new_times)?;
    note_unreported_counters(&tally);
    let differs = snapshot.map_or(Ok(false), |snapshot| compare(&snapshot, &settings, &tally))?;
    if tally.interrupted.is_none() {
        declared::record(plan, &settings)?;
        publish(&settings, &hooks.package, &benchmarks, &tally)?;
    }
    if settings.strict_environment {
        check_environment(&tally)?;
    }
    Ok(match outcome(&tally) {
        CommandOutcome::Success => CommandOutcome::of_comparison(differs),
        outcome => outcome,
    })
}

/// Compares results that become a new baseline with the last run.
fn compare_first_baseline(settings: &mut Settings, benchmarks: &[Benchmark]) {
    let mode = &mut settings.mode;
    let is_saved = mode.run && mode.new == mode.old && mode.new != Slot::Latest;
    let has_slot = |benchmark: &Benchmark| benchmark.files.slots().contains(&mode.new);
    if is_saved && !benchmarks.iter().any(has_slot) {
        mode.old = Slot::Latest;
    }
}

/// Completes the reports, and stores the times. Does both even if one fails.
fn finish(report: Report, tally: &Tally, times: NewTimes<'_>) -> Result<()> {
    let finished = report.finish(tally);
    times.store()?;
    Ok(finished?)
}

/// Reads the snapshot of the benchmark file, if the user wants it.
fn read_snapshot(settings: &Settings, package: &Path, file: &str) -> Result<Option<Snapshot>> {
    let Some((snapshot, build)) = settings.snapshot.zip(settings.build.as_ref()) else {
        return Ok(None);
    };
    let is_replaced = snapshot.accept && settings.selects_all();
    Ok(Some(Snapshot::read(package, file, &build.target, is_replaced)?))
}

/// Compares the counts of a run with a snapshot, or writes the snapshot. Returns `true` if the
/// differences must fail the run.
fn compare(snapshot: &Snapshot, settings: &Settings, tally: &Tally) -> Result<bool> {
    let Some((wanted, counts)) = settings.snapshot.zip(tally.counts.as_ref()) else {
        return Ok(false);
    };
    let has_all = tally.finished == tally.selected && tally.failed + tally.hooks_failed == 0;
    let part = if has_all && settings.selects_all() { Part::All } else { Part::Some };
    let print =
        |report: &SnapshotReport<'_>| print_snapshot(&snapshot.path, &snapshot.file, report);
    if wanted.accept {
        if has_all {
            snapshot.accept(counts, part)?;
        }
        print(if has_all { &SnapshotReport::Accepted } else { &SnapshotReport::Refused });
        return Ok(false);
    }
    let Some(differences) = snapshot.compare(counts, part) else {
        print(&SnapshotReport::Missing);
        return Ok(wanted.is_ci);
    };
    print(&SnapshotReport::Compared(&differences));
    Ok(wanted.is_ci && !differences.beyond.is_empty())
}

/// Returns the outcome of a run with these numbers.
fn outcome(tally: &Tally) -> CommandOutcome {
    match *tally {
        Tally { interrupted: Some(signal), .. } => CommandOutcome::Interrupted { signal },
        Tally { failed: 0, hooks_failed: 0, regressed, .. } => {
            CommandOutcome::of_comparison(regressed > 0)
        }
        _ => CommandOutcome::Failed,
    }
}

/// Records the results of a run, and writes the pages, whose history includes the record. Writes
/// the pages even if the record fails.
fn publish(
    settings: &Settings,
    package: &Path,
    benchmarks: &[Benchmark],
    tally: &Tally,
) -> Result<()> {
    let is_complete = tally.failed + tally.hooks_failed == 0;
    // A filter can select nothing in this benchmark file
    let recorded = if settings.record && is_complete && !benchmarks.is_empty() {
        history::record_run(package, &settings.home, &settings.mode.new, benchmarks)
    } else {
        Ok(())
    };
    let written = write_pages(settings, package, &directories(benchmarks));
    recorded?;
    written
}

/// Writes the pages of a run, whose benchmarks have these directories.
fn write_pages(settings: &Settings, package: &Path, directories: &BTreeSet<&Path>) -> Result<()> {
    let mut pages = settings.reports.pages.iter();
    pages.try_for_each(|site| page::write_run(site, settings, package, directories))
}

/// Returns the directories of the results of these benchmarks.
fn directories(benchmarks: &[Benchmark]) -> BTreeSet<&Path> {
    benchmarks.iter().map(|benchmark| benchmark.files.directory()).collect()
}

/// Prints a note if the benchmark file names gungraun's perf. In a timed run, which replaces perf,
/// names only options without a counterpart.
fn note_perf(benchmarks: &[Benchmark], is_timed: bool) {
    let perf: Vec<_> =
        benchmarks.iter().filter_map(|benchmark| benchmark.options.perf.as_ref()).collect();
    let options: BTreeSet<_> =
        perf.iter().flat_map(|options| options.iter()).map(|it| &**it).collect();
    let is_silent = is_timed && options.is_empty();
    if !perf.is_empty() && !is_silent {
        Note::Perf { benchmarks: perf.len(), options: &options, is_timed }.print();
    }
}

/// Prints a note for each limited counter that no benchmark reported, because the limit would seem
/// to be met.
fn note_unreported_counters(tally: &Tally) {
    for (counter, _) in tally.limited_counters.iter().filter(|(_, is_reported)| !**is_reported) {
        Note::UnusedCounterLimit { counter }.print();
    }
}

/// Returns an error if old results are, or can be, from another build or machine.
fn check_environment(tally: &Tally) -> Result<()> {
    if !tally.environment.is_empty() {
        let changes = tally.environment.iter().cloned().collect();
        return Err(RunError::EnvironmentDiffers { changes }.into());
    }
    match tally.unknown_environments {
        0 => Ok(()),
        number => Err(RunError::EnvironmentUnknown { number }.into()),
    }
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

/// Lists the benchmarks as libtest does.
fn print_names(benchmarks: &[Benchmark], format: ListFormat) -> io::Result<()> {
    let mut output = console::stdout();
    for benchmark in benchmarks {
        writeln!(output, "{}: benchmark", benchmark.name())?;
    }
    if format != ListFormat::Terse {
        let number = benchmarks.len();
        writeln!(output, "\n0 tests, {number} benchmark{}", if number == 1 { "" } else { "s" })?;
    }
    output.flush()
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
