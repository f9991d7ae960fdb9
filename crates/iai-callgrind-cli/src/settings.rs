//! The settings of a run, resolved from plan, command line and environment.

mod checks;
mod choices;
mod filters;
mod resolution;
mod shard;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use iai_callgrind_environment::Surroundings;
use iai_callgrind_launch::Shown;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Build, Config, Limit, Percentage};
use iai_callgrind_process::Isolation;
use iai_callgrind_render::format::Reports;
use iai_callgrind_render::report::{ReportOptions, Show};
use iai_callgrind_results::{Mode, Samples};
use iai_callgrind_store::Slot;
use iai_callgrind_summary::Invocation;
use iai_callgrind_timing::TimeOptions;
use iai_callgrind_tools::valgrind::ToolRunner;

pub use self::checks::Checks;
pub use self::choices::{
    AgainstBenches, Explain, LimitSource, Processes, SnapshotMode, TimedBenchmarks,
};
pub use self::filters::{Filter, Filters};
pub use self::shard::Shard;

/// The settings of a run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Settings {
    /// The directory that holds all results.
    pub home: PathBuf,
    /// Directory in `home` for the results of this benchmark file.
    pub directory: PathBuf,
    /// Maximum number of parallel functions.
    pub jobs: Jobs,
    /// Maximum number of parallel commands.
    pub command_jobs: Jobs,
    /// Maximum duration of a benchmark.
    pub timeout: Option<Duration>,
    /// Keeps sandboxes after the run.
    pub keep_sandbox: bool,
    /// Arguments of the benchmark executable that its front end does not know.
    pub(crate) program_arguments: Vec<OsString>,
    /// The filters.
    pub filters: Filters,
    /// The part of the benchmarks to run.
    pub shard: Option<Shard>,
    /// Lists the benchmarks instead of running them.
    pub list: bool,
    /// The sources and the destination of results.
    pub mode: Mode,
    /// The baseline to compare with need not exist.
    pub may_lack_baseline: bool,
    /// The other revision, which is measured and compared with.
    pub against: Option<OtherRevision>,
    /// Times benchmarks.
    pub time: Option<TimeSettings>,
    /// Repeats each benchmark natively for this long.
    pub profile_time: Option<Duration>,
    /// The streams of benchmarks that are shown.
    pub shown: Shown,
    /// The benchmarks whose values are shown.
    pub show: Show,
    /// Hides the results of groups that compare by id, except for the comparisons.
    pub(crate) only_comparison: bool,
    /// Shows the spread of several runs without the values of the stored one.
    pub(crate) only_aggregates: bool,
    /// The explanations of changes.
    pub explanations: Explanations,
    /// The conditions that the results must meet.
    pub checks: Checks,
    /// Source of limits that the user does not set.
    pub limit: Option<LimitSource>,
    /// Learns the limits from the counts of this many layouts, too.
    pub counted_layouts: Option<u32>,
    /// Adds the results to the git note of the commit.
    pub record: bool,
    /// Compares with the counts in a file of the repository.
    pub snapshot: Option<SnapshotSettings>,
    /// Prints a closing line.
    pub summary: bool,
    /// Reports in addition to the text on the terminal, or instead of it.
    pub reports: Reports,
    /// The Valgrind to use instead of the one in `PATH`.
    pub valgrind: Option<PathBuf>,
    /// The program that starts Valgrind.
    pub tool_runner: Option<ToolRunner>,
    /// The isolation from the machine.
    pub isolation: Isolation,
    /// The runs of each benchmark.
    pub samples: Samples,
    /// Number of warm-up calls of a routine, if it can be called repeatedly.
    pub warm_up_calls: u16,
    /// Number of measured calls of a routine, if it can be called repeatedly.
    pub calls: u16,
    /// The build of the benchmark file; `None` for commands without one.
    pub build: Option<Build>,
    /// The configuration of the command line, which overrides that of the benchmark file.
    pub config: Config,
    /// The command line that repeats the run.
    pub invocation: Invocation,
    /// Limits of counters on the command line, which replace those of the benchmark file.
    pub counter_limits: Vec<(MetricKind, Limit)>,
}

