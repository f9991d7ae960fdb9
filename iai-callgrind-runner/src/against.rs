//! Measures another revision: checks it out in a work tree, has cargo build its benchmarks, and runs them. The results
//! are a baseline, which is named after the commit and everything else that they depend on.

mod arguments;
mod cargo;
mod cargo_arguments;
mod directories;
pub(crate) mod error;
mod files;
mod kept;
mod large_files;
mod layouts;
mod linking;
mod mirror;
pub(crate) mod note;
mod place;
mod repository;
mod timed;
mod tree;
mod visibility;
mod wrapper;

use std::env;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::Plan;

pub(crate) use self::arguments::MeasuringArguments;
pub(crate) use self::cargo::{BenchmarkFile, CargoCall};
use self::cargo::{BuildPlace, Built};
use self::directories::create_own;
use self::error::AgainstError;
use self::kept::Kept;
pub(crate) use self::layouts::count_layouts;
use self::note::RevisionNote;
use self::place::{Place, Sides};
pub(crate) use self::repository::{Commit, ListedCommit, Repository, ends_of_range};
pub(crate) use self::timed::{BuiltSide, SidePrograms, read_plan};
use self::tree::Tree;
use self::visibility::Visibility;
use crate::environment;
use crate::error::{Error, Result};
use crate::output::{OutputDirectory, Slot, replace_page};
use crate::settings::{AgainstBenches, OtherRevision, Settings, workspace_directory};
use crate::valgrind::Valgrind;

/// The directory in the output directory with the work tree and what cargo builds there.
const DIRECTORY: &str = ".against";

/// Measures other revisions of a repository.
pub(crate) struct Revisions {
    pub(crate) repository: Repository,
    pub(crate) cargo: CargoCall,
    /// The directory of all results.
    pub(crate) home: PathBuf,
    /// The flags of the compiler, encoded for cargo; `None` for those of the configuration.
    pub(crate) flags: Option<String>,
    /// The directory of the workspace of this side.
    pub(crate) workspace: PathBuf,
    /// The benchmark files to measure with.
    pub(crate) benches: AgainstBenches,
    pub(crate) arguments: MeasuringArguments,
    /// The run has checked out and built its revision before, with the notes about that.
    pub(crate) is_checked_out: bool,
    /// The fingerprint of a run of this side.
    pub(crate) fingerprint: String,
}

/// The results of a revision.
pub(crate) struct RevisionResults {
    /// The name of the baseline with them; `None` if the revision does not have the benchmark file.
    pub(crate) baseline: Option<String>,
    /// The revision was checked out, because it was not measured before.
    is_checked_out: bool,
}

/// Measures the other revision of a run, if there is one, with the benchmark file of this plan. Its results are the old ones of the
/// run. A benchmark that the revision does not have has none.
pub(crate) fn measure_for(
    plan: &Plan,
    settings: &mut Settings,
    arguments: MeasuringArguments,
) -> Result<()> {
    let Some(revision) = &settings.against else { return Ok(()) };
    let (revisions, commit) = Revisions::of_run(plan, settings, revision, arguments)?;
    let results = revisions.measure(&commit, &BenchmarkFile::of(plan))?;
    settings.mode.old = Slot::baseline(results.baseline.as_deref().unwrap_or(commit.short()))?;
    if let Some(revision) = &mut settings.against {
        revision.is_checked_out = results.is_checked_out;
    }
    Ok(())
}

impl<'a> BenchmarkFile<'a> {
    fn of(plan: &'a Plan) -> Self {
        Self { package: &plan.package, name: &plan.file }
    }
}

impl Revisions {
    /// Returns the revisions for a run of this plan, and the commit of this one.
    fn of_run(
        plan: &Plan,
        settings: &Settings,
        revision: &OtherRevision,
        arguments: MeasuringArguments,
    ) -> Result<(Self, Commit)> {
        let executable = plan.executable.as_ref().ok_or(AgainstError::Commands)?;
        let package = Path::new(&plan.package_dir);
        let repository = Repository::of(package)?;
        let commit = repository.resolve(&revision.name)?;
        let valgrind = Valgrind::find(settings.valgrind.as_deref(), settings.tool_runner.clone())?;
        let path = Some(Path::new(&executable.path));
        let fingerprint = environment::of_run(settings, package, path, valgrind.version.as_deref());
        let fingerprint = serde_json::to_string(&fingerprint).unwrap_or_default();
        let revisions = Revisions {
            repository,
            cargo: CargoCall::of_parents()?,
            home: settings.home.clone(),
            flags: Some(executable.build.flags.clone()),
            workspace: workspace_directory(package),
            benches: revision.benches,
            arguments,
            is_checked_out: revision.is_checked_out,
            fingerprint,
        };
        Ok((revisions, commit))
    }

