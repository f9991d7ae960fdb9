//! Valgrind's tools with their options.

use iai_callgrind_runner::metric::CallgrindMetrics;
use iai_callgrind_runner::plan::{self, EntryPoint, ValgrindTool};

use super::limits::{self, Limit};

/// A tool of Valgrind with its options.
///
/// Made of one of the types that are named after the tools, [`Callgrind`] for example, or by its name:
///
/// ```
/// use iai_callgrind::{LibraryBenchmarkConfig, Tool, ValgrindTool};
///
/// LibraryBenchmarkConfig::default()
///     .tool(Tool::new(ValgrindTool::Callgrind).args(["--branch-sim=yes"]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tool(pub(crate) plan::Tool);

impl Tool {
    /// This tool with its default options.
    #[must_use]
    pub fn new(tool: ValgrindTool) -> Self {
        Self(plan::Tool::new(tool))
    }
}

impl From<&mut Tool> for Tool {
    fn from(tool: &mut Tool) -> Self {
        tool.clone()
    }
}

/// The methods that every tool has.
macro_rules! shared_methods {
    ($tool:ident) => {
        impl $tool {
            /// Adds arguments for the tool. The two dashes at their begin may be left out.
            ///
            /// They come in addition to those of the levels above and before those of the command line.
            /// Those that the runner needs itself, such as the one that says where output goes, are
            /// ignored with a warning.
            pub fn args<I, T>(&mut self, args: T) -> &mut Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                self.0.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
                self
            }

            /// Whether the tool runs; `false` switches off one that a level above added.
            pub fn enable(&mut self, value: bool) -> &mut Self {
                self.0.enable = Some(value);
                self
            }
        }
    };
}

/// A type for each tool.
macro_rules! tools {
    ($($(#[$docs:meta])* $tool:ident = $kind:ident;)*) => {$(
        $(#[$docs])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $tool(plan::Tool);

        impl $tool {
            /// The tool with these arguments, see [`Self::args`].
            pub fn with_args<I, T>(args: T) -> Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                let mut tool = Self::default();
                tool.args(args);
                tool
            }
        }

        shared_methods!($tool);

        impl Default for $tool {
            fn default() -> Self {
                Self(plan::Tool::new(ValgrindTool::$kind))
            }
        }

        impl From<$tool> for Tool {
            fn from(tool: $tool) -> Self {
                Self(tool.0)
            }
        }

        impl From<&mut $tool> for Tool {
            fn from(tool: &mut $tool) -> Self {
                Self(tool.0.clone())
            }
        }
    )*};
}

shared_methods!(Tool);

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
    Callgrind = Callgrind;
}

impl Callgrind {
    /// Adds soft limits: by how many percent of the old value a metric may exceed it. A negative percentage
    /// is a limit for improvements: the new value must not fall below.
    ///
    /// The limits of a level replace those of the levels above. Of two for the same metric the last one
    /// wins.
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
        K: Into<CallgrindMetrics>,
        T: IntoIterator<Item = (K, f64)>,
    {
        let limits = limits.into_iter().map(|(metric, limit)| (metric.into(), limit));
        limits::add(&mut self.0.limits, limits, "%");
        self
    }

    /// Adds soft limits, as [`Self::soft_limits`] does.
    pub fn limits<K, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<CallgrindMetrics>,
        T: IntoIterator<Item = (K, f64)>,
    {
        self.soft_limits(limits)
    }

    /// Adds hard limits: the largest value that a metric may have, whatever it was before. They come in
    /// addition to soft ones.
    pub fn hard_limits<K, L, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<CallgrindMetrics>,
        L: Into<Limit>,
        T: IntoIterator<Item = (K, L)>,
    {
        let limits = limits.into_iter().map(|(metric, limit)| (metric.into(), limit.into()));
        limits::add(&mut self.0.limits, limits, "");
        self
    }

    /// Whether the first benchmark that breaks a limit ends the run. The default is `false`.
    pub fn fail_fast(&mut self, value: bool) -> &mut Self {
        self.0.fail_fast = Some(value);
        self
    }

    /// Which metrics are printed, in this order. The default is [`CallgrindMetrics::Default`]. What was not
    /// counted is left out.
    ///
    /// ```
    /// use iai_callgrind::{Callgrind, CallgrindMetrics, EventKind};
    ///
    /// Callgrind::with_args(["--branch-sim=yes"])
    ///     .format([CallgrindMetrics::from(EventKind::Ir), CallgrindMetrics::BranchSim]);
    /// ```
    pub fn format<K, T>(&mut self, metrics: T) -> &mut Self
    where
        K: Into<CallgrindMetrics>,
        T: IntoIterator<Item = K>,
    {
        let metrics = metrics.into_iter().map(|metric| metric.into().to_string());
        self.0.metrics = Some(metrics.collect::<Vec<_>>().join(","));
        self
    }

    /// What starts and ends counting. The default is the benchmark function.
    pub fn entry_point(&mut self, entry_point: EntryPoint) -> &mut Self {
        self.0.entry_point = Some(entry_point);
        self
    }

    /// Whether the set-up runs uninstrumented, which is several times as fast. The default is `false`.
    ///
    /// Callgrind then starts to simulate where the benchmark function is called, with empty caches and
    /// predictors, so that the first access to each line is a miss. Instructions and accesses don't
    /// depend on it.
    pub fn cold_caches(&mut self, value: bool) -> &mut Self {
        self.0.cold_caches = Some(value);
        self
    }
}
