//! One level of `config = ...`. The library's builders fill these types, and the runner resolves the
//! levels into the options of each benchmark.

use crate::json::{json_enum, json_struct};
use crate::metric::MetricKind;
use crate::{Complexity, Flamegraph, Limit, Percentage, Throughput};

/// One level of configuration. A field that is `None` or empty inherits the value of the level
/// above.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Config {
    /// Run the benchmark in an empty environment.
    pub env_clear: Option<bool>,
    /// Variables in the benchmark's environment, in addition to those of the levels above.
    pub envs: Vec<Variable>,
    /// Arguments for Valgrind under every tool, in addition to those of the levels above.
    pub valgrind_args: Vec<String>,
    /// The tool that runs first; callgrind by default.
    pub default_tool: Option<ValgrindTool>,
    /// Tools with their options, which override those of the tool in the levels above.
    pub tools: Vec<ToolConfig>,
    /// Options of gungraun's `Perf`, which is not a tool of Valgrind.
    pub perf: Option<PerfConfig>,
    /// Discard the tools of the levels above, `perf` too.
    pub forget_tools: bool,
    /// Options of the output.
    pub output_format: OutputFormat,
    /// Run the benchmark, its setup and its teardown in a temporary directory; by default only commands.
    pub sandbox: Option<bool>,
    /// Files and directories to copy there, in addition to those of the levels above.
    pub fixtures: Vec<Fixture>,
    /// Working directory of the benchmark. A relative path starts in the sandbox or, without one, in the
    /// package.
    pub current_dir: Option<String>,
    /// Expected exit of the command.
    pub exit_with: Option<ExitWith>,
    /// Continue the setup while the command runs.
    pub setup_parallel: Option<bool>,
    /// Amount of data that the benchmark processes.
    pub throughput: Option<Throughput>,
    /// Worst classes of the growth of metrics with the input size.
    pub complexity: Vec<(MetricKind, Complexity)>,
    /// Largest increases of the cost per element, in percent of the old one.
    pub per_element: Vec<(MetricKind, Percentage)>,
    /// Limits of counters by name, instead of those of the levels above. The last of several limits
    /// of one kind for a counter wins.
    pub counter_limits: Vec<(String, Limit)>,
    /// Largest increase of the time, in percent of the old one.
    pub time_limit: Option<Percentage>,
    /// Names of processes whose commands match patterns.
    pub process_names: Vec<ProcessName>,
    /// Compare the counts with those in a file of the repository. Only the level of the benchmark file counts.
    pub snapshot: Option<bool>,
}

/// The name of a process that a benchmark starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct ProcessName {
    /// Name in the output.
    pub name: String,
    /// Pattern that the whole command line of the process matches.
    pub pattern: String,
}

/// A file or a directory that is copied into the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Fixture {
    /// Path of the file. A relative one starts in the package or in the workspace.
    pub path: String,
    /// Copy the targets of symbolic links in place of the links.
    pub follow_symlinks: bool,
}

/// The expected end of a command. A signal is expected only with [`Self::Signal`] and [`Self::Signals`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum ExitWith {
    /// The exit code 0.
    #[default]
    Success,
    /// Any exit code but 0.
    Failure,
    /// This exit code.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Code(i32),
    /// The signal with this number, as in `Signal(6)` for a command that aborts.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Signal(i32),
    /// One of the signals with these numbers.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Signals(Vec<i32>),
}

/// A variable of a benchmark's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// Value of the variable. Without a value, the variable is passed through if the run has it.
    pub value: Option<String>,
}

/// A tool and its options.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct ToolConfig {
    /// The tool.
    pub tool: ValgrindTool,
    /// Run the tool.
    pub enable: Option<bool>,
    /// Arguments for the tool, in addition to those of the levels above.
    pub args: Vec<String>,
    /// Start and end of counting.
    pub entry_point: Option<EntryPoint>,
    /// Limits instead of those of the levels above. The last of several limits of one kind for a
    /// metric wins.
    pub limits: Vec<(MetricKind, Limit)>,
    /// End the run at the first broken limit.
    pub fail_fast: Option<bool>,
    /// Metrics to print, in this order.
    pub metrics: Option<Vec<MetricKind>>,
    /// Run the setup uninstrumented, and start counting with empty caches.
    pub cold_caches: Option<bool>,
    /// Flamegraphs of the profiles.
    pub flamegraph: Option<Flamegraph>,
    /// Patterns of functions whose allocations count as well, in addition to those of the levels above.
    pub frames: Vec<String>,
    /// Contents of DHAT's stored file.
    pub sanitize_output: Option<SanitizeOutput>,
}