/// Another revision of the user's project.
#[derive(Debug)]
pub struct OtherRevision {
    /// A branch, a tag, a commit or `@merge-base`.
    pub name: String,
    /// The benchmark files to measure it with.
    pub benches: AgainstBenches,
    /// The command that builds it; `None` for cargo.
    pub build: Option<String>,
}

/// The comparison with the counts in a file of the repository.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotSettings {
    /// Writes the counts to the file instead of comparing them.
    pub accept: bool,
    /// The run is in a CI job, which fails if the counts differ.
    pub is_ci: bool,
}

/// The benchmarks that are timed, and for how long.
#[derive(Debug, Clone)]
pub struct TimeSettings {
    pub benchmarks: TimedBenchmarks,
    pub options: TimeOptions,
    /// The largest increase of the time.
    pub limit: Option<Percentage>,
    /// Compares this many layouts of each side.
    pub layouts: Option<u32>,
    /// Compares with the executable that this baseline keeps.
    pub kept: Option<Slot>,
    /// Shows times with those in this slot.
    pub baseline: Option<Slot>,
}

/// The explanations of changes.
#[derive(Debug, Clone, Copy)]
pub struct Explanations {
    /// The results whose changes are explained.
    pub of: Explain,
    /// Maximum number of lines of each one.
    pub lines: usize,
    /// Prints notes about a profile without debug information or with several codegen units, and about seeds of addresses.
    pub profile_note: bool,
}

/// Maximum number of benchmarks that run at once.
#[derive(Debug, Clone, Copy)]
pub struct Jobs(pub usize);

impl Jobs {
    /// Returns the number of these benchmarks that run at once, in groups with this limit of their own.
    pub fn of(self, benchmarks: usize, limit: Option<usize>) -> usize {
        self.0.min(limit.unwrap_or(usize::MAX)).min(benchmarks)
    }
}

impl Settings {
    /// Returns `true` if neither filters nor a shard leave benchmarks out.
    pub fn selects_all(&self) -> bool {
        self.filters.is_empty() && self.shard.is_none()
    }

    /// Selects the form of the text by the standard output of this process, and what is explained
    /// in it.
    pub fn adapt_to_stdout(&mut self) {
        self.reports.text_form = self.reports.text_form.resolve();
        if self.explanations.of == Explain::Auto && self.reports.are_for_people() {
            self.explanations.of = Explain::All;
        }
    }

    /// Returns the parts of this executable's fingerprint that depend on the run. The executable
    /// belongs to the package in this directory.
    pub fn surroundings<'a>(
        &'a self,
        package: &'a Path,
        executable: Option<&'a Path>,
        valgrind: Option<&'a str>,
    ) -> Surroundings<'a> {
        Surroundings {
            package,
            executable: executable.zip(self.build.as_ref()),
            valgrind,
            has_tool_runner: self.tool_runner.is_some(),
            isolation: self.isolation,
            seed: self.samples.seed(0),
            calls: (self.warm_up_calls, self.calls),
        }
    }

    /// Returns the options of the reports.
    pub fn report_options(&self) -> ReportOptions {
        ReportOptions {
            mode: self.mode.clone(),
            samples: self.samples.clone(),
            reports: self.reports.clone(),
            show: self.show,
            only_comparison: self.only_comparison,
            only_aggregates: self.only_aggregates,
            calls: self.calls,
            summary: self.summary,
            explanation_lines: self.explanations.lines,
            is_timed: self.time.is_some(),
            against: self.against.as_ref().map(|other| other.name.clone()),
            invocation: self.invocation.clone(),
        }
    }

    /// Adds the arguments of the benchmark executable to a command that starts it as a server. Its front end leaves what is after
    /// `--` to the code of the file.
    pub fn add_program_arguments(&self, command: &mut Command) {
        if !self.program_arguments.is_empty() {
            command.arg("--").args(&self.program_arguments);
        }
    }

    /// Returns the maximum number of parallel functions that each have their own Valgrind process.
    /// Under a tool runner it is one: processes in several containers can have the same ids, which
    /// name their files.
    pub fn own_process_jobs(&self) -> Jobs {
        if self.tool_runner.is_some() { Jobs(1) } else { self.jobs }
    }

    /// Returns the maximum number of parallel commands, see [`Self::own_process_jobs`].
    pub fn command_jobs(&self) -> Jobs {
        if self.tool_runner.is_some() { Jobs(1) } else { self.command_jobs }
    }
}
