//! Checks out revisions, builds and runs their benchmarks, and keeps the results.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use iai_callgrind_plan::Plan;
use iai_callgrind_store::{OutputDirectory, replace_page};
use iai_callgrind_tools::fingerprint::{Fingerprint, FingerprintChange, changes_text};

use super::arguments::MeasuringArguments;
use super::builder::Builder;
use super::cargo::{BenchmarkFile, BuildPlace, Built, CargoCall};
use super::directories::create_own;
use super::error::{AgainstError, Error, Result};
use super::kept_results::{self, KeptResult};
use super::note::RevisionNote;
use super::place::{PlaceInputs, TreePlace};
use super::repository::{Commit, Repository};
use super::tree::Tree;
use super::visibility::Visibility;
use super::{files, large_files};

/// The directory in the output directory with the work tree and what cargo builds there.
pub(crate) const DIRECTORY: &str = ".against";

/// Measures other revisions of a repository.
pub struct Revisions {
    /// The repository.
    pub repository: Repository,
    /// The program that builds them.
    pub builder: Builder,
    /// The directory of all results.
    pub home: PathBuf,
    /// The flags of the compiler, encoded for cargo; `None` for those of the configuration.
    pub flags: Option<String>,
    /// The directory of the workspace of this side.
    pub workspace: PathBuf,
    /// Measures them with the benchmark files of this side in place of their own.
    pub benches_of_here: bool,
    /// The arguments of their runs.
    pub arguments: MeasuringArguments,
    /// The fingerprint of a run of this side, as text.
    pub fingerprint: String,
    /// The same for the executable that other revisions are compared with, if there is one.
    pub compared: Option<Fingerprint>,
}

/// The results of a revision.
pub struct RevisionResults {
    /// The name of the baseline with them; `None` if the revision does not have the benchmark file.
    pub baseline: Option<String>,
    /// The measured build; `None` if the results come from an earlier run.
    pub(crate) build: Option<RevisionBuild>,
}

/// The work tree of a revision with what cargo built in it, and the lock of both.
pub(crate) struct RevisionBuild {
    pub(crate) tree: Tree,
    pub(crate) place: Arc<TreePlace>,
    pub(crate) built: Built,
    _lock: OutputDirectory,
}

/// Prints a note if a revision was built with other features than the other side.
pub fn note_features(commit: &Commit, old: Option<&Fingerprint>, new: Option<&Fingerprint>) {
    let Some((old, new)) = old.zip(new) else { return };
    let changes = new.changes_since(old).filter(FingerprintChange::is_of_features);
    let changes: Vec<_> = changes.collect();
    if !changes.is_empty() {
        let (revision, changes) = (&*commit.description(), &*changes_text(&changes));
        RevisionNote::OtherFeatures { revision, changes }.print();
    }
}

impl<'a> BenchmarkFile<'a> {
    pub(crate) fn of(plan: &'a Plan) -> Self {
        Self { package: &plan.package, name: &plan.file }
    }
}

impl Revisions {
    /// Measures the benchmarks of a file, unless they were measured before. Says so if the revision has other features.
    pub fn measure(&self, commit: &Commit, file: &BenchmarkFile<'_>) -> Result<RevisionResults> {
        let results = self.results(commit, file)?;
        if let Some(baseline) = &results.baseline {
            note_features(commit, self.fingerprint_of(baseline).as_ref(), self.compared.as_ref());
        }
        Ok(results)
    }

    fn results(&self, commit: &Commit, file: &BenchmarkFile<'_>) -> Result<RevisionResults> {
        let directory = self.home.join(DIRECTORY);
        let before = |baseline| RevisionResults { baseline: Some(baseline), build: None };
        let kept =
            KeptResult::new(&directory, commit, &self.dependencies(file)?, &self.arguments, file);
        if kept.is_complete(&self.home) {
            RevisionNote::MeasuredBefore { revision: &commit.description() }.print();
            kept.touch()?;
            return Ok(before(kept.baseline));
        }
        // Another run can be building in the work tree, or measuring the same
        let lock = OutputDirectory::open(&self.home, &directory)?;
        if kept.is_complete(&self.home) {
            return Ok(before(kept.baseline));
        }
        let Some(build) = self.build(lock, commit, file)? else {
            return Ok(RevisionResults { baseline: None, build: None });
        };
        RevisionNote::Measuring { revision: &commit.description() }.print();
        let options = ["--save-baseline", &kept.baseline];
        if let Some(status) =
            self.arguments.run(&build.place, &build.built, &self.home, &options)?
        {
            let revision = commit.description();
            return Err(AgainstError::RunRevision { revision, status }.into());
        }
        kept.complete(&self.home)?;
        Ok(RevisionResults { baseline: Some(kept.baseline), build: Some(build) })
    }

    /// Returns the fingerprint of the results of a revision, whose baseline has this name.
    pub fn fingerprint_of(&self, baseline: &str) -> Option<Fingerprint> {
        kept_results::fingerprint(&self.home, baseline)
    }

