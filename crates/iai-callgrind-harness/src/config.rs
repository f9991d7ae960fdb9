//! The builders for `config = ...`, over the plan's types.
//!
//! As with [`std::process::Command`], the methods change the value in place and return it, so that
//! calls can be chained as well as made one by one.

mod arguments;
mod binary;
mod counter_limits;
mod flamegraph;
mod limits;
mod output_format;
mod perf;
mod place;
mod references;
mod regression;
mod tool;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Complexity, Config, Throughput, Variable};

pub use self::arguments::ToolArgs;
pub use self::binary::BinaryBenchmarkConfig;
pub(crate) use self::binary::command_methods;
pub use self::flamegraph::FlamegraphConfig;
pub use self::limits::Limit;
pub(crate) use self::limits::set_limit;
pub use self::output_format::OutputFormat;
pub use self::perf::{Perf, PerfMetric, PerfRunMode, PerfToken, Unit};
pub(crate) use self::place::place_methods;
pub use self::place::{Fixtures, Sandbox};
pub(crate) use self::references::from_references;
pub use self::regression::RegressionConfig;
pub use self::tool::{
    Bbv, Cachegrind, Callgrind, DefaultTool, Dhat, Drd, Helgrind, Massif, Memcheck, Tool,
};

/// Configures the library benchmarks of a file (in `main!`), of a group (`library_benchmark_group!`), of a
/// function (`#[library_benchmark]`), or of a case (`#[bench]` and `#[benches]`).
///
/// A lower level overrides the levels above it. Environment variables, arguments and fixtures are added to
/// those of the levels above.
///
/// ```
/// # use iai_callgrind::{library_benchmark, library_benchmark_group, main};
/// use iai_callgrind::{Callgrind, LibraryBenchmarkConfig};
///
/// #[library_benchmark(config = LibraryBenchmarkConfig::default().env("LEVEL", "function"))]
/// #[bench::ten(10)]
/// fn square(number: u64) -> u64 {
///     number * number
/// }
///
/// library_benchmark_group!(name = numbers; benchmarks = square);
///
/// main!(
///     config = LibraryBenchmarkConfig::default()
///         .tool(Callgrind::with_args(["--branch-sim=yes"]));
///     library_benchmark_groups = numbers
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibraryBenchmarkConfig(Config);

