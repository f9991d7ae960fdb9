//! Runs the benchmarks: reads old results, runs stages, and collects new results.

mod address_seeds;
mod candidates;
mod case;
mod command;
mod commands;
mod context;
pub(crate) mod error;
mod explainer;
mod hooks;
mod launch;
mod layouts;
mod native;
mod note;
mod programs;
mod readers;
mod result_flamegraphs;
mod results;
mod server;
mod setup_time;
mod stages;
mod start_state;
#[cfg(feature = "stored-cases")]
mod stored_cases;
mod tables;
#[cfg(test)]
mod tests;
mod timing;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use iai_callgrind_cli::settings::{Explain, Settings};
use iai_callgrind_environment::fingerprint;
use iai_callgrind_launch::{Executor, files_of_case, new_directory};
use iai_callgrind_plan::protocol::SERVER_NUMBER;
use iai_callgrind_plan::{EntryPoint, ToolConfig, ValgrindTool};
use iai_callgrind_process::{NativeValue, ProcessError, STAGING, TemporaryDirectory, interrupted};
use iai_callgrind_render::report::{Report, Tally};
use iai_callgrind_results::snapshot::Counts;
use iai_callgrind_results::{Benchmark, Mode, RunId, ToolOptions};
use iai_callgrind_store::{OutputDirectory, Slot, settle_imports, staging_directory};
use iai_callgrind_tools::executable::Executable;
use iai_callgrind_tools::tool::{
    Capabilities, CodeFiles, Measurement, REBUILDS_CALLS, ReadOptions, TOOLS,
};
use iai_callgrind_tools::valgrind::{
    CACHEGRIND_REQUESTS, LONGEST_LOG, Valgrind, ZSTD_SECTIONS, file_argument,
};
use rustix::process::{Resource, getrlimit};

use self::candidates::Candidates;
use self::context::{Measuring, RunContext};
use self::error::RunError;
use self::explainer::Explainer;
pub(crate) use self::hooks::Hooks;
use self::launch::OutcomeReceiver;
pub(crate) use self::layouts::learn_from_layouts;
use self::programs::{Program, Programs};
pub(crate) use self::result_flamegraphs::{ResultFlamegraphs, draw_stored};
use self::results::{Results, Runs, StoredMeasurements};
use self::start_state::StartState;
#[cfg(feature = "stored-cases")]
pub(crate) use self::stored_cases::StoredExecutor;
#[cfg(feature = "stored-cases")]
pub use self::stored_cases::{CaseFiles, CaseKey, CaseStore, StoredEnd};
use self::tables::Tables;
pub(crate) use self::timing::{NewTimes, ProfiledFile, TimedFile};
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::note::Note;
use crate::resolve::no_baseline;

/// The outcome of a run of a benchmark under one tool.
type Outcome = Result<Measurement>;

/// Runs the benchmarks, or loads their results, and reports them in the order of declaration. Commands need no
/// benchmark executable.
///
/// # Errors
///
/// Returns an error if the run cannot start or go on. Failures of benchmarks are reported and counted.
pub(crate) fn run(
    benchmarks: &[Benchmark],
    executable: Option<String>,
    hooks: &Hooks,
    settings: &Settings,
    executor: &dyn Executor,
    report: &mut Report,
) -> Result<Tally> {
    let start = Instant::now();
    note_unused_options(settings, benchmarks);
    if settings.mode.run && !benchmarks.is_empty() {
        check_paths(&settings.directory, executable.as_deref().map(Path::new), &hooks.package)?;
        check_open_files(benchmarks.iter())?;
    }
    settle_imports(&settings.home)?;
    let output = OutputDirectory::open(&settings.home, &settings.directory)?;
    let old = load(benchmarks, &settings.mode.old);
    if settings.against.is_none() && settings.shard.is_none() {
        // All benchmarks of a shard can be newer than the baseline
        if !settings.may_lack_baseline {
            check_presence(benchmarks, &settings.mode, &old, &settings.mode.old)?;
        }
    }
    let explainer = Explainer::new(benchmarks, settings, &hooks.package);
    let candidates = settings.mode.run.then(|| Candidates::new(settings, &output)).transpose()?;
    let runs = candidates.as_ref().map_or(Runs::Loaded, Runs::Measured);
    let mut results = Results::new(benchmarks, runs, old, explainer, report);
    results.tally.counts = settings.snapshot.map(|_| Counts::default());
    let staging = || Ok(output.staging()?);
    let context = RunContext { benchmarks, settings, hooks, staging: &staging, measuring: None };
    match &candidates {
        None => {
            results.announce();
            load_new(benchmarks, settings, &output, &mut results)?;
        }
        Some(_) if benchmarks.is_empty() => {}
        Some(candidates) => {
            measure(context, executable, executor, candidates, &output, &mut results)?;
            if settings.explanations.profile_note {
                results.note_without_work();
            }
        }
    }
    results.note_small_limits();
    results.charts.write()?;
    results.tally.seconds = start.elapsed().as_secs_f64();
    Ok(results.tally)
}

