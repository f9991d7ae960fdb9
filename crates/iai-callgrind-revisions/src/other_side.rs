//! The other revision of a run: its counts, and the executables whose times are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use iai_callgrind_plan::Plan;
use iai_callgrind_process::{Limit, RunningProcess};
use iai_callgrind_profile::files;
use iai_callgrind_store::{OutputDirectory, Slot};
use iai_callgrind_tools::valgrind::{Environment, native_command};

use super::cargo::{BenchmarkFile, BuildPlace, Built};
use super::error::{AgainstError, Error, Result};
use super::layouts::Layouts;
use super::note::RevisionNote;
use super::place::TreePlace;
use super::repository::Commit;
use super::revisions::{DIRECTORY, RevisionBuild, Revisions};

/// The file to which an executable writes its plan.
const PLAN: &str = "plan.json";

/// The programs of a side.
pub trait SidePrograms {
    /// Returns the path of the benchmark executable, if there is one.
    fn executable(&self) -> Option<PathBuf>;

    /// Returns a command that starts this copy of the executable in this environment.
    fn command(&self, copy: &Path, environment: &Environment) -> Result<Command>;

    /// Returns the path at which this process sees a program that the side has at this one.
    fn own_path(&self, program: &Path) -> PathBuf;
}

/// The benchmark executable of a side that is built here.
pub struct BuiltSide {
    /// The plan of its benchmarks, as the executable wrote it. Nothing in it is checked.
    pub plan: String,
    /// The directory of the package that this process sees.
    pub package: PathBuf,
    place: Arc<TreePlace>,
    built: Built,
    /// The work tree is theirs until the end.
    _checkout: Option<Arc<RevisionBuild>>,
}

/// The other revision of a run.
pub struct OtherSide<'a> {
    plan: &'a Plan,
    revisions: Revisions,
    commit: Commit,
    /// The revision does not have the benchmark file.
    is_missing: bool,
    /// The build that was counted.
    build: Option<RevisionBuild>,
    /// The limit of an executable that writes its plan.
    limit: Option<Limit>,
}

impl<'a> OtherSide<'a> {
    /// Returns the other revision of the run of this plan. An executable that writes its plan is killed if it exceeds the limit.
    pub fn new(plan: &'a Plan, revisions: Revisions, commit: Commit, limit: Option<Limit>) -> Self {
        Self { plan, revisions, commit, is_missing: false, build: None, limit }
    }

    /// Measures the revision with the benchmark file of the plan. Returns the baseline with the
    /// results, which lacks benchmarks that the revision does not have.
    pub fn measure(&mut self) -> Result<Slot> {
        let results = self.revisions.measure(&self.commit, &BenchmarkFile::of(self.plan))?;
        self.build = results.build;
        self.is_missing = results.baseline.is_none();
        Ok(Slot::baseline(results.baseline.as_deref().unwrap_or(self.commit.short()))?)
    }

    /// Lets other runs use the work tree.
    pub fn release(&mut self) {
        self.build = None;
    }

    /// Returns the executable of the revision; `None` if the revision does not have the benchmark file. With a number of
    /// layouts, returns as many with their functions and data in another order, each with one of this side.
    pub fn executables(
        mut self,
        layouts: Option<u32>,
    ) -> Result<Vec<(Option<BuiltSide>, BuiltSide)>> {
        if self.is_missing {
            return Ok(Vec::new());
        }
        let file = BenchmarkFile::of(self.plan);
        let mut build = self.build.take();
        if build.is_none() {
            let directory = self.revisions.home.join(DIRECTORY);
            let lock = OutputDirectory::open(&self.revisions.home, &directory)?;
            build = self.revisions.build(lock, &self.commit, &file)?;
        }
        let Some(checkout) = build.map(Arc::new) else { return Ok(Vec::new()) };
        match layouts {
            None => {
                let executable = checkout.built.clone();
                Ok(vec![(None, self.side(&checkout.place, executable, Some(&checkout))?)])
            }
            Some(number) => self.layouts(&file, &checkout, number),
        }
    }

