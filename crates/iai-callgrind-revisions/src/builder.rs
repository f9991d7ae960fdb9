//! The program that builds another revision: the cargo that started this run, or the user's command.
//!
//! The command runs in the work tree of the revision. If this side is built in a directory of `CMake`, the revision has one at the
//! same path, with the same options and what was compiled for the revision before.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_base::{hash, note};
use iai_callgrind_process as process;
use iai_callgrind_profile::files;
use iai_callgrind_store::replace_page;

use super::cargo::{Built, CargoCall, description_of};
use super::directories::place_in;
use super::error::{AgainstError, Error, Result};
use super::place::TreePlace;
use crate::git::forget_selection;

/// The file in a build directory of `CMake` with its options.
const CACHE: &str = "CMakeCache.txt";

/// The program that builds another revision.
#[derive(Debug)]
pub enum Builder {
    /// A call of cargo.
    Cargo(CargoCall),
    /// A command of the shell.
    Command(BuildCommand),
}

/// A command that builds the benchmark executable.
#[derive(Debug)]
pub struct BuildCommand {
    text: String,
    /// The executable of this side.
    executable: PathBuf,
    /// The directory of this side's package.
    package: PathBuf,
    /// The build directory of this side.
    cmake: Option<CmakeBuild>,
    environment: Vec<(OsString, OsString)>,
}

/// A build directory of `CMake`.
#[derive(Debug)]
struct CmakeBuild {
    directory: PathBuf,
    cache: String,
}

impl Builder {
    /// Returns the call of cargo, which knows the packages and layouts.
    pub(super) fn cargo(&self) -> Result<&CargoCall> {
        match self {
            Self::Cargo(cargo) => Ok(cargo),
            Self::Command(command) => {
                Err(AgainstError::OnlyCargo { command: command.text.clone() }.into())
            }
        }
    }

    /// Returns everything that the build depends on, apart from the files, as text.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Cargo(cargo) => cargo.description(),
            Self::Command(command) => command.description(),
        }
    }

    /// Returns this side's directories of build results and of intermediate files.
    pub(super) fn directories(&self) -> Result<[PathBuf; 2]> {
        Ok(match self {
            Self::Cargo(cargo) => {
                let packages = cargo.own_packages()?;
                [&packages.target_directory, packages.build_directory()].map(Path::to_owned)
            }
            Self::Command(command) => {
                let directory = command.cmake.as_ref().map(|cmake| &*cmake.directory);
                let directory = directory.or(command.executable.parent());
                let directory = directory.unwrap_or(&command.package).to_owned();
                [directory.clone(), directory]
            }
        })
    }

    /// Returns the environment of the build.
    pub(super) fn environment(&self) -> &[(OsString, OsString)] {
        match self {
            Self::Cargo(cargo) => &cargo.environment,
            Self::Command(command) => &command.environment,
        }
    }

    /// Returns true if the build may not see the work tree at this side's path: another program can
    /// run the compiler, or the build directory is not known.
    pub(super) fn needs_own_path(&self) -> bool {
        match self {
            Self::Cargo(cargo) => cargo.has_wrapper(),
            Self::Command(command) => command.cmake.as_ref().is_none_or(CmakeBuild::has_launcher),
        }
    }
}

impl BuildCommand {
    /// Returns the command that builds this executable of the package in this directory.
    pub fn new(text: &str, executable: &Path, package: &Path) -> Result<Self> {
        let directory = executable.ancestors().skip(1).find(|path| path.join(CACHE).is_file());
        let cmake = directory.map(|directory| {
            let path = directory.join(CACHE);
            let cache = files::read_to_string(&path).map_err(Error::io("read", &path))?;
            Ok::<_, Error>(CmakeBuild { directory: directory.to_owned(), cache })
        });
        Ok(Self {
            text: text.to_owned(),
            executable: executable.to_owned(),
            package: package.to_owned(),
            cmake: cmake.transpose()?,
            environment: env::vars_os().collect(),
        })
    }

    fn description(&self) -> String {
        let Self { text, executable, cmake, environment, .. } = self;
        let cache = cmake.as_ref().map(|cmake| hash(cmake.cache.as_bytes()));
        format!("{text:?} {} {cache:?} {}", executable.display(), description_of(environment))
    }

    /// Builds the executable in the work tree in this place, in place of this side's at `top`.
    pub(super) fn build(&self, top: &Path, place: &TreePlace, revision: &str) -> Result<Built> {
        let executable = seen(&self.executable, top, place)?;
        let own = place.own_path(&executable);
        if let Some(cmake) = &self.cmake {
            let mut command = cmake.configure(top, place)?;
            self.run(&mut command, top, place, revision)?;
        }
        // The one of another revision can be there
        let _ = fs::remove_file(&own);
        let mut command = Command::new("sh");
        self.run(command.arg("-c").arg(&self.text), top, place, revision)?;
        if !own.is_file() {
            let (command, revision) = (self.text.clone(), revision.to_owned());
            return Err(AgainstError::NoExecutable { command, executable, revision }.into());
        }
        let package = seen(&self.package, top, place).unwrap_or_else(|_| place.tree.clone());
        Ok(Built { executable, package })
    }

