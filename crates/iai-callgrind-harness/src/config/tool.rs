//! Valgrind's tools with their options.

use iai_callgrind_plan::metric::tool::{
    BbvMetrics, CachegrindMetrics, CallgrindMetrics, DhatMetrics, ErrorMetrics, MassifMetrics,
};
use iai_callgrind_plan::metric::{BBV, CACHEGRIND, CALLGRIND, DHAT, ERRORS, MASSIF, MEMCHECK};
use iai_callgrind_plan::{
    self as plan, Config, EntryPoint, PerfConfig, SanitizeOutput, ToolConfig, ValgrindTool,
};

use super::arguments::ToolArgs;
use super::{FlamegraphConfig, Limit, from_references};

/// A tool of Valgrind with its options.
///
/// Create it from one of the types with the name of a tool, such as [`Callgrind`], or by name:
///
/// ```
/// use iai_callgrind::{LibraryBenchmarkConfig, Tool, ValgrindTool};
///
/// LibraryBenchmarkConfig::default()
///     .tool(Tool::new(ValgrindTool::DHAT).args(["--num-callers=40"]))
///     .tool(Tool::new(ValgrindTool::Memcheck).args("--error-exitcode=0"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tool(pub(super) AnyTool);

/// The options of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AnyTool {
    Valgrind(ToolConfig),
    Perf(PerfConfig),
}

impl Tool {
    /// Creates a tool with default options.
    #[must_use]
    pub fn new(tool: ValgrindTool) -> Self {
        Self(AnyTool::Valgrind(ToolConfig::new(tool)))
    }

    /// Adds an argument for the tool, see [`Self::args`].
    pub fn arg<T: Into<String>>(&mut self, arg: T) -> &mut Self {
        self.args([arg.into()])
    }

    /// Adds arguments for the tool, see [`Callgrind::args`].
    pub fn args<T: Into<ToolArgs>>(&mut self, args: T) -> &mut Self {
        match &mut self.0 {
            AnyTool::Valgrind(tool) => tool.args.extend(args.into().0),
            AnyTool::Perf(perf) => perf.miss("args"),
        }
        self
    }

    /// Enables the tool; `false` disables one that a level above added.
    pub fn enable(&mut self, value: bool) -> &mut Self {
        match &mut self.0 {
            AnyTool::Valgrind(tool) => tool.enable = Some(value),
            AnyTool::Perf(perf) => perf.enable = Some(value),
        }
        self
    }

    /// Enables it in a configuration, unless it is disabled, and adds its options.
    pub(crate) fn add_to(self, config: &mut Config) {
        match self.0 {
            AnyTool::Valgrind(mut tool) => {
                tool.enable.get_or_insert(true);
                config.tool_mut(tool.tool).update(tool);
            }
            AnyTool::Perf(mut perf) => {
                perf.enable.get_or_insert(true);
                config.perf.get_or_insert_default().update(perf);
            }
        }
    }
}

/// The tool that runs first: a [`ValgrindTool`], or gungraun's `Tool::Perf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultTool(Option<ValgrindTool>);

impl DefaultTool {
    /// Makes it the default tool of a configuration. Perf leaves the one that is there.
    pub(crate) fn set_in(self, config: &mut Config) {
        match self.0 {
            Some(tool) => config.default_tool = Some(tool),
            None => Tool(AnyTool::Perf(PerfConfig::default())).add_to(config),
        }
    }
}

impl From<ValgrindTool> for DefaultTool {
    fn from(tool: ValgrindTool) -> Self {
        Self(Some(tool))
    }
}

