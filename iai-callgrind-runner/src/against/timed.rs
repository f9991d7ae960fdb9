//! Benchmark executables whose times are compared: that of another revision, or several of both sides with other layouts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use iai_callgrind_plan::Plan;

use super::arguments::MeasuringArguments;
use super::cargo::{BenchmarkFile, BuildPlace, Built};
use super::error::AgainstError;
use super::linking::Layouts;
use super::note::RevisionNote;
use super::place::Place;
use super::repository::Commit;
use super::tree::Tree;
use super::{DIRECTORY, Revisions, create_ignored};
use crate::error::{Error, Result};
use crate::output::OutputDirectory;
use crate::plan;
use crate::process::RunningProcess;
use crate::settings::{OtherRevision, Settings};
use crate::valgrind::{Environment, native_command};

/// The file to which an executable writes its plan.
const PLAN: &str = "plan.json";

/// The programs of a side.
pub(crate) trait SidePrograms {
    /// Returns the path of the benchmark executable, if there is one.
    fn executable(&self) -> Option<PathBuf>;

    /// Returns a command that starts this copy of the executable in this environment.
    fn command(&self, copy: &Path, environment: &Environment) -> Result<Command>;

    /// Returns the path at which this process sees a program that the side has at this one.
    fn own_path(&self, program: &Path) -> PathBuf;
}

/// The benchmark executable of a side that is built here.
pub(crate) struct BuiltSide {
    /// The benchmarks. The directory of the package is the one that this process sees.
    pub(crate) plan: Plan,
    place: Arc<Place>,
    built: Built,
    /// The work tree is theirs until the end.
    _checkout: Option<Arc<Checkout>>,
}

/// The work tree of another revision, and the lock of it.
struct Checkout {
    tree: Tree,
    _lock: OutputDirectory,
}

/// The other revision with everything that builds its benchmark file.
struct RevisionBuild<'a> {
    revisions: Revisions,
    commit: Commit,
    file: BenchmarkFile<'a>,
    directory: PathBuf,
}

impl BuiltSide {
    /// Builds the benchmark file of this plan at another revision; `None` if the revision does not have it.
    pub(crate) fn of_revision(
        plan: &Plan,
        settings: &Settings,
        revision: &OtherRevision,
        arguments: MeasuringArguments,
    ) -> Result<Option<Self>> {
        let other = RevisionBuild::new(plan, settings, revision, arguments)?;
        let Some((checkout, place, built)) = other.check_out()? else { return Ok(None) };
        other.side(Arc::new(place), built, Some(Arc::new(checkout))).map(Some)
    }

    /// Builds the benchmark file of this plan this many times, here and at another revision, with its functions and data in
    /// another order. Returns the pairs of a new and an old side; `None` if the revision does not have the file.
    pub(crate) fn layouts(
        plan: &Plan,
        settings: &Settings,
        revision: &OtherRevision,
        arguments: MeasuringArguments,
        number: u32,
    ) -> Result<Option<Vec<[Self; 2]>>> {
        let other = RevisionBuild::new(plan, settings, revision, arguments)?;
        let Some((checkout, place, _)) = other.check_out()? else { return Ok(None) };
        let RevisionBuild { revisions, file, .. } = &other;
        let (top, checkout) = (&*revisions.repository.checkout.top, Arc::new(checkout));
        let own_packages = revisions.cargo.own_packages()?;
        let target = revisions.cargo.target_directory(&own_packages);
        let here = Arc::new(Place::here(top, target));
        let packages = revisions.cargo.packages(top, &place)?;
        let place = Arc::new(place);
        let layouts = Layouts::of(plan)?;
        let side = |place: &Arc<Place>, packages, flags, checkout, seed| {
            let layout = BuildPlace { top, place, flags };
            let built =
                revisions.cargo.build_layout(&layout, packages, file, layouts.option(seed))?;
            let built = built.ok_or_else(|| AgainstError::Layout { file: file.name.to_owned() })?;
            other.side(Arc::clone(place), built, checkout)
        };
        let flags = revisions.flags.as_deref();
        let pairs = (1..=number).map(|seed| {
            RevisionNote::Linking { layout: seed, number }.print();
            let new = side(&here, &own_packages, None, None, seed)?;
            // With the seeds of this side, code that is equal would have equal distances
            let old = side(&place, &packages, flags, Some(Arc::clone(&checkout)), number + seed)?;
            Ok([new, old])
        });
        pairs.collect::<Result<_>>().map(Some)
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

impl SidePrograms for BuiltSide {
    fn executable(&self) -> Option<PathBuf> {
        Some(self.place.own_path(&self.built.executable))
    }

    fn command(&self, copy: &Path, environment: &Environment) -> Result<Command> {
        let mut command = native_command(copy, true, environment);
        self.enter(&mut command)?;
        Ok(command)
    }

    fn own_path(&self, program: &Path) -> PathBuf {
        self.place.own_path(program)
    }
}

impl<'a> RevisionBuild<'a> {
    fn new(
        plan: &'a Plan,
        settings: &Settings,
        revision: &OtherRevision,
        arguments: MeasuringArguments,
    ) -> Result<Self> {
        let (revisions, commit) = Revisions::of_run(plan, settings, revision, arguments)?;
        let directory = revisions.home.join(DIRECTORY);
        Ok(Self { revisions, commit, file: BenchmarkFile::of(plan), directory })
    }

    /// Checks out the revision and builds its benchmark file; `None` if there is no such file.
    fn check_out(&self) -> Result<Option<(Checkout, Place, Built)>> {
        let Self { revisions, commit, file, directory } = self;
        let lock = OutputDirectory::open(&revisions.home, directory)?;
        create_ignored(directory)?;
        let built = revisions.build(directory, commit, file)?;
        Ok(built.map(|(tree, place, built)| (Checkout { tree, _lock: lock }, place, built)))
    }

    /// Returns the side of an executable in this place.
    fn side(
        &self,
        place: Arc<Place>,
        built: Built,
        checkout: Option<Arc<Checkout>>,
    ) -> Result<BuiltSide> {
        let Self { revisions, commit, directory, .. } = self;
        let mut plan = revisions.read_plan(directory, &place, &built, &commit.description())?;
        let tree = checkout.as_ref().map_or(&*place.tree, |checkout| &*checkout.tree.checkout.top);
        let package = built.package.strip_prefix(&place.tree);
        let package = package.map_or_else(|_| built.package.clone(), |path| tree.join(path));
        plan.package_dir = package.to_string_lossy().into_owned();
        Ok(BuiltSide { plan, place, built, _checkout: checkout })
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
        let plan = read_plan(&mut self.arguments.command(place, built)?, directory)?;
        plan.ok_or_else(|| AgainstError::NoPlan { revision: revision.to_owned() }.into())
    }
}

/// Has a benchmark executable write its plan to a file in this directory, which is removed; `None` if it does not.
pub(crate) fn read_plan(executable: &mut Command, directory: &Path) -> Result<Option<Plan>> {
    let path = directory.join(PLAN);
    let _ = fs::remove_file(&path);
    executable.args(["--bench", "--write-plan"]).arg(&path);
    let status = RunningProcess::start(executable)?.wait(None)?;
    if !status.success() || !path.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    fs::remove_file(&path).map_err(Error::io("remove", &path))?;
    plan::read(&text).map(Some)
}