    /// Links the benchmark file of both sides this many times.
    fn layouts(
        &self,
        file: &BenchmarkFile<'_>,
        checkout: &Arc<RevisionBuild>,
        number: u32,
    ) -> Result<Vec<(Option<BuiltSide>, BuiltSide)>> {
        let Revisions { repository, builder, flags, .. } = &self.revisions;
        let cargo = builder.cargo()?;
        let top = &*repository.checkout.top;
        let own_packages = cargo.own_packages()?;
        let here = Arc::new(TreePlace::here(top, &own_packages));
        let packages = cargo.packages(top, &checkout.place)?;
        let layouts = Layouts::of(self.plan)?;
        let own = self.plan.executable.as_ref().ok_or(AgainstError::Commands)?;
        let (own, theirs) =
            (Path::new(&own.path), checkout.place.own_path(&checkout.built.executable));
        let link = |place: &Arc<TreePlace>, packages, flags, checkout: Option<_>, seed| {
            let at = BuildPlace { top, place, flags };
            let executable = if checkout.is_some() { &*theirs } else { own };
            let layout = (executable, layouts.option(seed));
            let built = cargo.build_layout(&at, packages, file, layout)?;
            self.side(place, built, checkout)
        };
        let pairs = (1..=number).map(|seed| {
            RevisionNote::Linking { layout: seed, number }.print();
            let new = link(&here, &own_packages, None, None, seed)?;
            // With the seeds of this side, code that is equal would have equal distances
            let seed = number + seed;
            let old = link(&checkout.place, &packages, flags.as_deref(), Some(checkout), seed)?;
            Ok((Some(new), old))
        });
        pairs.collect()
    }

    /// Returns the side of an executable in this place.
    fn side(
        &self,
        place: &Arc<TreePlace>,
        built: Built,
        checkout: Option<&Arc<RevisionBuild>>,
    ) -> Result<BuiltSide> {
        let Revisions { home, arguments, .. } = &self.revisions;
        let mut command = arguments.command(place, &built)?;
        let plan = read_plan(&mut command, &home.join(DIRECTORY), self.limit)?;
        let revision = || self.commit.description();
        let plan = plan.ok_or_else(|| AgainstError::NoPlan { revision: revision() })?;
        let tree = checkout.map_or(&*place.tree, |checkout| &*checkout.tree.checkout.top);
        let package = built.package.strip_prefix(&place.tree);
        let package = package.map_or_else(|_| built.package.clone(), |path| tree.join(path));
        Ok(BuiltSide {
            plan,
            package,
            place: Arc::clone(place),
            built,
            _checkout: checkout.cloned(),
        })
    }
}

impl BuiltSide {
    /// Has a command see the work tree, and start in its directory or in that of the package.
    pub fn enter(&self, command: &mut Command) -> Result<()> {
        let package = &self.built.package;
        let Some(directory) = command.get_current_dir() else {
            return self.place.enter(command, package);
        };
        // The package is at another path there
        let directory = match directory.strip_prefix(&self.package) {
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

/// Has a benchmark executable write its plan to a file in this directory, which is removed. Returns its text, `None` if there
/// is none. Kills the
/// executable if it exceeds this limit.
pub fn read_plan(
    executable: &mut Command,
    directory: &Path,
    limit: Option<Limit>,
) -> Result<Option<String>> {
    let path = directory.join(PLAN);
    let _ = fs::remove_file(&path);
    executable.args(["--bench", "--write-plan"]).arg(&path);
    let status = RunningProcess::start(executable)?.wait_within(limit)?;
    if !status.success() || !path.is_file() {
        return Ok(None);
    }
    let text = files::read_to_string(&path).map_err(Error::io("read", &path))?;
    fs::remove_file(&path).map_err(Error::io("remove", &path))?;
    Ok(Some(text))
}