/// The names of the tools, as another spelling of [`ValgrindTool`] that gungraun has:
/// `default_tool(Tool::DHAT)`.
#[allow(non_upper_case_globals, reason = "gungraun's spelling")]
impl Tool {
    /// [`ValgrindTool::Callgrind`]
    pub const Callgrind: ValgrindTool = ValgrindTool::Callgrind;
    /// [`ValgrindTool::Cachegrind`]
    pub const Cachegrind: ValgrindTool = ValgrindTool::Cachegrind;
    /// [`ValgrindTool::DHAT`]
    pub const DHAT: ValgrindTool = ValgrindTool::DHAT;
    /// [`ValgrindTool::Memcheck`]
    pub const Memcheck: ValgrindTool = ValgrindTool::Memcheck;
    /// [`ValgrindTool::Helgrind`]
    pub const Helgrind: ValgrindTool = ValgrindTool::Helgrind;
    /// [`ValgrindTool::DRD`]
    pub const DRD: ValgrindTool = ValgrindTool::DRD;
    /// [`ValgrindTool::Massif`]
    pub const Massif: ValgrindTool = ValgrindTool::Massif;
    /// [`ValgrindTool::BBV`]
    pub const BBV: ValgrindTool = ValgrindTool::BBV;
    /// gungraun's perf. The default tool stays, and `--time` measures the time, see [`Perf`](crate::Perf).
    pub const Perf: DefaultTool = DefaultTool(None);
}

from_references!(Tool: &mut Tool);

/// The methods that every tool has.
macro_rules! shared_methods {
    ($tool:ident) => {
        impl $tool {
            /// Adds an argument for the tool, see [`Self::args`].
            pub fn arg<T: Into<String>>(&mut self, arg: T) -> &mut Self {
                self.0.args.push(arg.into());
                self
            }

            /// Adds arguments for the tool. The two leading dashes are optional.
            ///
            /// They come after those of the levels above and before those of the command line.
            /// Arguments that only the runner can give, such as the path of the output file, are ignored with
            /// a warning.
            pub fn args<T: Into<ToolArgs>>(&mut self, args: T) -> &mut Self {
                self.0.args.extend(args.into().0);
                self
            }

            /// Enables the tool; `false` disables one that a level above added.
            pub fn enable(&mut self, value: bool) -> &mut Self {
                self.0.enable = Some(value);
                self
            }
        }
    };
}

/// The methods of a tool with these metrics.
macro_rules! methods_with_metrics {
    ($tool:ident, $metrics:ident, $set:ident) => {
        impl $tool {
            /// Adds soft limits: the largest increase of a metric in percent of the old value. A negative
            /// percentage limits the decrease.
            ///
            /// The limits of a level replace those of the levels above. Of two for the same metric the last
            /// one wins.
            ///
            /// ```
            /// use iai_callgrind::{Callgrind, CallgrindMetrics, EventKind};
            ///
            /// Callgrind::default()
            ///     .soft_limits([(CallgrindMetrics::CacheHits, 10.0)])
            ///     .soft_limits([(EventKind::Ir, 5.0)]);
            /// ```
            pub fn soft_limits<K, T>(&mut self, limits: T) -> &mut Self
            where
                K: Into<$metrics>,
                T: IntoIterator<Item = (K, f64)>,
            {
                for (metrics, percentage) in limits {
                    let limit = plan::Limit::Soft { change: percentage.into() };
                    let kinds = metrics.into().kinds(&$set).into_iter();
                    self.0.limits.extend(kinds.map(|kind| (kind, limit)));
                }
                self
            }

            /// Adds soft limits, as [`Self::soft_limits`] does.
            pub fn limits<K, T>(&mut self, limits: T) -> &mut Self
            where
                K: Into<$metrics>,
                T: IntoIterator<Item = (K, f64)>,
            {
                self.soft_limits(limits)
            }

            /// Adds hard limits: the largest value of a metric, whatever the old value is. They are checked
            /// next to soft ones.
            pub fn hard_limits<K, L, T>(&mut self, limits: T) -> &mut Self
            where
                K: Into<$metrics>,
                L: Into<Limit>,
                T: IntoIterator<Item = (K, L)>,
            {
                for (metrics, limit) in limits {
                    let limit = limit.into().into();
                    let kinds = metrics.into().kinds(&$set).into_iter();
                    self.0.limits.extend(kinds.map(|kind| (kind, limit)));
                }
                self
            }

            /// Ends the run at the first benchmark that breaks a limit. The default is `false`.
            pub fn fail_fast(&mut self, value: bool) -> &mut Self {
                self.0.fail_fast = Some(value);
                self
            }

            /// Sets the metrics to print, in this order. The default is the group `Default`. Metrics that
            /// were not counted are left out.
            ///
            /// ```
            /// use iai_callgrind::{Callgrind, CallgrindMetrics, EventKind};
            ///
            /// Callgrind::with_args(["--branch-sim=yes"])
            ///     .format([CallgrindMetrics::from(EventKind::Ir), CallgrindMetrics::BranchSim]);
            /// ```
            pub fn format<K, T>(&mut self, metrics: T) -> &mut Self
            where
                K: Into<$metrics>,
                T: IntoIterator<Item = K>,
            {
                let kinds = metrics.into_iter().flat_map(|metrics| metrics.into().kinds(&$set));
                self.0.metrics = Some(kinds.collect());
                self
            }
        }
    };
}