/// Options of gungraun's `Perf`.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct PerfConfig {
    /// Run perf.
    pub enable: Option<bool>,
    /// Largest increase of the time, in percent of the old one.
    pub time_limit: Option<Percentage>,
    /// Names of the options without a counterpart in a timed benchmark, each once.
    pub without_counterpart: Vec<String>,
}

/// The contents of DHAT's stored file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum SanitizeOutput {
    /// All blocks of the process.
    No,
    /// The blocks that count. A file with the extension `orig` has all of them.
    KeepOrig,
    /// The blocks that count.
    #[default]
    Yes,
}

/// The tools of Valgrind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum ValgrindTool {
    /// [Callgrind](https://valgrind.org/docs/manual/cl-manual.html), which counts by function.
    Callgrind,
    /// [Cachegrind](https://valgrind.org/docs/manual/cg-manual.html), which counts by source line.
    Cachegrind,
    /// [DHAT](https://valgrind.org/docs/manual/dh-manual.html), which reports the use of the heap.
    DHAT,
    /// [Memcheck](https://valgrind.org/docs/manual/mc-manual.html), which finds wrong accesses to memory
    /// and leaks.
    Memcheck,
    /// [Helgrind](https://valgrind.org/docs/manual/hg-manual.html), which finds data races and locks that
    /// are taken in different orders.
    Helgrind,
    /// [DRD](https://valgrind.org/docs/manual/drd-manual.html), which finds data races and locks that are
    /// held for long.
    DRD,
    /// [Massif](https://valgrind.org/docs/manual/ms-manual.html), which reports the largest size of
    /// the heap.
    Massif,
    /// [BBV](https://valgrind.org/docs/manual/bbv-manual.html), which makes basic block vectors for
    /// `SimPoint`.
    BBV,
}

/// The start and the end of counting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum EntryPoint {
    /// No entry point: a command counts as a whole, and a library benchmark from the end of the setup to
    /// the start of the teardown, including a few instructions of the harness. Valgrind's arguments
    /// (`--collect-atstart=no`, `--toggle-collect=...`) and client requests can switch collection.
    None,
    /// The benchmark function; for a command the same as `None`.
    #[default]
    Default,
    /// The functions that match this pattern, with callgrind's placeholders `*` and `?`. Only their
    /// instructions count, or under DHAT their allocations. This is callgrind's `--toggle-collect`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Custom(String),
}

/// Options of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct OutputFormat {
    /// Number of characters of a description to print; `usize::MAX` for all.
    pub truncate_description: Option<usize>,
    /// Print threads and subprocesses one by one before the total.
    pub show_intermediate: Option<bool>,
    /// Show each process as a result of its own.
    pub separate_processes: Option<bool>,
    /// Start the lines below a title with a bar.
    pub show_grid: Option<bool>,
    /// Largest difference that is printed as within tolerance.
    pub tolerance: Option<Percentage>,
}

impl Config {
    /// Returns the options of this tool, and adds the tool if necessary.
    pub fn tool_mut(&mut self, tool: ValgrindTool) -> &mut ToolConfig {
        let found = self.tools.iter().position(|config| config.tool == tool);
        let index = found.unwrap_or_else(|| {
            self.tools.push(ToolConfig::new(tool));
            self.tools.len() - 1
        });
        &mut self.tools[index]
    }

    /// Overrides this with a more specific level. Fields that the lower level leaves open stay.
    pub fn update(&mut self, lower: Self) {
        self.env_clear = lower.env_clear.or(self.env_clear);
        self.envs.extend(lower.envs);
        self.valgrind_args.extend(lower.valgrind_args);
        self.default_tool = lower.default_tool.or(self.default_tool);
        if lower.forget_tools {
            self.tools.clear();
            self.perf = None;
        }
        if let Some(perf) = lower.perf {
            self.perf.get_or_insert_default().update(perf);
        }
        for tool in lower.tools {
            self.tool_mut(tool.tool).update(tool);
        }
        self.output_format.update(lower.output_format);
        self.sandbox = lower.sandbox.or(self.sandbox);
        self.fixtures.extend(lower.fixtures);
        self.current_dir = lower.current_dir.or(self.current_dir.take());
        self.exit_with = lower.exit_with.or_else(|| self.exit_with.take());
        self.setup_parallel = lower.setup_parallel.or(self.setup_parallel);
        self.throughput = lower.throughput.or(self.throughput);
        if !lower.complexity.is_empty() {
            self.complexity = lower.complexity;
        }
        if !lower.per_element.is_empty() {
            self.per_element = lower.per_element;
        }
        self.time_limit = lower.time_limit.or(self.time_limit);
        // The first one that matches wins
        self.process_names.splice(..0, lower.process_names);
        self.snapshot = lower.snapshot.or(self.snapshot);
        if !lower.counter_limits.is_empty() {
            self.counter_limits = lower.counter_limits;
        }
    }
}

