//! The settings of a run, resolved from plan, command line and environment.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Build, Config, Limit, Plan};

use crate::cli::{
    AgainstBenches, Baselines, Bench, Explain, LimitSource, Parallel, Run, Selection, Show, Shown,
};
use crate::error::{Error, Result};
use crate::format::Reports;
use crate::output::Slot;
use crate::run::error::RunError;
use crate::samples::Samples;
use crate::valgrind::{Isolation, ToolRunner};

/// The settings of a run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct Settings {
    /// The directory that holds all results.
    pub(crate) home: PathBuf,
    /// The directory in it that holds the results of this benchmark file.
    pub(crate) directory: PathBuf,
    /// Maximum number of parallel functions.
    pub(crate) jobs: Jobs,
    /// Maximum number of parallel commands.
    command_jobs: Jobs,
    /// Maximum duration of a benchmark.
    pub(crate) timeout: Option<Duration>,
    /// Keeps sandboxes after the run.
    pub(crate) keep_sandbox: bool,
    /// The filters.
    pub(crate) selection: Selection,
    /// The sources and the destination of results.
    pub(crate) mode: Mode,
    /// The other revision, which is measured and compared with.
    pub(crate) against: Option<OtherRevision>,
    /// The streams of benchmarks that are shown.
    pub(crate) shown: Shown,
    /// The benchmarks whose values are shown.
    pub(crate) show: Show,
    /// Hides the results of groups that compare by id, except for the comparisons.
    pub(crate) only_comparison: bool,
    /// The explanations of changes.
    pub(crate) explanations: Explanations,
    /// Old results from another build or machine are an error.
    pub(crate) strict_environment: bool,
    /// Draws the growth with the size of the input in the terminal.
    pub(crate) plot: bool,
    /// The source of limits that the user does not set.
    pub(crate) limit: Option<LimitSource>,
    /// Adds the results to the git note of the commit.
    pub(crate) record: bool,
    /// Prints a closing line.
    pub(crate) summary: bool,
    /// The reports in addition to, or in place of, the text on the terminal.
    pub(crate) reports: Reports,
    /// The Valgrind to use instead of the one in `PATH`.
    pub(crate) valgrind: Option<PathBuf>,
    /// The program that starts Valgrind.
    pub(crate) tool_runner: Option<ToolRunner>,
    /// The isolation from the machine.
    pub(crate) isolation: Isolation,
    /// The runs of each benchmark.
    pub(crate) samples: Samples,
    /// The number of calls of a routine before those that count, where it can be called repeatedly.
    pub(crate) warm_up_calls: u16,
    /// The number of calls of a routine that count, where it can be called repeatedly.
    pub(crate) calls: u16,
    /// The build of the benchmark file; `None` for commands without one.
    pub(crate) build: Option<Build>,
    /// The configuration of the command line, which overrides that of the benchmark file.
    pub(crate) config: Config,
    /// The limits of counters on the command line, in place of those of the benchmark file.
    pub(crate) counter_limits: Vec<(MetricKind, Limit)>,
}

/// Another revision of the user's project.
#[derive(Debug)]
pub(crate) struct OtherRevision {
    /// A branch, a tag, a commit or `@merge-base`.
    pub(crate) name: String,
    /// The benchmark files to measure it with.
    pub(crate) benches: AgainstBenches,
}

/// The explanations of changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Explanations {
    /// The results whose changes are explained.
    pub(crate) of: Explain,
    /// Maximum number of lines of each one.
    pub(crate) lines: usize,
    /// Prints a note about a profile without debug information or with several codegen units.
    pub(crate) profile_note: bool,
}

/// Maximum number of benchmarks that run at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jobs(pub(crate) usize);

impl Jobs {
    /// Returns the number of these benchmarks that run at once, in groups with this limit of their own.
    pub(crate) fn of(self, benchmarks: usize, limit: Option<usize>) -> usize {
        self.0.min(limit.unwrap_or(usize::MAX)).min(benchmarks)
    }
}