/// A type for each tool.
macro_rules! tools {
    ($($(#[$docs:meta])* $tool:ident = $kind:ident, $metrics:ident, $set:ident;)*) => {$(
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $tool(ToolConfig);

        impl $tool {
            /// Creates the tool with these arguments, see [`Self::args`].
            pub fn with_args<T: Into<ToolArgs>>(args: T) -> Self {
                let mut tool = Self::default();
                tool.args(args);
                tool
            }
        }

        shared_methods!($tool);
        methods_with_metrics!($tool, $metrics, $set);

        impl Default for $tool {
            fn default() -> Self {
                Self(ToolConfig::new(ValgrindTool::$kind))
            }
        }

        impl From<$tool> for Tool {
            fn from(tool: $tool) -> Self {
                Self(AnyTool::Valgrind(tool.0))
            }
        }

        impl From<&mut $tool> for Tool {
            fn from(tool: &mut $tool) -> Self {
                Self(AnyTool::Valgrind(tool.0.clone()))
            }
        }
    )*};
}

tools! {
    /// [Callgrind](https://valgrind.org/docs/manual/cl-manual.html) with its options: counts
    /// instructions and simulates caches, by function.
    ///
    /// ```
    /// use iai_callgrind::{Callgrind, EntryPoint, LibraryBenchmarkConfig};
    ///
    /// LibraryBenchmarkConfig::default().tool(
    ///     Callgrind::with_args(["--branch-sim=yes"])
    ///         .entry_point(EntryPoint::Custom("my_library::inner*".to_owned())),
    /// );
    /// ```
    Callgrind = Callgrind, CallgrindMetrics, CALLGRIND;

    /// [Cachegrind](https://valgrind.org/docs/manual/cg-manual.html) with its options: counts
    /// instructions and simulates caches, by source line.
    ///
    /// With Valgrind 3.22 and newer the inclusive cost of the benchmark function counts, and a few
    /// instructions of the harness. With older versions the whole process counts.
    ///
    /// ```
    /// use iai_callgrind::{Cachegrind, CachegrindMetric, LibraryBenchmarkConfig};
    ///
    /// LibraryBenchmarkConfig::default()
    ///     .tool(Cachegrind::default().soft_limits([(CachegrindMetric::Ir, 5.0)]));
    /// ```
    Cachegrind = Cachegrind, CachegrindMetrics, CACHEGRIND;

    /// [DHAT](https://valgrind.org/docs/manual/dh-manual.html) with its options: reports the memory
    /// that a benchmark allocates, and its use.
    ///
    /// ```
    /// use iai_callgrind::{Dhat, DhatMetric, LibraryBenchmarkConfig};
    ///
    /// LibraryBenchmarkConfig::default()
    ///     .tool(Dhat::default().hard_limits([(DhatMetric::TotalBlocks, 100)]));
    /// ```
    Dhat = DHAT, DhatMetrics, DHAT;

    /// [Memcheck](https://valgrind.org/docs/manual/mc-manual.html) with its options: finds wrong accesses
    /// to memory, uses of uninitialised memory, and leaks.
    ///
    /// An error fails the benchmark and the run, unless the argument `--error-exitcode=0` is given.
    /// Memory that is definitely lost is an error, unless `--leak-check=no` or
    /// `--errors-for-leak-kinds=none` is given.
    ///
    /// ```
    /// use iai_callgrind::{LibraryBenchmarkConfig, Memcheck};
    ///
    /// LibraryBenchmarkConfig::default()
    ///     .tool(Memcheck::with_args(["--suppressions=/path/to/known.supp"]));
    /// ```
    Memcheck = Memcheck, ErrorMetrics, MEMCHECK;

    /// [Helgrind](https://valgrind.org/docs/manual/hg-manual.html) with its options: finds data races,
    /// and locks that are taken in different orders.
    ///
    /// An error fails the benchmark and the run, unless the argument `--error-exitcode=0` is given.
    Helgrind = Helgrind, ErrorMetrics, ERRORS;

    /// [DRD](https://valgrind.org/docs/manual/drd-manual.html) with its options: finds data races, and
    /// with `--exclusive-threshold=<milliseconds>` locks that are held for long.
    ///
    /// An error fails the benchmark and the run, unless the argument `--error-exitcode=0` is given.
    Drd = DRD, ErrorMetrics, ERRORS;

    /// [Massif](https://valgrind.org/docs/manual/ms-manual.html) with its options: reports the largest
    /// size of the heap of the process.
    ///
    /// ```
    /// use iai_callgrind::{LibraryBenchmarkConfig, Massif};
    ///
    /// LibraryBenchmarkConfig::default().tool(Massif::with_args(["--stacks=yes"]));
    /// ```
    Massif = Massif, MassifMetrics, MASSIF;

    /// [BBV](https://valgrind.org/docs/manual/bbv-manual.html) with its options: makes basic block
    /// vectors for `SimPoint`. Valgrind calls it experimental.
    Bbv = BBV, BbvMetrics, BBV;
}

impl Callgrind {
    /// Sets the start and the end of counting. The default is the benchmark function.
    pub fn entry_point(&mut self, entry_point: EntryPoint) -> &mut Self {
        self.0.entry_point = Some(entry_point);
        self
    }

    /// Runs the setup uninstrumented, which is several times as fast. The default is `false`.
    ///
    /// Callgrind then starts the simulation at the call of the benchmark function, with empty caches and
    /// predictors, so that the first access to each line is a miss. Instructions and accesses stay the
    /// same.
    pub fn cold_caches(&mut self, value: bool) -> &mut Self {
        self.0.cold_caches = Some(value);
        self
    }

    /// Makes flamegraphs of the profiles. By default there are none.
    ///
    /// Options of the levels above stay unless this sets them too, so that
    /// `FlamegraphConfig::default().kind(FlamegraphKind::None)` switches them off.
    pub fn flamegraph<T: Into<FlamegraphConfig>>(&mut self, config: T) -> &mut Self {
        self.0.flamegraph.get_or_insert_default().update(config.into().into());
        self
    }
}

impl Dhat {
    /// Sets the functions whose allocations count. The default is the benchmark function with all functions
    /// that it calls, threads included.
    ///
    /// With [`EntryPoint::Custom`] these are the functions that match the pattern, and those that they call;
    /// with [`EntryPoint::None`] the whole process counts.
    pub fn entry_point(&mut self, entry_point: EntryPoint) -> &mut Self {
        self.0.entry_point = Some(entry_point);
        self
    }

    /// Adds patterns of functions. Their allocations and those of their callees count as well. In a pattern,
    /// `*` matches any characters and `?` one.
    ///
    /// With [`EntryPoint::None`] only these count.
    ///
    /// ```
    /// use iai_callgrind::Dhat;
    ///
    /// Dhat::default().frames(["my_library::cache::*"]);
    /// ```
    pub fn frames<I: Into<String>, T: IntoIterator<Item = I>>(&mut self, frames: T) -> &mut Self {
        self.0.frames.extend(frames.into_iter().map(Into::into));
        self
    }

    /// Sets the contents of DHAT's stored file. The default is [`SanitizeOutput::Yes`]: the file has only the
    /// blocks that count, so that DHAT's viewer shows the same totals as the terminal.
    ///
    /// ```
    /// use iai_callgrind::{Dhat, SanitizeOutput};
    ///
    /// Dhat::default().sanitize_output(SanitizeOutput::KeepOrig);
    /// ```
    pub fn sanitize_output(&mut self, sanitize_output: SanitizeOutput) -> &mut Self {
        self.0.sanitize_output = Some(sanitize_output);
        self
    }
}
