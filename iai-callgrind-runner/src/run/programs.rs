//! The programs of commands and the paths that they run under.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::sandbox::new_directory;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::failure::Failure;
use crate::process::TemporaryDirectory;
use crate::stable_path::StablePath;
use crate::valgrind::ToolRunner;

/// A program with the path that it runs under.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) executable: Executable,
    pub(super) path: StablePath,
    /// The directory of that path.
    _directory: Option<TemporaryDirectory>,
}

/// The programs of a run.
#[derive(Debug)]
pub(super) struct Programs<'a> {
    /// The benchmark executable, if there is one: the directory of cargo's programs contains it.
    built: Option<&'a Path>,
    /// Runs programs under their own paths.
    own_paths: bool,
    /// Runs programs under other paths.
    tool_runner: Option<&'a ToolRunner>,
    known: Mutex<HashMap<PathBuf, Arc<Program>>>,
}

impl<'a> Programs<'a> {
    /// Creates a cache of programs; `executable` is the benchmark executable.
    pub(super) fn new(
        executable: Option<&'a Path>,
        own_paths: bool,
        tool_runner: Option<&'a ToolRunner>,
    ) -> Self {
        Self { built: executable, own_paths, tool_runner, known: Mutex::default() }
    }

    /// Returns the program with this path.
    ///
    /// Programs that cargo built run in temporary directories, because the instructions at their start
    /// depend on the length of their path and on the positions of its slashes. Other programs stay where
    /// the system has them.
    pub(super) fn get(&self, path: PathBuf) -> Result<Arc<Program>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = known.get(&path) {
            return Ok(Arc::clone(program));
        }
        let text = path
            .to_str()
            .ok_or_else(|| Error::from(Failure::ProgramPath { path: path.clone() }))?;
        let mut executable = Executable::open(text.to_owned())?;
        executable.check_sanitizer()?;
        let is_built = self.is_built(&path);
        // Cargo sets the library path for the programs that it built
        executable.needs_library_path &= is_built;
        let mut stable_path = StablePath::none(&executable);
        let mut directory = None;
        if is_built && !self.own_paths {
            // Under the lock of processes: a program that a new process has open for writing cannot run
            directory = Some(TemporaryDirectory::create(|| {
                let directory = new_directory()?;
                stable_path = linked(&executable, &directory)?;
                Ok(directory)
            })?);
        }
        if let Some(runner) = self.tool_runner {
            stable_path = stable_path.moved(|path| runner.argument(path));
        }
        let program = Arc::new(Program { executable, path: stable_path, _directory: directory });
        known.insert(path, Arc::clone(&program));
        Ok(program)
    }

    fn is_built(&self, path: &Path) -> bool {
        let directory = path.parent().and_then(|directory| directory.canonicalize().ok());
        let built = self.built.and_then(|built| built.canonicalize().ok());
        directory.zip(built).is_some_and(|(directory, built)| built.starts_with(directory))
    }
}

/// Finds a program in a search path or, if its name has a slash, relative to this directory.
pub(super) fn find_program(
    program: &OsStr,
    search_path: Option<OsString>,
    directory: &Path,
) -> Result<PathBuf, Failure> {
    which::which_in(program, search_path, directory).map_err(|_| {
        let path = directory.join(program);
        if !program.as_encoded_bytes().contains(&b'/') {
            Failure::UnknownCommand { name: program.to_string_lossy().into_owned() }
        } else if path.exists() {
            Failure::NotExecutable { path }
        } else {
            Failure::NoProgram { path }
        }
    })
}

/// Links the program into this directory together with its neighbours, which it may start.
fn linked(executable: &Executable, directory: &Path) -> Result<StablePath> {
    let link = StablePath::in_directory(executable, directory);
    if let Some(from) = Path::new(&executable.path).parent() {
        link_programs(from, directory).map_err(Error::io("link the programs in", from))?;
    }
    Ok(link)
}

fn link_programs(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let target = to.join(entry.file_name());
        let is_program = metadata.is_file() && metadata.permissions().mode() & 0o100 != 0;
        if is_program && !target.exists() {
            fs::hard_link(entry.path(), &target).or_else(|_| symlink(entry.path(), &target))?;
        }
    }
    Ok(())
}
