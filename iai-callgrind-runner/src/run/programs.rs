//! The programs of commands and the paths that they run under.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use iai_callgrind_launch::named_directory;
use iai_callgrind_process::{Isolation, NativeValue, TemporaryDirectory};
use iai_callgrind_tools::executable::{Allocator, Executable};
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::valgrind::Valgrind;

use super::error::CommandFailure;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::plan::PlanError;

/// A program with the path that it runs under.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) executable: Executable,
    pub(super) path: StablePath,
    /// The directory of that path.
    _directory: Option<TemporaryDirectory>,
}

impl Program {
    /// Opens the benchmark executable, which runs under a path in this directory or under its
    /// original one.
    pub(super) fn of_benchmarks(
        path: String,
        directory: TemporaryDirectory,
        isolation: Isolation,
        valgrind: &Valgrind,
    ) -> Result<Self> {
        let executable = Executable::open(path)?;
        Failure::of_executable(&executable)?;
        let path = if isolation.is_native(NativeValue::Path) {
            StablePath::none(&executable)
        } else {
            StablePath::create(&executable, directory.path())
        };
        let path = path.moved(|path| valgrind.argument(path));
        Ok(Self { executable, path, _directory: Some(directory) })
    }
}

/// The programs of a run.
#[derive(Debug)]
pub(super) struct Programs {
    /// The benchmark executable, if there is one. Cargo's programs are in the same directory.
    benchmarks: Option<Program>,
    /// Runs programs under their own paths.
    own_paths: bool,
    /// The programs of commands.
    known: Mutex<HashMap<PathBuf, Arc<Program>>>,
    /// Allocators of all programs, including programs that other programs start.
    allocators: Mutex<HashMap<PathBuf, Allocator>>,
}

impl Programs {
    /// Creates a cache of programs with the benchmark executable.
    pub(super) fn new(benchmarks: Option<Program>, own_paths: bool) -> Self {
        Self { benchmarks, own_paths, known: Mutex::default(), allocators: Mutex::default() }
    }

    /// Returns the benchmark executable.
    pub(super) fn benchmarks(&self) -> Result<&Program> {
        Ok(self.benchmarks.as_ref().ok_or(PlanError::NoExecutable)?)
    }

    /// Returns the program of a command with this path.
    ///
    /// Programs that cargo built run in temporary directories, because the instructions at their
    /// start depend on the length of their path and on the positions of its slashes. Other programs
    /// run under their system path.
    pub(super) fn get(&self, path: PathBuf, valgrind: &Valgrind) -> Result<Arc<Program>> {
        let mut known = self.known.lock().unwrap();
        if let Some(program) = known.get(&path) {
            return Ok(Arc::clone(program));
        }
        let text = path
            .to_str()
            .filter(|path| !path.contains('\n'))
            .ok_or_else(|| Error::from(CommandFailure::ProgramPath { path: path.clone() }))?;
        let mut executable = Executable::open(text.to_owned())?;
        Failure::of_executable(&executable)?;
        let is_built = self.is_built(&path);
        // Cargo sets the library path for the programs that it built
        executable.needs_library_path &= is_built;
        let mut stable_path = StablePath::none(&executable);
        let mut directory = None;
        if is_built && !self.own_paths {
            // Under the lock of processes: a program can't run while a new process has it open for
            // writing
            directory = Some(TemporaryDirectory::create(|| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let directory = named_directory(&name)?;
                stable_path = linked(&executable, &directory)?;
                Ok::<_, Error>(directory)
            })?);
        }
        let stable_path = stable_path.moved(|path| valgrind.argument(path));
        let program = Arc::new(Program { executable, path: stable_path, _directory: directory });
        known.insert(path, Arc::clone(&program));
        Ok(program)
    }

    /// Returns the allocator of the program with this path. Finding it takes all symbols of the program.
    pub(super) fn allocator(&self, path: &Path) -> Result<Allocator> {
        let mut known = self.allocators.lock().unwrap();
        if let Some(allocator) = known.get(path) {
            return Ok(*allocator);
        }
        let allocator = Allocator::of(path)?;
        known.insert(path.to_owned(), allocator);
        Ok(allocator)
    }

    fn is_built(&self, path: &Path) -> bool {
        let benchmarks = self.benchmarks.as_ref();
        benchmarks.is_some_and(|program| is_built(Path::new(&program.executable.path), path))
    }
}

/// Returns `true` if cargo has built this program, next to this benchmark executable or above it.
pub(super) fn is_built(benchmarks: &Path, program: &Path) -> bool {
    let directory = program.parent().and_then(|directory| directory.canonicalize().ok());
    let built = benchmarks.canonicalize().ok();
    directory.zip(built).is_some_and(|(directory, built)| built.starts_with(directory))
}

/// Finds a program in a search path or, if its name has a slash, relative to this directory.
pub(super) fn find_program(
    program: &OsStr,
    search_path: Option<OsString>,
    directory: &Path,
) -> Result<PathBuf, CommandFailure> {
    which::which_in(program, search_path, directory).map_err(|_| {
        let path = directory.join(program);
        if !program.as_encoded_bytes().contains(&b'/') {
            CommandFailure::UnknownCommand { name: program.to_string_lossy().into_owned() }
        } else if path.exists() {
            CommandFailure::NotExecutable { path }
        } else {
            CommandFailure::NoProgram { path }
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

/// Links the programs of a directory into another one, which can have some of them.
pub(super) fn link_programs(from: &Path, to: &Path) -> io::Result<()> {
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