/// Runs the benchmarks under Valgrind.
fn measure<'a>(
    mut context: RunContext<'a>,
    executable: Option<String>,
    executor: &'a dyn Executor,
    candidates: &'a Candidates<'a>,
    output: &OutputDirectory,
    results: &mut Results<'_>,
) -> Result<()> {
    let RunContext { benchmarks, settings, hooks, .. } = context;
    let Settings { valgrind, tool_runner, isolation, explanations, .. } = settings;
    let valgrind = Valgrind::find(valgrind.as_deref(), tool_runner.clone())?;
    let linked = output.program()?;
    let program =
        executable.map(|path| Program::of_benchmarks(path, linked, *isolation, &valgrind));
    let program = program.transpose()?;
    let executable = program.as_ref().map(|program| &program.executable);
    let capabilities = capabilities(executable, &valgrind, benchmarks);
    let is_unreadable = is_unreadable(executable, &valgrind);
    let work_tree = StartState::new(&hooks.package, settings)?;
    let path = executable.map(|executable| Path::new(&executable.path));
    let version = valgrind.version.as_deref();
    let fingerprint = fingerprint(&settings.surroundings(&hooks.package, path, version));
    let tables = (explanations.of != Explain::None).then(|| Tables::new(&hooks.package, path));
    context.measuring = Some(Measuring {
        executor,
        valgrind,
        capabilities,
        programs: Programs::new(program, isolation.is_native(NativeValue::Path)),
        candidates,
        tables,
        work_tree,
        fingerprint: Arc::new(fingerprint),
        code: CodeFiles::default(),
    });
    run_stages(&context, results)?;
    let Some(Measuring { tables: Some(tables), programs, fingerprint, .. }) = context.measuring
    else {
        return Ok(());
    };
    if explanations.profile_note {
        tables.note_seeds();
        // The note about an executable that Valgrind can't read has the same help
        if !is_unreadable {
            let program = programs.benchmarks().ok();
            tables.note_profile(program.map(|program| &program.executable), &fingerprint);
        }
    }
    Ok(())
}

/// Runs commands and functions natively, each once, and reports them. Their captured output goes to a directory in `home`
/// if that is given, and to a temporary directory otherwise.
///
/// # Errors
///
/// Returns an error if the run cannot start or go on.
pub(crate) fn test(
    benchmarks: &[Benchmark],
    hooks: &Hooks,
    settings: &Settings,
    home: Option<&Path>,
    report: &mut Report,
) -> Result<Tally> {
    let start = Instant::now();
    let mut results = Results::new(benchmarks, Runs::Native, Vec::new(), None, report);
    if !benchmarks.is_empty() {
        let staging = || match home {
            Some(home) => Ok(staging_directory(home)?),
            None => Ok(TemporaryDirectory::create(new_directory)?),
        };
        let staging = &staging;
        let context = RunContext { benchmarks, settings, hooks, staging, measuring: None };
        run_stages(&context, &mut results)?;
    }
    results.tally.seconds = start.elapsed().as_secs_f64();
    Ok(results.tally)
}

/// Runs the stages. After a signal, complete results are reported, and the run ends normally.
fn run_stages(run: &RunContext<'_>, results: &mut Results<'_>) -> Result<()> {
    let ran = run.run_all(results);
    results.tally.interrupted = interrupted();
    match ran {
        Err(Error::Interrupted { .. }) => Ok(()),
        ran => ran,
    }
}

/// Reports the results of an earlier run, and draws their flamegraphs.
fn load_new(
    benchmarks: &[Benchmark],
    settings: &Settings,
    output: &OutputDirectory,
    results: &mut Results<'_>,
) -> Result<()> {
    let mode = &settings.mode;
    let new = load(benchmarks, &mode.new);
    check_presence(benchmarks, mode, &new, &mode.new)?;
    let flamegraphs = benchmarks.iter().flat_map(|benchmark| {
        let tools = benchmark.options.tools.iter();
        tools.map(|tool| ResultFlamegraphs::of(benchmark, tool, mode))
    });
    draw_stored(flamegraphs, output)?;
    for (benchmark, tools) in new.into_iter().enumerate() {
        for (tool, measurement) in tools.into_iter().enumerate() {
            let id = RunId { benchmark, tool, sample: 0 };
            let missing = || Failure::NotInBaseline { baseline: mode.new.name().to_owned() }.into();
            let measurement = measurement.and_then(|found| found.ok_or_else(missing));
            results.record(id, measurement);
        }
    }
    Ok(())
}

/// Returns an error if Valgrind and its tools can't use one of these paths. Files of tools contain
/// paths of sources, in the directory of the package.
fn check_paths(output: &Path, executable: Option<&Path>, package: &Path) -> Result<()> {
    for path in [output, package].into_iter().chain(executable) {
        if path.as_os_str().as_encoded_bytes().contains(&b'\n') {
            return Err(RunError::LineBreak { path: path.to_owned() }.into());
        }
    }
    // The names of staging directories have random letters
    let files = files_of_case(Path::new(&format!("{STAGING}XXXXXX")), SERVER_NUMBER);
    let log = |output: &Path| file_argument("", &output.join(&files), "log").len();
    if log(output) > LONGEST_LOG {
        let most = LONGEST_LOG - log(Path::new(""));
        return Err(RunError::PathTooLong { path: output.to_owned(), most }.into());
    }
    Ok(())
}

