//! The benchmark executable of another revision, as a side whose time is compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use iai_callgrind_plan::Plan;

use super::arguments::MeasuringArguments;
use super::cargo::{BenchmarkFile, Built};
use super::error::AgainstError;
use super::place::Place;
use super::tree::Tree;
use super::{DIRECTORY, Revisions, create_ignored};
use crate::error::{Error, Result};
use crate::output::OutputDirectory;
use crate::plan;
use crate::process::RunningProcess;
use crate::settings::{OtherRevision, Settings};
use crate::valgrind::{Environment, native_command};

/// The file to which the executable of the revision writes its plan.
const PLAN: &str = "plan.json";

/// The benchmark executable of another revision.
pub(crate) struct OtherSide {
    /// The benchmarks. The directory of the package is the one that this process sees.
    pub(crate) plan: Plan,
    place: Place,
    built: Built,
    /// The work tree is theirs until the end.
    _tree: Tree,
    _lock: OutputDirectory,
}

impl OtherSide {
    /// Builds the benchmark file of this plan at another revision; `None` if the revision does not have it.
    pub(crate) fn build(
        plan: &Plan,
        settings: &Settings,
        revision: &OtherRevision,
        arguments: MeasuringArguments,
    ) -> Result<Option<Self>> {
        let (revisions, commit) = Revisions::of_run(plan, settings, revision, arguments)?;
        let directory = revisions.home.join(DIRECTORY);
        let lock = OutputDirectory::open(&revisions.home, &directory)?;
        create_ignored(&directory)?;
        let file = BenchmarkFile::of(plan);
        let Some((tree, place, built)) = revisions.build(&directory, &commit, &file)? else {
            return Ok(None);
        };
        let mut plan = revisions.read_plan(&directory, &place, &built, &commit.description())?;
        let package = built.package.strip_prefix(&place.tree);
        let package = package.map_or_else(|_| built.package.clone(), |path| tree.path().join(path));
        plan.package_dir = package.to_string_lossy().into_owned();
        Ok(Some(Self { plan, place, built, _tree: tree, _lock: lock }))
    }

    /// Returns the path of the executable.
    pub(crate) fn executable(&self) -> PathBuf {
        self.own_path(&self.built.executable)
    }

    /// Returns the path at which this process sees something that cargo built.
    pub(crate) fn own_path(&self, built: &Path) -> PathBuf {
        self.place.own_path(built)
    }

    /// Returns a command that starts a copy of the executable in this environment.
    pub(crate) fn command(&self, copy: &Path, environment: &Environment) -> Result<Command> {
        let mut command = native_command(copy, true, environment);
        self.enter(&mut command)?;
        Ok(command)
    }

    /// Has a command see the work tree, and start in its directory or in that of the package.
    pub(crate) fn enter(&self, command: &mut Command) -> Result<()> {
        let package = &self.built.package;
        let Some(directory) = command.get_current_dir() else {
            return self.place.enter(command, package);
        };
        // The package is at another path there
        let directory = match directory.strip_prefix(&self.plan.package_dir) {
            Ok(path) => package.join(path),
            Err(_) => directory.to_owned(),
        };
        self.place.enter(command, &directory)
    }
}

impl Revisions {
    /// Has the executable of a revision write its plan.
    fn read_plan(
        &self,
        directory: &Path,
        place: &Place,
        built: &Built,
        revision: &str,
    ) -> Result<Plan> {
        let path: PathBuf = directory.join(PLAN);
        let _ = fs::remove_file(&path);
        let mut command = self.command(place, built)?;
        command.args(["--bench", "--write-plan"]).arg(&path);
        let status = RunningProcess::start(&mut command)?.wait(None)?;
        if !status.success() || !path.is_file() {
            return Err(AgainstError::NoPlan { revision: revision.to_owned() }.into());
        }
        let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        plan::read(&text)
    }
}