/// The methods that configure any kind of benchmark.
macro_rules! shared_methods {
    ($config:ident, $field:tt) => {
        impl $config {
            /// Adds arguments for callgrind.
            ///
            /// The same as `.tool(Callgrind::with_args(args))`; see [`Callgrind::args`].
            pub fn raw_callgrind_args<I, T>(&mut self, args: T) -> &mut Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                self.tool(Callgrind::with_args(args.into_iter().collect::<Vec<_>>()))
            }

            /// Sets limits for callgrind, see [`RegressionConfig`]. The same as
            /// `.tool(Callgrind::default().soft_limits(..))`.
            pub fn regression<T: Into<RegressionConfig>>(&mut self, config: T) -> &mut Self {
                self.tool(config.into())
            }

            /// Makes flamegraphs.
            ///
            /// The same as `.tool(Callgrind::default().flamegraph(config))`; see
            /// [`Callgrind::flamegraph`].
            pub fn flamegraph<T: Into<FlamegraphConfig>>(&mut self, config: T) -> &mut Self {
                self.tool(Callgrind::default().flamegraph(config))
            }

            /// Adds arguments for callgrind, as [`Self::raw_callgrind_args`] does.
            pub fn raw_callgrind_args_iter<I, T>(&mut self, args: T) -> &mut Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                self.raw_callgrind_args(args)
            }

            /// Sets an environment variable of the benchmarks.
            ///
            /// The variable is in addition to those of the levels above. Of two with the same name the one
            /// of the lowest level wins, and there the last one.
            pub fn env<K, V>(&mut self, name: K, value: V) -> &mut Self
            where
                K: Into<String>,
                V: Into<String>,
            {
                self.$field.envs.push(Variable { name: name.into(), value: Some(value.into()) });
                self
            }

            /// Sets several environment variables, see [`Self::env`].
            ///
            /// Each is a pair of a name and a value, or a text: `NAME=VALUE`, or `NAME` for one that is
            /// passed through as by [`Self::pass_through_env`].
            pub fn envs<V, T>(&mut self, variables: T) -> &mut Self
            where
                V: Into<Variable>,
                T: IntoIterator<Item = V>,
            {
                self.$field.envs.extend(variables.into_iter().map(Into::into));
                self
            }

            /// Passes an environment variable of `cargo bench` through to the benchmarks, if it is set.
            pub fn pass_through_env<K: Into<String>>(&mut self, name: K) -> &mut Self {
                self.$field.envs.push(Variable { name: name.into(), value: None });
                self
            }

            /// Passes several environment variables through, see [`Self::pass_through_env`].
            pub fn pass_through_envs<K, T>(&mut self, names: T) -> &mut Self
            where
                K: Into<String>,
                T: IntoIterator<Item = K>,
            {
                for name in names {
                    self.pass_through_env(name);
                }
                self
            }

            /// Names the processes that benchmarks start, see [`OutputFormat::separate_processes`]: those whose whole command line matches
            /// the pattern, such as `*/server *`. Without a name, a process has that of its executable.
            pub fn process_name<N, P>(&mut self, name: N, pattern: P) -> &mut Self
            where
                N: Into<String>,
                P: Into<String>,
            {
                let (name, pattern) = (name.into(), pattern.into());
                self.$field.process_names.push(iai_callgrind_plan::ProcessName { name, pattern });
                self
            }

            /// Compares the counts of the file with those in `benches/FILE.TARGET.counts`, as the option `--snapshot` does. It
            /// has an effect in `main!` only.
            pub fn snapshot(&mut self, value: bool) -> &mut Self {
                self.$field.snapshot = Some(value);
                self
            }

            /// Clears the environment of the benchmarks except for the variables of [`Self::env`] and
            /// [`Self::pass_through_env`]. The default is `true`, because counts must not depend on the
            /// environment.
            pub fn env_clear(&mut self, value: bool) -> &mut Self {
                self.$field.env_clear = Some(value);
                self
            }

            /// Adds arguments for Valgrind under every tool: `["--num-callers=30"]`.
            ///
            /// They come after those of the levels above and before those of the command line.
            /// Arguments that only the runner can give are ignored with a warning.
            pub fn valgrind_args<I, T>(&mut self, args: T) -> &mut Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                self.$field
                    .valgrind_args
                    .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
                self
            }

            /// Sets the tool that always runs, before all others. The default is callgrind, or cachegrind with
            /// the cargo feature of that name.
            ///
            /// It is a [`ValgrindTool`](crate::ValgrindTool). With `Tool::Perf` of gungraun, the default stays and
            /// `--time` measures the time, see [`Perf`](crate::Perf).
            pub fn default_tool<T: Into<$crate::DefaultTool>>(&mut self, tool: T) -> &mut Self {
                tool.into().set_in(&mut self.$field);
                self
            }

            /// Runs the benchmarks under this tool too, or sets options of a tool that already runs.
            ///
            /// Options of the tool from a level above stay unless this sets them too.
            pub fn tool<T: Into<Tool>>(&mut self, tool: T) -> &mut Self {
                tool.into().add_to(&mut self.$field);
                self
            }

            /// Adds several tools, see [`Self::tool`].
            pub fn tools<I, T>(&mut self, tools: T) -> &mut Self
            where
                I: Into<Tool>,
                T: IntoIterator<Item = I>,
            {
                for tool in tools {
                    self.tool(tool);
                }
                self
            }

            /// Runs the benchmarks under this tool and discards the tools and options of the levels above.
            pub fn tool_override<T: Into<Tool>>(&mut self, tool: T) -> &mut Self {
                self.tools_override([tool])
            }

            /// Runs the benchmarks under these tools and discards the tools and options of the levels above.
            pub fn tools_override<I, T>(&mut self, tools: T) -> &mut Self
            where
                I: Into<Tool>,
                T: IntoIterator<Item = I>,
            {
                self.$field.forget_tools = true;
                self.$field.tools.clear();
                self.$field.perf = None;
                self.tools(tools)
            }

            /// Sets the amount of data that a benchmark processes.
            ///
            /// The instructions for each byte, element or bit become metrics of their own, with limits like all others.
            /// The lowest level that sets a throughput wins. The parameter `throughput` of `#[library_benchmark]`,
            /// `#[bench]` and `#[benches]` can compute it from the arguments.
            ///
            /// ```
            /// use iai_callgrind::{LibraryBenchmarkConfig, Throughput};
            ///
            /// LibraryBenchmarkConfig::default().throughput(Throughput::Bytes(1024));
            /// ```
            pub fn throughput(&mut self, throughput: Throughput) -> &mut Self {
                self.$field.throughput = Some(throughput);
                self
            }

            /// Limits the increase of the time, in percent of the old one, as the option `--time-limit` does: a run with
            /// `--time --against` fails if the whole interval of the change is beyond it.
            ///
            /// ```
            /// use iai_callgrind::LibraryBenchmarkConfig;
            ///
            /// LibraryBenchmarkConfig::default().time_limit(2.0);
            /// ```
            pub fn time_limit(&mut self, percentage: f64) -> &mut Self {
                self.$field.time_limit = Some(percentage.into());
                self
            }

            /// Limits the growth of a metric with the size of the input to this class.
            ///
            /// A run fails if the class that fits the cases of a benchmark function is a worse one. The limits of a level
            /// replace those of the levels above. The parameter `complexity` of `#[library_benchmark]`,
            /// `#[binary_benchmark]` and `#[benches]` is such a limit of the instructions.
            ///
            /// ```
            /// use iai_callgrind::{Complexity, DhatMetric, EventKind, LibraryBenchmarkConfig};
            ///
            /// LibraryBenchmarkConfig::default()
            ///     .complexity(EventKind::Ir, Complexity::NLogN)
            ///     .complexity(DhatMetric::TotalBytes, Complexity::N);
            /// ```
            pub fn complexity<M>(&mut self, metric: M, class: Complexity) -> &mut Self
            where
                M: Into<MetricKind>,
            {
                set_limit(&mut self.$field.complexity, metric.into(), class);
                self
            }

            /// Limits the increase of a metric per element since the run that the benchmark is compared with, in percent.
            ///
            /// The cost per element is the factor of the class that fits the cases of a benchmark function, without the
            /// constant part. The limits of a level replace those of the levels above. The parameter `per_element` of
            /// `#[library_benchmark]`, `#[binary_benchmark]` and `#[benches]` is such a limit of the instructions.
            ///
            /// ```
            /// use iai_callgrind::{EventKind, LibraryBenchmarkConfig};
            ///
            /// LibraryBenchmarkConfig::default().per_element(EventKind::Ir, 2.0);
            /// ```
            pub fn per_element<M>(&mut self, metric: M, percentage: f64) -> &mut Self
            where
                M: Into<MetricKind>,
            {
                set_limit(&mut self.$field.per_element, metric.into(), percentage.into());
                self
            }

            /// Sets options of the terminal output.
            pub fn output_format<T: Into<OutputFormat>>(&mut self, format: T) -> &mut Self {
                self.$field.output_format = format.into().0;
                self
            }

            /// Sets the number of characters of the arguments in a title, see
            /// [`OutputFormat::truncate_description`].
            pub fn truncate_description(&mut self, value: Option<usize>) -> &mut Self {
                self.$field.output_format.truncate_description = Some(value.unwrap_or(usize::MAX));
                self
            }
        }
    };
}
pub(crate) use shared_methods;

/// The methods of the configuration of a level.
macro_rules! level_config {
    ($config:ident) => {
        shared_methods!($config, 0);
        from_references!($config: &mut $config);

        impl $config {
            /// Creates a configuration with these arguments for callgrind, see
            /// [`Self::raw_callgrind_args`].
            pub fn with_raw_callgrind_args<I, T>(args: T) -> Self
            where
                I: AsRef<str>,
                T: IntoIterator<Item = I>,
            {
                let mut config = Self::default();
                config.raw_callgrind_args(args);
                config
            }
        }

        impl From<$config> for Config {
            fn from(config: $config) -> Self {
                config.0
            }
        }
    };
}
use level_config;

level_config!(LibraryBenchmarkConfig);
place_methods!(LibraryBenchmarkConfig, 0);
