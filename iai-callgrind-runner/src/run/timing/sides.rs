//! The sides of a comparison, with their programs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_commands::HookCommands;
use iai_callgrind_plan::Plan;
use iai_callgrind_results::Benchmark;
use iai_callgrind_revisions::{self as revisions, BuiltSide, OtherSide, SidePrograms};
use iai_callgrind_tools::executable::Executable;
use iai_callgrind_tools::valgrind::{Environment, native_command};

use super::stages::TimedSide;
use crate::error::Result;
use crate::plan;
use crate::resolve::selected;
use crate::run::hooks::Hooks;

/// Executables whose times are compared.
pub(super) struct LoadedPair {
    /// `None` for the executable of this side.
    new: Option<LoadedSide>,
    old: LoadedSide,
}

impl LoadedPair {
    /// Loads the executables of another revision; none if it lacks the benchmark file.
    pub(super) fn load(
        other: OtherSide<'_>,
        layouts: Option<u32>,
        settings: &Settings,
    ) -> Result<Vec<Self>> {
        let load = |built| LoadedSide::new(built, settings);
        let pairs = other.executables(layouts)?.into_iter();
        let pairs =
            pairs.map(|(new, old)| Ok(Self { new: new.map(load).transpose()?, old: load(old)? }));
        pairs.collect()
    }

    /// Returns both sides, including this side of the run.
    pub(super) fn sides<'a>(&'a self, own: TimedSide<'a>) -> Vec<TimedSide<'a>> {
        vec![self.new.as_ref().map_or(own, LoadedSide::side), self.old.side()]
    }

    /// Returns the names of the old benchmarks.
    pub(super) fn names(&self) -> HashSet<String> {
        self.old.names()
    }
}

/// A side with its programs and its benchmarks.
pub(super) struct LoadedSide {
    programs: Arc<dyn SidePrograms>,
    benchmarks: Vec<Benchmark>,
    hooks: Hooks,
}

impl LoadedSide {
    fn new(built: BuiltSide, settings: &Settings) -> Result<Self> {
        let mut plan = plan::read(&built.plan)?;
        plan.package_dir = built.package.to_string_lossy().into_owned();
        let hooks = Hooks::of_plan(&plan, HookCommands::new(), settings);
        let benchmarks = selected(plan, settings)?;
        let built = Arc::new(built);
        let entered = Arc::clone(&built);
        let hooks = hooks.entering(move |command| Ok(entered.enter(command)?));
        Ok(Self { programs: built, benchmarks, hooks })
    }

    /// Loads an executable that a baseline keeps, with its plan.
    pub(super) fn kept(plan: Plan, executable: &Path, settings: &Settings) -> Result<Self> {
        let hooks = Hooks::of_plan(&plan, HookCommands::new(), settings);
        let benchmarks = selected(plan, settings)?;
        let executable = Executable::open(executable.to_string_lossy().into_owned())?;
        Ok(Self { programs: Arc::new(OwnPrograms(Some(executable))), benchmarks, hooks })
    }

    /// Returns the names of its benchmarks.
    pub(super) fn names(&self) -> HashSet<String> {
        self.benchmarks.iter().map(Benchmark::name).collect()
    }

    pub(super) fn side(&self) -> TimedSide<'_> {
        let Self { programs, benchmarks, hooks } = self;
        TimedSide { benchmarks, hooks, programs: &**programs }
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

    fn command(&self, copy: &Path, environment: &Environment) -> revisions::Result<Command> {
        let needs_library_path = self.0.as_ref().is_some_and(|it| it.needs_library_path);
        Ok(native_command(copy, needs_library_path, environment))
    }

    fn own_path(&self, program: &Path) -> PathBuf {
        program.to_owned()
    }
}