    /// Returns everything except for the commit and the selection that the results depend on, as text.
    fn dependencies(&self, file: &BenchmarkFile<'_>) -> Result<String> {
        let variables = self.arguments.variables.iter().map(|name| (name, env::var_os(name)));
        let variables: Vec<_> = variables.filter(|(_, value)| value.is_some()).collect();
        let benches = if self.benches_of_here {
            files::hash(&self.package_of(file)?, &self.workspace)?
        } else {
            String::new()
        };
        let (build, flags, options) =
            (self.builder.description(), &self.flags, &self.arguments.options);
        let fingerprint = &self.fingerprint;
        let visibility = Visibility::of(&self.repository.checkout.top, &self.builder);
        Ok(format!(
            "{visibility:?}\n{build}\n{flags:?}\n{options:?}\n{variables:?}\n{benches}\n{fingerprint}"
        ))
    }

    /// Returns the directory of the package of this side.
    fn package_of(&self, file: &BenchmarkFile<'_>) -> Result<PathBuf> {
        let packages = self.builder.cargo()?.own_packages()?;
        let manifest = packages.manifest_of(file).and_then(Path::parent);
        Ok(manifest.unwrap_or(&self.workspace).to_owned())
    }

    /// Checks out the commit in the locked directory and builds a benchmark file; `None` if there is no such file.
    pub(crate) fn build(
        &self,
        lock: OutputDirectory,
        commit: &Commit,
        file: &BenchmarkFile<'_>,
    ) -> Result<Option<RevisionBuild>> {
        let directory = lock.path();
        create_ignored(directory)?;
        let tree = Tree::check_out(&self.repository, directory, commit)?;
        let revision = commit.description();
        let pointers = large_files::fetch(&tree.checkout);
        if let Some(file) = pointers.first() {
            let number = pointers.len();
            RevisionNote::LargeFilePointers { revision: &revision, file, number }.print();
        }
        let place = self.place(&tree, directory)?;
        let built = match &self.builder {
            Builder::Cargo(cargo) => {
                self.build_with_cargo(cargo, (&tree, &place), &revision, file)?
            }
            Builder::Command(command) => {
                RevisionNote::Building { revision: &revision }.print();
                Some(command.build(&self.repository.checkout.top, &place, &revision)?)
            }
        };
        Ok(built.map(|built| RevisionBuild { tree, place: Arc::new(place), built, _lock: lock }))
    }

    /// Has cargo build a benchmark file in this work tree and place; `None` if there is no such file.
    fn build_with_cargo(
        &self,
        cargo: &CargoCall,
        (tree, place): (&Tree, &TreePlace),
        revision: &str,
        file: &BenchmarkFile<'_>,
    ) -> Result<Option<Built>> {
        let top = &*self.repository.checkout.top;
        files::copy_lock(&self.workspace, top, &tree.checkout.top)?;
        let read_packages = || {
            let packages = cargo.packages(top, place);
            packages.map_err(|error| tree.with_own_paths(error))
        };
        let mut packages = read_packages()?;
        if self.benches_of_here {
            let package = self.package_of(file)?;
            let (workspace, tree_path) = (&self.workspace, &*tree.checkout.top);
            let trees = files::SourceTrees { package: &package, workspace, top, tree: tree_path };
            tree.add(&files::copy_benches(&trees)?)?;
            packages = read_packages()?;
        }
        if packages.manifest_of(file).is_none() {
            RevisionNote::NoFileInRevision { file: file.name, revision }.print();
            return Ok(None);
        }
        RevisionNote::Building { revision }.print();
        let at = BuildPlace { top, place, flags: self.flags.as_deref() };
        let built = cargo.build(&at, &packages, file)?;
        let (file, revision) = (file.name.to_owned(), revision.to_owned());
        Ok(Some(built.ok_or(AgainstError::BuildRevision { file, revision })?))
    }

    /// Returns the place in which programs see this work tree.
    fn place(&self, tree: &Tree, directory: &Path) -> Result<TreePlace> {
        let [target, build] = self.builder.directories()?;
        let sides = PlaceInputs {
            top: &self.repository.checkout.top,
            repository: &self.repository.checkout.common,
            target: &target,
            build: &build,
            home: &self.home,
            own: directory,
            environment: self.builder.environment(),
        };
        let same = match Visibility::of(sides.top, &self.builder) {
            Visibility::Same => TreePlace::same(&sides, &tree.checkout.top)?,
            Visibility::Mirrored => None,
        };
        if let Some(place) = same {
            tree.rename_repository(&place.repository)?;
            return Ok(place);
        }
        tree.link();
        TreePlace::mirrored(&sides, &tree.checkout.top)
    }
}

/// Creates the directory for other revisions, which git ignores.
pub(crate) fn create_ignored(directory: &Path) -> Result<()> {
    create_own(directory)?;
    let ignored = directory.join(".gitignore");
    replace_page(&ignored, b"*\n").map_err(Error::io("write", &ignored))
}
