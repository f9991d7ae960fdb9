//! The sides of a comparison, with their programs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::stages::{SidePrograms, TimedSide};
use crate::against::BuiltSide;
use crate::benchmark::{Benchmark, selected};
use crate::error::Result;
use crate::executable::Executable;
use crate::run::hooks::{HookCommands, Hooks};
use crate::settings::Settings;
use crate::valgrind::{Environment, native_command};

/// The executables that are compared.
pub(crate) enum TimedSides {
    /// One of this side, and one of another revision.
    Revision(Box<BuiltSide>),
    /// Several of both sides, each with another layout.
    Layouts(Vec<[BuiltSide; 2]>),
}

impl TimedSides {
    /// Returns the names of the old benchmarks.
    pub(super) fn names(&self, settings: &Settings) -> Result<HashSet<String>> {
        let old = match self {
            Self::Revision(other) => Some(&**other),
            Self::Layouts(layouts) => layouts.first().map(|[_, old]| old),
        };
        let plan = old.map(|old| old.plan.clone());
        let benchmarks = plan.map(|plan| selected(plan, settings)).transpose()?;
        Ok(benchmarks.iter().flatten().map(Benchmark::name).collect())
    }
}

/// A side that was built, with its benchmarks.
pub(super) struct LoadedSide {
    built: Arc<BuiltSide>,
    benchmarks: Vec<Benchmark>,
    hooks: Hooks,
}

impl LoadedSide {
    pub(super) fn new(built: BuiltSide, settings: &Settings) -> Result<Self> {
        let hooks = Hooks::of_plan(&built.plan, HookCommands::new(), settings);
        let benchmarks = selected(built.plan.clone(), settings)?;
        let built = Arc::new(built);
        let entered = Arc::clone(&built);
        let hooks = hooks.entering(move |command| entered.enter(command));
        Ok(Self { built, benchmarks, hooks })
    }

    pub(super) fn side(&self) -> TimedSide<'_> {
        let Self { built, benchmarks, hooks } = self;
        TimedSide { benchmarks, hooks, programs: &**built, extra: 0 }
    }
}

/// The programs of this side.
pub(super) struct OwnPrograms(Option<Executable>);

impl OwnPrograms {
    pub(super) fn of(hooks: &Hooks) -> Result<Self> {
        let executable = hooks.executable().ok().map(|path| Executable::open(path.to_owned()));
        Ok(Self(executable.transpose()?))
    }
}

impl SidePrograms for OwnPrograms {
    fn executable(&self) -> Option<PathBuf> {
        self.0.as_ref().map(|executable| PathBuf::from(&executable.path))
    }

    fn command(&self, copy: &Path, environment: &Environment) -> Result<Command> {
        let needs_library_path = self.0.as_ref().is_some_and(|it| it.needs_library_path);
        Ok(native_command(copy, needs_library_path, environment))
    }

    fn own_path(&self, program: PathBuf) -> PathBuf {
        program
    }
}

impl SidePrograms for BuiltSide {
    fn executable(&self) -> Option<PathBuf> {
        Some(self.executable())
    }

    fn command(&self, copy: &Path, environment: &Environment) -> Result<Command> {
        self.command(copy, environment)
    }

    fn own_path(&self, program: PathBuf) -> PathBuf {
        self.own_path(&program)
    }
}