/// Parses `NAME=VALUE`, or `NAME` for a variable that is passed through.
impl From<&str> for Variable {
    fn from(text: &str) -> Self {
        match text.split_once('=') {
            Some((name, value)) => (name, value).into(),
            None => Self { name: text.to_owned(), value: None },
        }
    }
}

impl From<String> for Variable {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

/// Takes a name and a value.
impl<K: Into<String>, V: Into<String>> From<(K, V)> for Variable {
    fn from((name, value): (K, V)) -> Self {
        Self { name: name.into(), value: Some(value.into()) }
    }
}

/// Takes a pattern of functions.
impl From<&str> for EntryPoint {
    fn from(pattern: &str) -> Self {
        Self::Custom(pattern.to_owned())
    }
}

/// Takes a pattern of functions.
impl From<String> for EntryPoint {
    fn from(pattern: String) -> Self {
        Self::Custom(pattern)
    }
}

impl ToolConfig {
    /// Creates the configuration of a tool without options.
    #[must_use]
    pub fn new(tool: ValgrindTool) -> Self {
        Self {
            tool,
            enable: None,
            args: Vec::new(),
            entry_point: None,
            limits: Vec::new(),
            fail_fast: None,
            metrics: None,
            cold_caches: None,
            flamegraph: None,
            frames: Vec::new(),
            sanitize_output: None,
        }
    }

    /// Overrides these with the options of a more specific level.
    pub fn update(&mut self, lower: Self) {
        self.enable = lower.enable.or(self.enable);
        self.args.extend(lower.args);
        self.entry_point = lower.entry_point.or(self.entry_point.take());
        if !lower.limits.is_empty() {
            self.limits = lower.limits;
        }
        self.fail_fast = lower.fail_fast.or(self.fail_fast);
        self.metrics = lower.metrics.or(self.metrics.take());
        self.cold_caches = lower.cold_caches.or(self.cold_caches);
        if let Some(flamegraph) = lower.flamegraph {
            self.flamegraph.get_or_insert_default().update(flamegraph);
        }
        self.frames.extend(lower.frames);
        self.sanitize_output = lower.sanitize_output.or(self.sanitize_output);
    }
}

impl PerfConfig {
    /// Overrides these with the options of a more specific level.
    pub fn update(&mut self, lower: Self) {
        self.enable = lower.enable.or(self.enable);
        self.time_limit = lower.time_limit.or(self.time_limit);
        for option in lower.without_counterpart {
            self.miss(&option);
        }
    }

    /// Adds the name of an option without a counterpart in a timed benchmark.
    pub fn miss(&mut self, option: &str) {
        if !self.without_counterpart.iter().any(|known| known == option) {
            self.without_counterpart.push(option.to_owned());
        }
    }
}

impl OutputFormat {
    fn update(&mut self, lower: Self) {
        self.truncate_description = lower.truncate_description.or(self.truncate_description);
        self.show_intermediate = lower.show_intermediate.or(self.show_intermediate);
        self.separate_processes = lower.separate_processes.or(self.separate_processes);
        self.show_grid = lower.show_grid.or(self.show_grid);
        self.tolerance = lower.tolerance.or(self.tolerance);
    }
}

json_struct!(Config {
    env_clear,
    envs,
    valgrind_args,
    default_tool,
    tools,
    perf,
    forget_tools,
    output_format,
    sandbox,
    fixtures,
    current_dir,
    exit_with,
    setup_parallel,
    throughput,
    complexity,
    per_element,
    counter_limits,
    time_limit,
    process_names,
    snapshot
});
json_struct!(ProcessName { name, pattern });
json_struct!(Fixture { path, follow_symlinks });
json_enum!(ExitWith { Success, Failure, Code(value), Signal(value), Signals(value) });
json_struct!(Variable { name, value });
json_struct!(ToolConfig {
    tool,
    enable,
    args,
    entry_point,
    limits,
    fail_fast,
    metrics,
    cold_caches,
    flamegraph,
    frames,
    sanitize_output
});
json_struct!(PerfConfig { enable, time_limit, without_counterpart });
json_enum!(SanitizeOutput { No, KeepOrig, Yes });
json_enum!(ValgrindTool { Callgrind, Cachegrind, DHAT, Memcheck, Helgrind, DRD, Massif, BBV });
json_enum!(EntryPoint { None, Default, Custom(value) });
json_struct!(OutputFormat {
    truncate_description,
    show_intermediate,
    separate_processes,
    show_grid,
    tolerance
});

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::{Direction, FlamegraphKind, Json, Rate};