/// Returns an error if fork servers of these benchmarks can't have their descriptors.
fn check_open_files<'a>(mut benchmarks: impl Iterator<Item = &'a Benchmark>) -> Result<()> {
    /// The descriptors of the server, and those that Valgrind reserves.
    const LEAST: u64 = 256;
    let has_functions = benchmarks.any(|benchmark| benchmark.command().is_none());
    match getrlimit(Resource::Nofile).current {
        Some(limit) if has_functions && limit < LEAST => {
            Err(ProcessError::OpenFiles { limit, least: LEAST }.into())
        }
        _ => Ok(()),
    }
}

/// Prints a note for each tool that the command line configures and no benchmark uses, because a
/// limit would seem to be met.
fn note_unused_options(settings: &Settings, benchmarks: &[Benchmark]) {
    for options in &settings.config.tools {
        // --regression-fail-fast configures all tools
        let configured = ToolConfig { fail_fast: None, ..options.clone() };
        let is_used = benchmarks.iter().flat_map(|benchmark| &benchmark.options.tools);
        let is_used = is_used.map(|used| used.tool.kind).any(|kind| kind == options.tool);
        if !is_used && !benchmarks.is_empty() && configured != ToolConfig::new(options.tool) {
            let tool = TOOLS.iter().find(|tool| tool.kind == options.tool);
            Note::UnusedOptions { tool: tool.map_or("", |tool| tool.name) }.print();
        }
    }
}

/// Returns the capabilities of this executable and this Valgrind, and prints notes about what they lack.
fn capabilities(
    executable: Option<&Executable>,
    valgrind: &Valgrind,
    benchmarks: &[Benchmark],
) -> Capabilities {
    let tools = benchmarks.iter().flat_map(|benchmark| &benchmark.options.tools);
    let has_cachegrind =
        tools.map(|tool| tool.tool.kind).any(|kind| kind == ValgrindTool::Cachegrind);
    let cachegrind_requests = has_cachegrind && valgrind.is_at_least(CACHEGRIND_REQUESTS);
    if has_cachegrind && !cachegrind_requests {
        Note::WholeProcess.print();
    }
    let functions = benchmarks.iter().filter(|benchmark| benchmark.command().is_none());
    let needs_symbols = functions.flat_map(|benchmark| &benchmark.options.tools).any(|options| {
        options.tool.kind == ValgrindTool::Callgrind
            && options.launch.entry_point == EntryPoint::Default
    });
    let is_unreadable = is_unreadable(executable, valgrind);
    let has_symbols = executable.is_some_and(|executable| executable.has_symbols) && !is_unreadable;
    if needs_symbols && is_unreadable {
        Note::Zstd.print();
    } else if needs_symbols && !has_symbols {
        Note::Stripped.print();
    }
    let commands = benchmarks.iter().filter(|benchmark| benchmark.command().is_some());
    let has_entry_point = |options: &ToolOptions| {
        options.tool.kind == ValgrindTool::Callgrind
            && matches!(options.launch.entry_point, EntryPoint::Custom(_))
    };
    if REBUILDS_CALLS
        && commands.flat_map(|benchmark| &benchmark.options.tools).any(has_entry_point)
    {
        Note::EntryToEnd.print();
    }
    Capabilities { has_symbols, cachegrind_requests }
}

/// Returns `true` if this Valgrind reads neither the debug information nor the symbols of the executable.
fn is_unreadable(executable: Option<&Executable>, valgrind: &Valgrind) -> bool {
    executable.is_some_and(|executable| executable.has_zstd) && !valgrind.is_at_least(ZSTD_SECTIONS)
}

/// Loads the measurements of the benchmarks from a slot. A damaged file is an error.
fn load(benchmarks: &[Benchmark], slot: &Slot) -> StoredMeasurements {
    let load = |benchmark: &Benchmark| {
        let load = |options: &ToolOptions| {
            let read_options =
                ReadOptions { options: Some(&options.launch), wanted: &options.wanted() };
            Ok(benchmark.files.read(options.tool, slot, &read_options)?)
        };
        benchmark.options.tools.iter().map(load).collect()
    };
    benchmarks.iter().map(load).collect()
}

/// Fails if none of the benchmarks has a result in a baseline. Some may be newer than the baseline.
fn check_presence(
    benchmarks: &[Benchmark],
    mode: &Mode,
    found: &StoredMeasurements,
    slot: &Slot,
) -> Result<()> {
    let Slot::Baseline(name) = slot else { return Ok(()) };
    let is_written_by_this_run = mode.run && mode.new == *slot;
    let exists = found.iter().flatten().any(|found| !matches!(found, Ok(None)));
    if is_written_by_this_run || found.is_empty() || exists {
        return Ok(());
    }
    Err(no_baseline(name, benchmarks).into())
}
