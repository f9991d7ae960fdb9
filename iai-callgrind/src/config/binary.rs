//! The configuration of commands: the sandbox and the expected exit.

use iai_callgrind_plan::{Config, ExitWith, Fixture, ValgrindTool, Variable, encode};

use super::{
    Callgrind, FlamegraphConfig, OutputFormat, RegressionConfig, Tool, from_references,
    level_config, shared_methods,
};

/// Configures binary benchmarks: all of a file in `main!`, those of a group in
/// `binary_benchmark_group!`, those of a function in `#[binary_benchmark]`, or single ones in `#[bench]`
/// and `#[benches]`.
///
/// A lower level overrides the levels above it, and the [`Command`](crate::Command) or
/// [`Run`](crate::Run) overrides all of them. Environment variables, arguments and fixtures are in addition
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
            /// Sets the [`Sandbox`] of the command, its setup and its teardown, or enables or disables it. The
            /// default is `true`.
            pub fn sandbox<T>(&mut self, sandbox: T) -> &mut Self
            where
                T: Into<Sandbox>,
            {
                let sandbox = sandbox.into();
                self.$field.sandbox = Some(sandbox.is_enabled);
                self.$field.fixtures.extend(sandbox.into_fixtures());
                self
            }

            /// Copies files or directories into the sandbox, see [`Fixtures`].
            pub fn fixtures<T>(&mut self, fixtures: T) -> &mut Self
            where
                T: Into<Fixtures>,
            {
                self.$field.fixtures.push(fixtures.into().0);
                self
            }

            /// Sets the working directory of the command. A relative path starts in the sandbox or, without
            /// one, in the package. The default is that start itself.
            ///
            /// Setup and teardown always run in the sandbox, or else in the package.
            pub fn current_dir<T>(&mut self, directory: T) -> &mut Self
            where
                T: AsRef<std::ffi::OsStr>,
            {
                self.$field.current_dir = Some(encode(directory.as_ref()));
                self
            }

            /// Sets the expected exit of the command. The default is [`ExitWith::Success`].
            ///
            /// Any other exit code fails the benchmark, and a signal always does.
            pub fn exit_with<T>(&mut self, exit_with: T) -> &mut Self
            where
                T: Into<ExitWith>,
            {
                self.$field.exit_with = Some(exit_with.into());
                self
            }

            /// Counts only the inclusive cost of the function with this name: `"my_binary::main"`. By default
            /// the whole process counts.
            ///
            /// The name is that in the output of `callgrind_annotate`; `*` matches any characters and `?`
            /// one. It is an error if no function matches.
            pub fn entry_point<T>(&mut self, pattern: T) -> &mut Self
            where
                T: Into<String>,
            {
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
command_methods!(BinaryBenchmarkConfig, 0);

/// The temporary directory of a command, its setup and its teardown.
///
/// Each run has a new one, with a path of constant length, and removes it afterwards.
///
/// ```
/// use iai_callgrind::{BinaryBenchmarkConfig, Sandbox};
///
/// BinaryBenchmarkConfig::default()
///     .sandbox(Sandbox::new(true).fixtures(["tests/fixtures/input.txt"]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sandbox {
    pub(crate) is_enabled: bool,
    fixtures: Vec<String>,
    follow_symlinks: bool,
}

impl Sandbox {
    /// Creates a configuration with or without a sandbox.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self { is_enabled: enabled, fixtures: Vec::new(), follow_symlinks: false }
    }

    /// Copies these files and directories into the sandbox, each under its last name.
    ///
    /// Relative paths start in the package's directory or, if the file does not exist, in the workspace's.
    /// Symbolic links in this list are followed; for others see [`Self::follow_symlinks`].
    pub fn fixtures<I, T>(&mut self, paths: T) -> &mut Self
    where
        I: AsRef<std::ffi::OsStr>,
        T: IntoIterator<Item = I>,
    {
        self.fixtures.extend(paths.into_iter().map(|path| encode(path.as_ref())));
        self
    }

    /// Copies the targets of symbolic links in the fixtures. The default is `false`: links are copied as
    /// links. A note reports a link to a file outside of its fixture.
    pub fn follow_symlinks(&mut self, value: bool) -> &mut Self {
        self.follow_symlinks = value;
        self
    }

    pub(crate) fn into_fixtures(self) -> impl Iterator<Item = Fixture> {
        let follow_symlinks = self.follow_symlinks;
        self.fixtures.into_iter().map(move |path| Fixture { path, follow_symlinks })
    }
}

from_references!(Sandbox: &mut Sandbox);

impl From<bool> for Sandbox {
    fn from(enabled: bool) -> Self {
        Self::new(enabled)
    }
}

/// A directory or a file to copy into the sandbox, see [`Sandbox::fixtures`].
///
/// ```
/// use iai_callgrind::{BinaryBenchmarkConfig, Fixtures};
///
/// BinaryBenchmarkConfig::default().fixtures(Fixtures::new("fixtures").follow_symlinks(true));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fixtures(pub(crate) Fixture);

impl Fixtures {
    /// Creates the fixture with this path.
    #[must_use]
    pub fn new<T>(path: T) -> Self
    where
        T: AsRef<std::ffi::OsStr>,
    {
        Self(Fixture { path: encode(path.as_ref()), follow_symlinks: false })
    }

    /// Copies the targets of symbolic links, see [`Sandbox::follow_symlinks`].
    pub fn follow_symlinks(&mut self, value: bool) -> &mut Self {
        self.0.follow_symlinks = value;
        self
    }
}

from_references!(Fixtures: &mut Fixtures);
