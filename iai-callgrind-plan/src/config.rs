//! What `config = ...` says on one of its levels. The library's builders fill these types, the runner
//! resolves the levels into what each benchmark runs with.
//!
//! Limits, metrics and percentages are text in the syntax of the command line, so that there is one
//! parser for them, and one place that says what is wrong with them.

use nanoserde::SerJson;

use super::Flamegraph;

/// What one level configures. What is `None` or empty is left to the level above.
#[derive(Debug, Clone, Default, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Config {
    /// Whether the benchmark gets an empty environment.
    pub env_clear: Option<bool>,
    /// Variables in the benchmark's environment, in addition to those of the levels above.
    pub envs: Vec<Variable>,
    /// Arguments for Valgrind whichever tool it runs, in addition to those of the levels above.
    pub valgrind_args: Vec<String>,
    /// The tool that runs first, if it isn't callgrind.
    pub default_tool: Option<ValgrindTool>,
    /// Tools with their options. The options of a tool that a level above has too come on top of it.
    pub tools: Vec<Tool>,
    /// If given, the tools of the levels above are forgotten.
    pub forget_tools: bool,
    /// How results are printed.
    pub output_format: OutputFormat,
    /// Whether the command, its set-up and its tear-down run in a temporary directory.
    pub sandbox: Option<bool>,
    /// What is copied there, in addition to what the levels above name.
    pub fixtures: Vec<Fixture>,
    /// The directory that the command runs in. A relative path starts in the sandbox, or else in the
    /// package.
    pub current_dir: Option<String>,
    /// How the command is expected to end.
    pub exit_with: Option<ExitWith>,
    /// Whether the set-up goes on while the command runs.
    pub setup_parallel: Option<bool>,
}

/// A file or a directory that is copied into the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Fixture {
    /// Its path, which if it is relative starts in the package or in the workspace.
    pub path: String,
    /// Whether copies of what symbolic links in it lead to take the links' places.
    pub follow_symlinks: bool,
}

/// How a command is expected to end. One that a signal ends has failed whatever is expected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum ExitWith {
    /// With the exit code 0
    #[default]
    Success,
    /// With any exit code but 0
    Failure,
    /// With this exit code
    #[cfg_attr(feature = "serde", serde(deserialize_with = "only"))]
    Code(i32),
}

/// A variable of a benchmark's environment.
#[derive(Debug, Clone, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value. Without one it is passed through from the environment of the run, if it is there.
    pub value: Option<String>,
}

/// A tool and its options.
#[derive(Debug, Clone, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Tool {
    /// Which one.
    pub tool: ValgrindTool,
    /// Whether it runs.
    pub enable: Option<bool>,
    /// Arguments for it, in addition to those of the levels above.
    pub args: Vec<String>,
    /// What starts and ends counting.
    pub entry_point: Option<EntryPoint>,
    /// Limits, as in `ir=5%|10000,@all=10%`.
    pub limits: Option<String>,
    /// Whether the first broken limit ends the run.
    pub fail_fast: Option<bool>,
    /// The metrics that are printed, as in `ir,@cachemisses`.
    pub metrics: Option<String>,
    /// Whether set-up runs uninstrumented, with the caches empty when counting starts.
    pub cold_caches: Option<bool>,
    /// Flamegraphs of the profiles.
    pub flamegraph: Option<Flamegraph>,
    /// What else counts beside the entry point: what functions that match one of these allocate, in
    /// addition to those of the levels above.
    pub frames: Vec<String>,
}

/// The tools of Valgrind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum ValgrindTool {
    /// [Callgrind](https://valgrind.org/docs/manual/cl-manual.html), which counts by function
    Callgrind,
    /// [Cachegrind](https://valgrind.org/docs/manual/cg-manual.html), which counts by source line
    Cachegrind,
    /// [DHAT](https://valgrind.org/docs/manual/dh-manual.html), which tells how the heap is used
    DHAT,
    /// [Memcheck](https://valgrind.org/docs/manual/mc-manual.html), which finds wrong accesses to memory
    /// and leaks
    Memcheck,
    /// [Helgrind](https://valgrind.org/docs/manual/hg-manual.html), which finds data races and locks that
    /// are taken in different orders
    Helgrind,
    /// [DRD](https://valgrind.org/docs/manual/drd-manual.html), which finds data races and locks that are
    /// held for long
    DRD,
    /// [Massif](https://valgrind.org/docs/manual/ms-manual.html), which tells how large the heap becomes
    Massif,
    /// [BBV](https://valgrind.org/docs/manual/bbv-manual.html), which makes basic block vectors for
    /// `SimPoint`
    BBV,
}

/// What starts and ends counting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum EntryPoint {
    /// Nothing: all of a command counts, and of a library benchmark what it does between the end of
    /// set-up and the begin of tear-down, a few instructions of the harness among it. Unless collection
    /// is switched by Valgrind's arguments (`--collect-atstart=no`, `--toggle-collect=...`) or by client
    /// requests
    None,
    /// The benchmark function; nothing for a command
    #[default]
    Default,
    /// The functions that this pattern matches, with callgrind's placeholders `*` and `?`: only what
    /// they execute counts, or under DHAT what they allocate. This is callgrind's `--toggle-collect`
    #[cfg_attr(feature = "serde", serde(deserialize_with = "only"))]
    Custom(String),
}

/// How results are printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct OutputFormat {
    /// How many characters of a description are printed; `usize::MAX` for all.
    pub truncate_description: Option<usize>,
    /// Whether threads and subprocesses are printed one by one too.
    pub show_intermediate: Option<bool>,
    /// Differences up to this percentage are printed as within tolerance.
    pub tolerance: Option<String>,
}

