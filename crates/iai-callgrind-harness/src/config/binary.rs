//! The configuration of commands: the expected exit, the entry point and a parallel setup.

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Complexity, Config, ExitWith, Throughput, ValgrindTool, Variable};

use super::{
    Callgrind, Fixtures, FlamegraphConfig, OutputFormat, RegressionConfig, Sandbox, Tool,
    from_references, level_config, place_methods, set_limit, shared_methods,
};

/// Configures the binary benchmarks of a file (in `main!`), of a group (`binary_benchmark_group!`), of a
/// function (`#[binary_benchmark]`), or of a case (`#[bench]` and `#[benches]`).
///
/// A lower level overrides the levels above it, and the [`Command`](crate::Command) or
/// [`Run`](crate::Run) overrides all of them. Environment variables, arguments and fixtures are added
/// to those of the levels above.
///
/// ```
/// use iai_callgrind::{BinaryBenchmarkConfig, ExitWith, Sandbox};
///
/// BinaryBenchmarkConfig::default()
///     .sandbox(Sandbox::new(true).fixtures(["tests/fixtures/input.txt"]))
///     .exit_with(ExitWith::Code(3))
///     .env("LANG", "C");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BinaryBenchmarkConfig(Config);

/// The methods that configure commands.
macro_rules! command_methods {
    ($config:ident, $field:tt) => {
        impl $config {
            /// Sets the expected exit of the command. The default is [`ExitWith::Success`].
            ///
            /// Any other exit code fails the benchmark, and a signal always does.
            pub fn exit_with<T: Into<ExitWith>>(&mut self, exit_with: T) -> &mut Self {
                self.$field.exit_with = Some(exit_with.into());
                self
            }

            /// Counts only the inclusive cost of the function with this name: `"my_binary::main"`. By default
            /// the whole process counts.
            ///
            /// The name is that in the output of `callgrind_annotate`; `*` matches any characters and `?`
            /// one. It is an error if no function matches.
            pub fn entry_point<T: Into<String>>(&mut self, pattern: T) -> &mut Self {
                let callgrind = self.$field.tool_mut(ValgrindTool::Callgrind);
                callgrind.entry_point = Some(pattern.into().into());
                self
            }

            /// Continues the setup while the command runs. The default is `false`: the command starts after
            /// the setup has finished.
            ///
            /// A [`Delay`](crate::Delay) makes the command wait for an event of the setup. The setup is
            /// stopped half a second after the command has finished.
            pub fn setup_parallel(&mut self, value: bool) -> &mut Self {
                self.$field.setup_parallel = Some(value);
                self
            }
        }
    };
}
pub(crate) use command_methods;

level_config!(BinaryBenchmarkConfig);
place_methods!(BinaryBenchmarkConfig, 0);
command_methods!(BinaryBenchmarkConfig, 0);
