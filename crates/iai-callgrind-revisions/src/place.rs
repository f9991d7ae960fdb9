//! The paths under which cargo and the benchmarks see the other revision.
//!
//! If the system allows mounts that only these programs see, they see it at the path of the user's
//! work tree, and build results in the user's target directory. Then both sides have the same paths
//! in their executables, and relative paths that leave the repository need no mirror. Otherwise
//! they see it at its own path.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use iai_callgrind_process::{Mount, Mounts};

use super::directories::{create_own, place_in};
use super::packages::Packages;
use super::wrapper;
use crate::error::{Error, Result};

/// Directories of what cargo builds, by the way in which the programs see the work tree: other paths are in the executables.
const TARGETS: [&str; 2] = ["target", "target-mirrored"];

/// Directory of cargo's intermediate files, if it is not the target directory.
const BUILD: &str = "build";

/// The directory in which the programs see the user's repository if the work tree hides it.
const REPOSITORY: &str = "repository";

/// The directory in which the programs see this runner, and its name there.
const RUNNER: [&str; 2] = ["runner", "iai-callgrind-runner"];

/// The directories of both sides that decide about the place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceInputs<'a> {
    /// The top directory of the user's work tree.
    pub(super) top: &'a Path,
    /// The directory of the user's repository.
    pub(super) repository: &'a Path,
    /// The target directory of this side.
    pub(super) target: &'a Path,
    /// This side's directory of cargo's intermediate files, which can be the target directory.
    pub(super) build: &'a Path,
    /// The directory of all results.
    pub(super) home: &'a Path,
    /// The directory in it for other revisions.
    pub(super) own: &'a Path,
    /// The environment of cargo.
    pub(super) environment: &'a [(OsString, OsString)],
}

/// A place for a work tree.
#[derive(Debug)]
pub(super) struct TreePlace {
    /// The work tree as the programs see it.
    pub(super) tree: PathBuf,
    /// Their target directory.
    pub(super) target: PathBuf,
    /// Their directory of cargo's intermediate files.
    pub(super) build: PathBuf,
    /// The directories of this process that they see at other paths.
    shown: Vec<Shown>,
    /// The directory of the user's repository.
    pub(super) repository: PathBuf,
    /// The directory of this runner.
    pub(super) runner: Option<PathBuf>,
    /// `None` if they see all of it where it is.
    mounts: Option<Mounts>,
}

impl TreePlace {
    /// Returns the place of the user's work tree with these packages.
    pub(super) fn here(top: &Path, packages: &Packages) -> Self {
        let directories =
            [&packages.target_directory, packages.build_directory()].map(Path::to_owned);
        Self::visible(top, directories, Path::new(""))
    }

    /// Returns the place of a work tree that is seen where it is.
    pub(super) fn mirrored(sides: &PlaceInputs<'_>, tree: &Path) -> Result<Self> {
        let target = own_directory(sides, TARGETS[1])?;
        Ok(Self::visible(tree, [target.clone(), target], sides.repository))
    }

    /// Returns the place of a work tree where everything is seen where it is.
    fn visible(tree: &Path, [target, build]: [PathBuf; 2], repository: &Path) -> Self {
        Self {
            tree: tree.to_owned(),
            target,
            build,
            shown: Vec::new(),
            repository: repository.to_owned(),
            runner: runner().and_then(|runner| runner.parent().map(Path::to_owned)),
            mounts: None,
        }
    }

    /// Returns the place of a work tree that is seen at the path of the user's work tree; `None` if something is in the way.
    pub(super) fn same(sides: &PlaceInputs<'_>, tree: &Path) -> Result<Option<Self>> {
        let PlaceInputs { top, target, build, .. } = *sides;
        let is_nested = top.starts_with(target) || top.starts_with(build) || top.parent().is_none();
        if is_nested || wrapper::is_configured_in(tree) {
            return Ok(None);
        }
        let mut shown = vec![Shown::new(&own_directory(sides, TARGETS[0])?, target)];
        if build != target {
            shown.push(Shown::new(&own_directory(sides, BUILD)?, build));
        }
        let built = shown.clone();
        shown.push(Shown::new(tree, top));
        // The directories in other ones first
        shown.sort_by_key(|shown| Reverse(shown.path.components().count()));
        let mut mounts = Layout { sides, shown: &shown, mounts: Vec::new() };
        let repository = mounts.show_repository()?;
        let runner = mounts.show_runner()?;
        let is_possible = mounts.show_others().is_ok() && mounts.show_sides().is_ok();
        let mounts = Mounts(mounts.mounts);
        if !is_possible || !mounts.are_possible(sides.top) {
            return Ok(None);
        }
        Ok(Some(Self {
            tree: top.to_owned(),
            target: target.to_owned(),
            build: build.to_owned(),
            shown: built,
            repository,
            runner,
            mounts: Some(mounts),
        }))
    }