    /// Measures the benchmarks of a file, unless they were measured before.
    pub(crate) fn measure(
        &self,
        commit: &Commit,
        file: &BenchmarkFile<'_>,
    ) -> Result<RevisionResults> {
        let directory = self.home.join(DIRECTORY);
        let before = |baseline| RevisionResults { baseline: Some(baseline), is_checked_out: false };
        let kept = Kept::new(&directory, commit, &self.dependencies(file)?, &self.arguments, file);
        if kept.is_complete(&self.home) {
            RevisionNote::MeasuredBefore { revision: &commit.description() }.print();
            kept.touch()?;
            return Ok(before(kept.baseline));
        }
        // Another run can be building in the work tree, or measuring the same
        let _lock = OutputDirectory::open(&self.home, &directory)?;
        if kept.is_complete(&self.home) {
            return Ok(before(kept.baseline));
        }
        create_ignored(&directory)?;
        let Some((tree, place, built)) = self.build(&directory, commit, file)? else {
            return Ok(RevisionResults { baseline: None, is_checked_out: true });
        };
        RevisionNote::Measuring { revision: &commit.description() }.print();
        self.run(&place, &built, commit, &kept.baseline)?;
        drop(tree);
        kept.complete(&self.home)?;
        Ok(RevisionResults { baseline: Some(kept.baseline), is_checked_out: true })
    }

    /// Returns everything except for the commit and the selection that the results depend on, as text.
    fn dependencies(&self, file: &BenchmarkFile<'_>) -> Result<String> {
        let variables = self.arguments.variables.iter().map(|name| (name, env::var_os(name)));
        let variables: Vec<_> = variables.filter(|(_, value)| value.is_some()).collect();
        let benches = match self.benches {
            AgainstBenches::Own => String::new(),
            AgainstBenches::Here => files::hash(&self.package_of(file)?, &self.workspace)?,
        };
        let (cargo, flags, options) =
            (self.cargo.description(), &self.flags, &self.arguments.options);
        let fingerprint = &self.fingerprint;
        let visibility = Visibility::of(&self.repository.checkout.top, &self.cargo);
        Ok(format!(
            "{visibility:?}\n{cargo}\n{flags:?}\n{options:?}\n{variables:?}\n{benches}\n{fingerprint}"
        ))
    }

    /// Returns the directory of the package of this side.
    fn package_of(&self, file: &BenchmarkFile<'_>) -> Result<PathBuf> {
        let packages = self.cargo.own_packages()?;
        let manifest = packages.manifest_of(file).and_then(Path::parent);
        Ok(manifest.unwrap_or(&self.workspace).to_owned())
    }

    /// Checks out the commit and builds a benchmark file; `None` if there is no such file.
    fn build(
        &self,
        directory: &Path,
        commit: &Commit,
        file: &BenchmarkFile<'_>,
    ) -> Result<Option<(Tree, Place, Built)>> {
        let top = &*self.repository.checkout.top;
        let tree = Tree::check_out(&self.repository, directory, commit)?;
        let revision = commit.description();
        let pointers = large_files::fetch(&tree.checkout);
        if let Some(file) = pointers.first() {
            let number = pointers.len();
            self.note(&RevisionNote::LargeFilePointers { revision: &revision, file, number });
        }
        files::copy_lock(&self.workspace, top, &tree.checkout.top)?;
        let place = self.place(&tree, directory)?;
        let read_packages = || {
            let packages = self.cargo.packages(top, &place);
            packages.map_err(|error| tree.with_own_paths(error))
        };
        let mut packages = read_packages()?;
        if self.benches == AgainstBenches::Here {
            let package = self.package_of(file)?;
            let (workspace, tree_path) = (&self.workspace, &*tree.checkout.top);
            let sides = files::Sides { package: &package, workspace, top, tree: tree_path };
            tree.add(&files::copy_benches(&sides)?)?;
            packages = read_packages()?;
        }
        if packages.manifest_of(file).is_none() {
            self.note(&RevisionNote::NoFileInRevision { file: file.name, revision: &revision });
            return Ok(None);
        }
        self.note(&RevisionNote::Building { revision: &revision });
        let at = BuildPlace { top, place: &place, flags: self.flags.as_deref() };
        let built = self.cargo.build(&at, &packages, file)?;
        let file = file.name.to_owned();
        let built = built.ok_or(AgainstError::BuildRevision { file, revision })?;
        Ok(Some((tree, place, built)))
    }

    /// Prints a note about a work tree, unless the run has printed it before.
    fn note(&self, note: &RevisionNote<'_>) {
        if !self.is_checked_out {
            note.print();
        }
    }

    /// Returns the place in which programs see this work tree.
    fn place(&self, tree: &Tree, directory: &Path) -> Result<Place> {
        let target = self.cargo.target_directory(&self.cargo.own_packages()?);
        let sides = Sides {
            top: &self.repository.checkout.top,
            repository: &self.repository.checkout.common,
            target: &target,
            home: &self.home,
            own: directory,
            environment: &self.cargo.environment,
        };
        let same = match Visibility::of(sides.top, &self.cargo) {
            Visibility::Same => Place::same(&sides, &tree.checkout.top)?,
            Visibility::Mirrored => None,
        };
        if let Some(place) = same {
            tree.rename_repository(&place.repository)?;
            return Ok(place);
        }
        tree.link();
        Place::mirrored(&sides, &tree.checkout.top)
    }

    /// Runs the benchmarks and saves their results as a baseline.
    fn run(&self, place: &Place, built: &Built, commit: &Commit, baseline: &str) -> Result<()> {
        let failed =
            self.arguments.run(place, built, &self.home, &["--save-baseline", baseline])?;
        failed.map_or(Ok(()), |status| {
            Err(AgainstError::RunRevision { revision: commit.description(), status }.into())
        })
    }
}

/// Creates the directory for other revisions, which git ignores.
fn create_ignored(directory: &Path) -> Result<()> {
    create_own(directory)?;
    let ignored = directory.join(".gitignore");
    replace_page(&ignored, b"*\n").map_err(Error::io("write", &ignored))
}
