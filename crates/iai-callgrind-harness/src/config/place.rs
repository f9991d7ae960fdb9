//! The directory that a benchmark runs in.

use iai_callgrind_plan::{Fixture, encode};

use super::from_references;

/// The methods that configure the directory of a benchmark.
macro_rules! place_methods {
    ($config:ident, $field:tt) => {
        impl $config {
            /// Sets the [`Sandbox`] of the benchmark, its setup and its teardown, or enables or disables it.
            /// The default is `true` for commands and `false` for functions.
            pub fn sandbox<T: Into<Sandbox>>(&mut self, sandbox: T) -> &mut Self {
                let sandbox = sandbox.into();
                self.$field.sandbox = Some(sandbox.is_enabled);
                self.$field.fixtures.extend(sandbox.into_fixtures());
                self
            }

            /// Copies files or directories into the sandbox, see [`Fixtures`].
            pub fn fixtures<T: Into<Fixtures>>(&mut self, fixtures: T) -> &mut Self {
                self.$field.fixtures.push(fixtures.into().0);
                self
            }

            /// Sets the working directory of the benchmark. A relative path starts in the sandbox or, without
            /// one, in the package. The default is that start itself.
            ///
            /// Setup and teardown of a function run in the same directory. Those of a command always run in
            /// the sandbox, or else in the package.
            pub fn current_dir<T: AsRef<std::ffi::OsStr>>(&mut self, directory: T) -> &mut Self {
                self.$field.current_dir = Some(iai_callgrind_plan::encode(directory.as_ref()));
                self
            }
        }
    };
}
pub(crate) use place_methods;

/// The temporary directory of a benchmark, its setup and its teardown.
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
    pub fn new<T: AsRef<std::ffi::OsStr>>(path: T) -> Self {
        Self(Fixture { path: encode(path.as_ref()), follow_symlinks: false })
    }

    /// Copies the targets of symbolic links, see [`Sandbox::follow_symlinks`].
    pub fn follow_symlinks(&mut self, value: bool) -> &mut Self {
        self.0.follow_symlinks = value;
        self
    }
}

from_references!(Fixtures: &mut Fixtures);
