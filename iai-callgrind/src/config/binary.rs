//! What only commands have: the sandbox, and how they are expected to end.

use iai_callgrind_plan::{Config, ExitWith, Fixture, ValgrindTool, Variable, encode};

use super::{
    Callgrind, FlamegraphConfig, OutputFormat, RegressionConfig, Tool, from_references,
    level_config, shared_methods,
};

/// Configures binary benchmarks: all of a file in `main!`, those of a group in
/// `binary_benchmark_group!`, those of a function in `#[binary_benchmark]`, or single ones in `#[bench]`
/// and `#[benches]`.
///
/// What a lower level sets wins over what the levels above it set, and the [`Command`](crate::Command) or
/// [`Run`](crate::Run) over all of them. Environment variables, arguments and fixtures don't replace those
/// of the levels above, but come in addition to them.
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
            /// The [`Sandbox`] that the command, its set-up and its tear-down run in, or just whether
            /// there is one. The default is `true`.
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

            /// The directory that the command runs in. A relative path starts in the sandbox or, if there
            /// is none, in the package. The default is that start itself.
            ///
            /// Set-up and tear-down always run in the sandbox, or else in the package.
            pub fn current_dir<T>(&mut self, directory: T) -> &mut Self
            where
                T: AsRef<std::ffi::OsStr>,
            {
                self.$field.current_dir = Some(encode(directory.as_ref()));
                self
            }

            /// How the command is expected to end. The default is [`ExitWith::Success`].
            ///
            /// Another exit code fails the benchmark, and so does a signal in any case.
            pub fn exit_with<T>(&mut self, exit_with: T) -> &mut Self
            where
                T: Into<ExitWith>,
            {
                self.$field.exit_with = Some(exit_with.into());
                self
            }

            /// Counts only what the function with this name executes, with all that it calls:
            /// `"my_binary::main"`. By default all counts, from the begin of the process to its end.
            ///
            /// The name has to be as `callgrind_annotate` shows it; `*` stands for any characters and `?`
            /// for one. It is an error if no function matches.
            pub fn entry_point<T>(&mut self, pattern: T) -> &mut Self
            where
                T: Into<String>,
            {
                let callgrind = self.$field.tool_mut(ValgrindTool::Callgrind);
                callgrind.entry_point = Some(pattern.into().into());
                self
            }

            /// Whether the set-up goes on while the command runs. The default is `false`: the command
            /// starts when the set-up has ended.
            ///
            /// A [`Delay`](crate::Delay) makes the command wait until what it needs of the set-up is
            /// there. Half a second after the command has ended, the set-up is ended too.
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

/// The temporary directory that a command runs in, with its set-up before and its tear-down after it.
///
/// Each run has a new one, whose path is of the same length everywhere, and which is removed afterwards.
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
    /// A sandbox, or none.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self { is_enabled: enabled, fixtures: Vec::new(), follow_symlinks: false }
    }

    /// Copies these files and directories into the sandbox, each under its last name.
    ///
    /// Relative paths start in the package's directory or, if there is nothing, in the workspace's. A
    /// symbolic link that is named here is followed, for others see [`Self::follow_symlinks`].
    pub fn fixtures<I, T>(&mut self, paths: T) -> &mut Self
    where
        I: AsRef<std::ffi::OsStr>,
        T: IntoIterator<Item = I>,
    {
        self.fixtures.extend(paths.into_iter().map(|path| encode(path.as_ref())));
        self
    }

    /// Whether what symbolic links in the fixtures lead to is copied in their places. The default is
    /// `false`: they are copied as links. Where one leads out of its fixture, a note says so.
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

/// A directory or a file that is copied into the sandbox, see [`Sandbox::fixtures`].
///
/// ```
/// use iai_callgrind::{BinaryBenchmarkConfig, Fixtures};
///
/// BinaryBenchmarkConfig::default().fixtures(Fixtures::new("fixtures").follow_symlinks(true));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fixtures(pub(crate) Fixture);

impl Fixtures {
    /// What has this path.
    #[must_use]
    pub fn new<T>(path: T) -> Self
    where
        T: AsRef<std::ffi::OsStr>,
    {
        Self(Fixture { path: encode(path.as_ref()), follow_symlinks: false })
    }

    /// Whether what symbolic links in it lead to is copied in their places, see
    /// [`Sandbox::follow_symlinks`].
    pub fn follow_symlinks(&mut self, value: bool) -> &mut Self {
        self.0.follow_symlinks = value;
        self
    }
}

from_references!(Fixtures: &mut Fixtures);