    /// Returns the path at which this process sees something that cargo built.
    pub(super) fn own_path(&self, built: &Path) -> PathBuf {
        let own = |shown: &Shown| Some(shown.own.join(built.strip_prefix(&shown.path).ok()?));
        let mut inner: Vec<_> = self.shown.iter().collect();
        inner.sort_by_key(|shown| Reverse(shown.path.components().count()));
        inner.into_iter().find_map(own).unwrap_or_else(|| built.to_owned())
    }

    /// Has this command start in this directory, and see the work tree.
    pub(super) fn enter(&self, command: &mut Command, directory: &Path) -> Result<()> {
        let Some(mounts) = &self.mounts else {
            command.current_dir(directory);
            return Ok(());
        };
        mounts.enter(command, directory).map_err(Error::io("use", directory))
    }
}

/// A directory of this process that programs see at a user's path.
#[derive(Debug, Clone)]
struct Shown {
    own: PathBuf,
    path: PathBuf,
}

impl Shown {
    fn new(own: &Path, path: &Path) -> Self {
        Self { own: own.to_owned(), path: path.to_owned() }
    }
}

/// The mounts of a work tree, the inner ones first.
struct Layout<'a> {
    sides: &'a PlaceInputs<'a>,
    /// The directories that are mounted over the user's, the inner ones first.
    shown: &'a [Shown],
    mounts: Vec<Mount>,
}

impl Layout<'_> {
    /// Returns the place of a user's path in the innermost of these directories. `None` if a link
    /// of the revision leads elsewhere.
    fn place(&self, path: &Path, shown: &[Shown]) -> Option<PathBuf> {
        let inner = |Shown { own, path: start }: &Shown| {
            let relative = path.strip_prefix(start).ok()?;
            let is_tree = start == self.sides.top;
            Some(if is_tree { place_in(own, relative) } else { Some(own.join(relative)) })
        };
        shown.iter().find_map(inner).unwrap_or_else(|| Some(path.to_owned()))
    }

    /// Keeps a user path visible.
    fn keep(&mut self, path: &Path) -> io::Result<()> {
        let place = self.place(path, self.shown).ok_or(io::ErrorKind::NotADirectory)?;
        if place != path {
            self.show(path, &place)?;
        }
        Ok(())
    }

    /// Mounts one path on another one, which is created.
    fn show(&mut self, source: &Path, path: &Path) -> io::Result<()> {
        if source.is_dir() {
            fs::create_dir_all(path)?;
        } else if !path.exists() {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            File::create_new(path)?;
        }
        self.mounts.push(Mount { source: source.to_owned(), path: path.to_owned() });
        Ok(())
    }

    fn show_repository(&mut self) -> Result<PathBuf> {
        let repository = self.sides.repository;
        if !repository.starts_with(self.sides.top) {
            return Ok(repository.to_owned());
        }
        let place = self.sides.own.join(REPOSITORY);
        create_own(&place)?;
        self.show(repository, &place).map_err(Error::io("write", &place))?;
        Ok(place)
    }

    fn show_runner(&mut self) -> Result<Option<PathBuf>> {
        let Some(runner) = runner() else { return Ok(None) };
        let [directory, name] = RUNNER;
        let directory = self.sides.own.join(directory);
        create_own(&directory)?;
        let place = directory.join(name);
        self.show(&runner, &place).map_err(Error::io("write", &place))?;
        Ok(Some(directory))
    }

    /// Shows the results, and what variables name in the user's work tree that the revision does not have: the homes of
    /// cargo and rustup, tools, libraries and temporary directories can be there.
    fn show_others(&mut self) -> io::Result<()> {
        let PlaceInputs { top, target, build, home, environment, .. } = *self.sides;
        let named = environment.iter().flat_map(|(_, value)| env::split_paths(value));
        let is_hidden = |path: &PathBuf| {
            let is_apart = |other| !path.starts_with(other) && !Path::starts_with(other, path);
            path.starts_with(top) && is_apart(target) && is_apart(build)
        };
        let named: BTreeSet<_> = named.filter(is_hidden).filter(|path| path.exists()).collect();
        for path in named {
            let is_missing = self
                .place(&path, self.shown)
                .is_some_and(|place| place.symlink_metadata().is_err());
            if is_missing && !home.starts_with(&path) {
                self.keep(&path)?;
            }
        }
        self.keep(home)
    }

    /// Shows what cargo builds and the work tree, with everything in them.
    fn show_sides(&mut self) -> io::Result<()> {
        for (index, Shown { own, path }) in self.shown.iter().enumerate() {
            // The directories around it come later
            let place = self.place(path, &self.shown[index + 1..]);
            self.show(own, &place.ok_or(io::ErrorKind::NotADirectory)?)?;
        }
        Ok(())
    }
}

/// Creates the directory for what cargo builds. A link there is the user's choice.
fn own_directory(sides: &PlaceInputs<'_>, name: &str) -> Result<PathBuf> {
    let directory = sides.own.join(name);
    if !directory.is_symlink() {
        create_own(&directory)?;
    }
    Ok(directory)
}

fn runner() -> Option<PathBuf> {
    let is_runner = |path: &PathBuf| path.file_name() == Some(OsStr::new(RUNNER[1]));
    env::current_exe().ok().filter(is_runner)
}