/// The sources and the destination of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mode {
    /// Runs the benchmarks. Otherwise the new results are loaded from `new`.
    pub(crate) run: bool,
    /// The slot of the new results.
    pub(crate) new: Slot,
    /// The slot that they are compared with. If it is also that of the new results, its contents before the
    /// run count.
    pub(crate) old: Slot,
}

impl Settings {
    /// Returns the maximum number of parallel functions that each have a process of Valgrind's. Under a tool runner it is
    /// one: processes in several containers can have the same ids, which name their files.
    pub(crate) fn own_process_jobs(&self) -> Jobs {
        if self.tool_runner.is_some() { Jobs(1) } else { self.jobs }
    }

    /// Returns the maximum number of parallel commands, see [`Self::own_process_jobs`].
    pub(crate) fn command_jobs(&self) -> Jobs {
        if self.tool_runner.is_some() { Jobs(1) } else { self.command_jobs }
    }

    /// Resolves the settings of a run.
    pub(crate) fn new(plan: &Plan, options: Bench) -> Result<Self> {
        let mode = Mode::new(&options.baselines)?;
        let executable = plan.executable.as_ref();
        let executable_path = executable.map(|executable| Path::new(&executable.path));
        let home = match &options.run.home {
            Some(home) => absolute(home)?,
            None => target_directory(executable_path)?.join("iai"),
        };
        let mut directory = home.clone();
        let build = executable.map(|executable| executable.build.clone());
        if let Some(build) = build.as_ref().filter(|_| options.run.separate_targets) {
            directory.push(&build.target);
        }
        let tool_runner = tool_runner(plan, &options.run, &home)?;
        let mut config = options.benchmarks.config();
        config.update(options.tools.config);
        config.update(options.growth.config());
        config.output_format = options.output.format();
        Ok(Self {
            home,
            directory: directory.join(&plan.package).join(&plan.file),
            jobs: Jobs(options.run.parallel.unwrap_or(Parallel::Auto).jobs()),
            command_jobs: Jobs(options.run.parallel.map_or(1, Parallel::jobs)),
            timeout: options.run.timeout,
            keep_sandbox: options.run.keep_sandbox,
            selection: options.selection,
            mode,
            against: options
                .baselines
                .against
                .map(|name| OtherRevision { name, benches: options.baselines.against_benches }),
            shown: options.output.nocapture,
            show: options.output.show,
            only_comparison: options.output.show_only_comparison,
            explanations: Explanations {
                of: options.output.explain,
                lines: options.output.explanation_length.lines(),
                profile_note: options.output.profile_note,
            },
            strict_environment: options.output.strict_environment,
            plot: options.growth.plot,
            limit: options.baselines.limit,
            record: options.baselines.record,
            summary: !options.output.nosummary,
            reports: options.output.reports().resolve(&plan.package, &plan.file),
            valgrind: options.run.valgrind_path,
            tool_runner,
            isolation: options.benchmarks.isolation,
            samples: Samples::new(
                options.benchmarks.seed,
                options.benchmarks.seeds,
                options.benchmarks.repeat,
            ),
            warm_up_calls: options.benchmarks.warm_up_calls,
            calls: options.benchmarks.calls.max(1),
            build,
            config,
            counter_limits: options.tools.counters,
        })
    }
}

impl Mode {
    /// Returns the slot of the old results after the run; `None` if the new ones have replaced them.
    pub(crate) fn old_after_run(&self) -> Option<&Slot> {
        match &self.old {
            Slot::Latest if self.run => Some(&Slot::Old),
            old => Some(old).filter(|old| !self.run || **old != self.new),
        }
    }