    /// Runs a command in the directory of this process in the work tree. Its output is printed if it fails.
    fn run(
        &self,
        command: &mut Command,
        top: &Path,
        place: &TreePlace,
        revision: &str,
    ) -> Result<()> {
        let directory = env::current_dir().unwrap_or_else(|_| top.to_owned());
        let directory = seen(&directory, top, place).unwrap_or_else(|_| place.tree.clone());
        place.enter(command, &directory)?;
        forget_selection(command.stdin(Stdio::null()));
        let output = process::output(command)?;
        if output.status.success() {
            return Ok(());
        }
        for stream in [output.stdout, output.stderr] {
            note::print(&String::from_utf8_lossy(&stream));
        }
        let (command, revision) = (self.text.clone(), revision.to_owned());
        Err(AgainstError::BuildCommand { command, revision, status: output.status }.into())
    }
}

impl CmakeBuild {
    /// Returns true if another program runs the compiler. Its server can see other files.
    fn has_launcher(&self) -> bool {
        let mut entries = self.cache.lines().filter_map(|line| line.split_once('='));
        entries.any(|(name, value)| name.contains("_COMPILER_LAUNCHER:") && !value.is_empty())
    }

    /// Gives the build directory of the revision the options of this one. Returns the command of `CMake` that writes the files of
    /// the build system.
    fn configure(&self, top: &Path, place: &TreePlace) -> Result<Command> {
        // No link of the revision leads to another file
        let path = place.own_path(&seen(&self.directory.join(CACHE), top, place)?);
        let own = path.parent().unwrap_or(&path);
        fs::create_dir_all(own).map_err(Error::io("create the directory", own))?;
        let cache = self.cache.replace(&*top.to_string_lossy(), &place.tree.to_string_lossy());
        replace_page(&path, cache.as_bytes()).map_err(Error::io("write", &path))?;
        let mut lines = self.cache.lines();
        let program = lines.find_map(|line| line.strip_prefix("CMAKE_COMMAND:INTERNAL="));
        let mut command = Command::new(program.unwrap_or("cmake"));
        command.arg(seen(&self.directory, top, place)?);
        Ok(command)
    }
}

/// Returns the path at which programs in this place see what this side has at this one.
fn seen(path: &Path, top: &Path, place: &TreePlace) -> Result<PathBuf> {
    if place.tree == top {
        return Ok(path.to_owned());
    }
    let relative = path.strip_prefix(top).ok();
    let seen = relative.and_then(|relative| place_in(&place.tree, relative));
    Ok(seen.ok_or_else(|| AgainstError::OutsideOfTree { path: path.to_owned() })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::PlaceInputs;

    #[test]
    fn a_build_directory_of_cmake_is_above_the_executable() {
        let root = tempfile::tempdir().unwrap();
        let build = root.path().join("build");
        let command =
            || BuildCommand::new("make", &build.join("bench/x"), root.path()).map(Builder::Command);
        fs::create_dir_all(build.join("bench")).unwrap();
        let plain = command().unwrap();
        assert_eq!(plain.directories().unwrap()[0], build.join("bench"));
        assert!(plain.needs_own_path());
        let cache = build.join(CACHE);
        for (text, has_launcher) in [
            ("CMAKE_CXX_COMPILER_LAUNCHER:STRING=\nA:STRING=b\n", false),
            ("CMAKE_CXX_COMPILER_LAUNCHER:STRING=sccache\n", true),
        ] {
            fs::write(&cache, text).unwrap();
            let known = command().unwrap();
            assert_eq!(known.directories().unwrap()[0], build);
            assert_eq!(known.needs_own_path(), has_launcher, "{text}");
            assert_ne!(known.description(), plain.description());
        }
        let error = plain.cargo().unwrap_err().to_string();
        assert!(error.contains("can't link other layouts with `make`"), "{error}");
    }

    #[test]
    fn a_tree_that_is_seen_where_it_is_has_no_files_outside() {
        let root = tempfile::tempdir().unwrap();
        let [top, tree] = ["top", "tree"].map(|name| root.path().join(name));
        let sides = PlaceInputs {
            top: &top,
            repository: &top,
            target: &top,
            build: &top,
            home: root.path(),
            own: root.path(),
            environment: &[],
        };
        let place = TreePlace::mirrored(&sides, &tree).unwrap();
        assert_eq!(seen(&top.join("build/x"), &top, &place).unwrap(), tree.join("build/x"));
        let error = seen(&root.path().join("build/x"), &top, &place).unwrap_err().to_string();
        assert!(error.contains("x is not in the work tree\nhelp: "), "{error}");
    }
}