impl Config {
    /// This tool's options, which are added if they aren't there.
    pub fn tool_mut(&mut self, tool: ValgrindTool) -> &mut Tool {
        let found = self.tools.iter().position(|it| it.tool == tool);
        let index = found.unwrap_or_else(|| {
            self.tools.push(Tool::new(tool));
            self.tools.len() - 1
        });
        &mut self.tools[index]
    }

    /// Puts a lower level on top of this one: what that leaves open stays.
    pub fn update(&mut self, lower: Self) {
        self.env_clear = lower.env_clear.or(self.env_clear);
        self.envs.extend(lower.envs);
        self.valgrind_args.extend(lower.valgrind_args);
        self.default_tool = lower.default_tool.or(self.default_tool);
        if lower.forget_tools {
            self.tools.clear();
        }
        for tool in lower.tools {
            self.tool_mut(tool.tool).update(tool);
        }
        self.output_format.update(lower.output_format);
        self.sandbox = lower.sandbox.or(self.sandbox);
        self.fixtures.extend(lower.fixtures);
        self.current_dir = lower.current_dir.or(self.current_dir.take());
        self.exit_with = lower.exit_with.or(self.exit_with);
        self.setup_parallel = lower.setup_parallel.or(self.setup_parallel);
    }
}

/// `NAME=VALUE`, or `NAME` for one that is passed through.
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

/// A name and a value.
impl<K: Into<String>, V: Into<String>> From<(K, V)> for Variable {
    fn from((name, value): (K, V)) -> Self {
        Self { name: name.into(), value: Some(value.into()) }
    }
}

/// The functions that match this pattern.
impl From<&str> for EntryPoint {
    fn from(pattern: &str) -> Self {
        Self::Custom(pattern.to_owned())
    }
}

/// The functions that match this pattern.
impl From<String> for EntryPoint {
    fn from(pattern: String) -> Self {
        Self::Custom(pattern)
    }
}

impl Tool {
    /// The tool without options.
    #[must_use]
    pub fn new(tool: ValgrindTool) -> Self {
        Self {
            tool,
            enable: None,
            args: Vec::new(),
            entry_point: None,
            limits: None,
            fail_fast: None,
            metrics: None,
            cold_caches: None,
            flamegraph: None,
            frames: Vec::new(),
        }
    }

    /// Puts the options of a lower level on top of these.
    pub fn update(&mut self, lower: Self) {
        self.enable = lower.enable.or(self.enable);
        self.args.extend(lower.args);
        self.entry_point = lower.entry_point.or(self.entry_point.take());
        self.limits = lower.limits.or(self.limits.take());
        self.fail_fast = lower.fail_fast.or(self.fail_fast);
        self.metrics = lower.metrics.or(self.metrics.take());
        self.cold_caches = lower.cold_caches.or(self.cold_caches);
        if let Some(flamegraph) = lower.flamegraph {
            self.flamegraph.get_or_insert_default().update(flamegraph);
        }
        self.frames.extend(lower.frames);
    }
}

impl OutputFormat {
    fn update(&mut self, lower: Self) {
        self.truncate_description = lower.truncate_description.or(self.truncate_description);
        self.show_intermediate = lower.show_intermediate.or(self.show_intermediate);
        self.tolerance = lower.tolerance.or(self.tolerance.take());
    }
}

/// The single field of a variant, which nanoserde writes as a list and serde expects bare.
#[cfg(feature = "serde")]
fn only<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    use serde::Deserialize;
    <[T; 1]>::deserialize(deserializer).map(|[value]| value)
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::{Direction, FlamegraphKind};

    #[test]
    fn what_the_library_writes_the_runner_reads() {
        let mut config = Config {
            env_clear: Some(false),
            envs: vec![Variable { name: "A".to_owned(), value: None }],
            forget_tools: true,
            ..Config::default()
        };
        let callgrind = config.tool_mut(ValgrindTool::Callgrind);
        callgrind.entry_point = Some(EntryPoint::Custom("a\"::*".to_owned()));
        callgrind.limits = Some("Ir=5%".to_owned());
        callgrind.flamegraph = Some(Flamegraph {
            kind: Some(FlamegraphKind::Regular),
            event_kinds: Some("Ir".to_owned()),
            direction: Some(Direction::BottomToTop),
            ..Flamegraph::default()
        });
        config.output_format.truncate_description = Some(usize::MAX);
        let read: Config = serde_json::from_str(&config.serialize_json()).unwrap();
        assert_eq!(read, config);
    }

    #[test]
    fn a_lower_level_wins_and_lists_grow() {
        let mut upper = Config { valgrind_args: vec!["--a".to_owned()], ..Config::default() };
        upper.tool_mut(ValgrindTool::Callgrind).limits = Some("ir=1%".to_owned());
        upper.tool_mut(ValgrindTool::Callgrind).args = vec!["--x".to_owned()];
        let mut lower = Config { valgrind_args: vec!["--b".to_owned()], ..Config::default() };
        lower.tool_mut(ValgrindTool::Callgrind).args = vec!["--y".to_owned()];
        lower.tool_mut(ValgrindTool::Callgrind).limits = Some("dr=2%".to_owned());
        upper.update(lower);
        assert_eq!(upper.valgrind_args, ["--a", "--b"]);
        let callgrind = &upper.tools[0];
        assert_eq!((callgrind.args.len(), callgrind.limits.as_deref()), (2, Some("dr=2%")));
        upper.update(Config { forget_tools: true, ..Config::default() });
        assert!(upper.tools.is_empty());
    }
}