    fn new(options: &Baselines) -> Result<Self> {
        let named = |name: &Option<String>| name.as_deref().map(Slot::baseline).transpose();
        let (save, compare, load) = (
            named(&options.save_baseline)?,
            named(&options.baseline)?,
            named(&options.load_baseline)?,
        );
        let mode = match (save, load, compare) {
            (Some(new), _, old) => Self { run: true, old: old.unwrap_or_else(|| new.clone()), new },
            (None, Some(new), Some(old)) => Self { run: false, new, old },
            (None, _, Some(old)) => Self { run: true, new: Slot::Latest, old },
            (None, _, None) => Self { run: true, new: Slot::Latest, old: Slot::Latest },
        };
        if !mode.run && mode.new == mode.old {
            return Err(RunError::SameBaseline { name: mode.new.name().to_owned() }.into());
        }
        Ok(mode)
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(Error::io("use", path))
}

/// Returns the tool runner that the options name.
fn tool_runner(plan: &Plan, options: &Run, home: &Path) -> Result<Option<ToolRunner>> {
    let Some(program) = &options.tool_runner else { return Ok(None) };
    let workspace = match &options.workspace_root {
        Some(workspace) => absolute(workspace)?,
        None => workspace_directory(Path::new(&plan.package_dir)),
    };
    Ok(Some(ToolRunner {
        program: program.clone(),
        arguments: options.tool_runner_args.iter().flat_map(|words| words.0.clone()).collect(),
        destination: options.tool_runner_dest.clone(),
        root: options.tool_runner_root.clone(),
        home: home.to_owned(),
        workspace,
    }))
}

/// Returns the directory of the workspace of this package, in which cargo writes the lock file.
pub(crate) fn workspace_directory(package: &Path) -> PathBuf {
    let mut directories = package.ancestors();
    let found = directories.find(|directory| directory.join("Cargo.lock").is_file());
    found.unwrap_or(package).to_owned()
}

/// Returns cargo's target directory. It contains the executable, however it is configured. A relative
/// `CARGO_TARGET_DIR` is ignored, because its base directory is unknown.
fn target_directory(executable: Option<&Path>) -> Result<PathBuf> {
    if let Some(directory) = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from) {
        if directory.is_absolute() {
            return Ok(directory);
        }
    }
    executable
        .into_iter()
        .flat_map(Path::ancestors)
        .find(|directory| directory.join("CACHEDIR.TAG").is_file())
        .map_or_else(|| absolute(Path::new("target")), |directory| Ok(directory.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(save: Option<&str>, compare: Option<&str>, load: Option<&str>) -> Result<Mode> {
        let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
        Mode::new(&Baselines {
            save_baseline: owned(save),
            baseline: owned(compare),
            load_baseline: owned(load),
            ..Baselines::default()
        })
    }

    #[test]
    fn modes_are_values() {
        let base = |name: &str| Slot::Baseline(name.to_owned());
        let run = |new, old| Mode { run: true, new, old };
        assert_eq!(mode(None, None, None).unwrap(), run(Slot::Latest, Slot::Latest));
        assert_eq!(mode(Some("a"), None, None).unwrap(), run(base("a"), base("a")));
        assert_eq!(mode(None, Some("a"), None).unwrap(), run(Slot::Latest, base("a")));
        assert_eq!(mode(Some("b"), Some("a"), None).unwrap(), run(base("b"), base("a")));
        assert_eq!(mode(Some("a"), Some("a"), None).unwrap(), run(base("a"), base("a")));
        let load = Mode { run: false, new: base("b"), old: base("a") };
        assert_eq!(mode(None, Some("a"), Some("b")).unwrap(), load);
    }

    #[test]
    fn a_baseline_is_not_compared_with_itself() {
        assert!(mode(None, Some("a"), Some("a")).is_err());
    }

    #[test]
    fn the_target_directory_is_where_cargo_put_its_tag() {
        let root = tempfile::tempdir().unwrap();
        let deps = root.path().join("there/x86_64-unknown-linux-gnu/release/deps");
        std::fs::create_dir_all(&deps).unwrap();
        std::fs::write(root.path().join("there/CACHEDIR.TAG"), "").unwrap();
        if env::var_os("CARGO_TARGET_DIR").is_none() {
            let found = target_directory(Some(&deps.join("bench-0123"))).unwrap();
            assert_eq!(found, root.path().join("there"));
        }
    }
}