    #[test]
    fn the_runner_reads_the_plan_of_the_library() {
        let mut config = Config {
            env_clear: Some(false),
            envs: vec![Variable { name: "A".to_owned(), value: None }],
            forget_tools: true,
            ..Config::default()
        };
        let callgrind = config.tool_mut(ValgrindTool::Callgrind);
        callgrind.entry_point = Some(EntryPoint::Custom("a\"::*".to_owned()));
        callgrind.limits = vec![
            (MetricKind::Ir, Limit::Soft { change: Percentage::new(f64::NAN) }),
            (MetricKind::Ir, Limit::Count { value: u64::MAX }),
            (MetricKind::L1HitRate, Limit::Rate { value: Rate::new(99.5) }),
        ];
        callgrind.flamegraph = Some(Flamegraph {
            kind: Some(FlamegraphKind::Regular),
            event_kinds: Some(vec![MetricKind::Ir, MetricKind::SysCount]),
            min_width: Some(Percentage::new(f64::INFINITY)),
            direction: Some(Direction::BottomToTop),
            ..Flamegraph::default()
        });
        config.perf = Some(PerfConfig {
            enable: Some(true),
            time_limit: Some(Percentage::new(2.5)),
            without_counterpart: vec!["alpha".to_owned()],
        });
        config.output_format.truncate_description = Some(usize::MAX);
        config.complexity = Complexity::ALL.map(|class| (MetricKind::Ir, class)).into();
        config.per_element = vec![(MetricKind::TotalBytes, Percentage::new(-0.5))];
        for throughput in [
            Throughput::Bytes(u64::MAX),
            Throughput::BytesDecimal(1),
            Throughput::Elements(2),
            Throughput::ElementsAndBytes { elements: 3, bytes: 4 },
            Throughput::Bits(0),
        ] {
            config.throughput = Some(throughput);
            let read: Config = serde_json::from_str(&config.to_json()).unwrap();
            assert_eq!(read, config);
        }
    }

    #[test]
    fn a_lower_level_wins_and_lists_grow() {
        let mut upper = Config { valgrind_args: vec!["--a".to_owned()], ..Config::default() };
        let limit = |percentage: f64| Limit::Soft { change: percentage.into() };
        upper.tool_mut(ValgrindTool::Callgrind).limits = vec![(MetricKind::Ir, limit(1.0))];
        upper.tool_mut(ValgrindTool::Callgrind).args = vec!["--x".to_owned()];
        let mut lower = Config { valgrind_args: vec!["--b".to_owned()], ..Config::default() };
        lower.tool_mut(ValgrindTool::Callgrind).args = vec!["--y".to_owned()];
        upper.update(lower.clone());
        assert_eq!(upper.tools[0].limits, [(MetricKind::Ir, limit(1.0))]);
        lower.tool_mut(ValgrindTool::Callgrind).limits = vec![(MetricKind::Dr, limit(2.0))];
        upper.update(lower);
        assert_eq!(upper.valgrind_args, ["--a", "--b", "--b"]);
        assert_eq!(upper.tools[0].args, ["--x", "--y", "--y"]);
        assert_eq!(upper.tools[0].limits, [(MetricKind::Dr, limit(2.0))]);
        let perf = PerfConfig { time_limit: Some(Percentage::new(1.0)), ..PerfConfig::default() };
        upper.update(Config { perf: Some(perf), ..Config::default() });
        upper.update(Config { forget_tools: true, ..Config::default() });
        assert!(upper.tools.is_empty() && upper.perf.is_none());
        for (lower, expected) in [
            (Some(Throughput::Bytes(1)), Throughput::Bytes(1)),
            (None, Throughput::Bytes(1)),
            (Some(Throughput::Elements(2)), Throughput::Elements(2)),
        ] {
            upper.update(Config { throughput: lower, ..Config::default() });
            assert_eq!(upper.throughput, Some(expected));
        }
    }
}
