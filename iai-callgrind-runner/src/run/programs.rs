//! The programs of commands, and the paths that they run under.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::sandbox::new_directory;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::process::TemporaryDirectory;
use crate::stable_path::StablePath;

/// A program under the path that it runs as.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) executable: Executable,
    pub(super) link: StablePath,
    /// Where the link is.
    _directory: Option<TemporaryDirectory>,
}

/// The programs that have run.
#[derive(Debug)]
pub(super) struct Programs<'a> {
    /// Where cargo puts what it builds: the benchmark executable lies there or deeper.
    built: &'a Path,
    /// Whether programs run where they lie.
    own_paths: bool,
    known: Mutex<HashMap<PathBuf, Arc<Program>>>,
}

impl<'a> Programs<'a> {
    /// No programs yet of those that cargo built with this benchmark executable.
    pub(super) fn new(executable: &'a Path, own_paths: bool) -> Self {
        Self { built: executable, own_paths, known: Mutex::default() }
    }

    /// The program with this path.
    ///
    /// Those that cargo built run in directories for temporary files, because what they do at their start
    /// depends on the length of their path and on where there are slashes in it. Others lie where the
    /// system puts them.
    pub(super) fn get(&self, path: PathBuf) -> Result<Arc<Program>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = known.get(&path) {
            return Ok(Arc::clone(program));
        }
        let text = path.to_str().ok_or_else(|| {
            Error::Case(format!("the program's path {} is not UTF-8", path.display()))
        })?;
        let mut executable = Executable::open(text.to_owned())?;
        let is_built = self.is_built(&path);
        // What cargo tells the loader is about what it built
        executable.needs_library_path &= is_built;
        let mut link = StablePath::none(&executable);
        let mut directory = None;
        if is_built && !self.own_paths {
            // What is written to must not be open in any new process when it runs
            directory = Some(TemporaryDirectory::create(|| {
                let directory = new_directory()?;
                link = linked(&executable, &directory)?;
                Ok(directory)
            })?);
        }
        let program = Arc::new(Program { executable, link, _directory: directory });
        known.insert(path, Arc::clone(&program));
        Ok(program)
    }

    fn is_built(&self, path: &Path) -> bool {
        let directory = path.parent().and_then(|directory| directory.canonicalize().ok());
        let built = self.built.canonicalize().ok();
        directory.zip(built).is_some_and(|(directory, built)| built.starts_with(directory))
    }
}

/// A link to the program in this directory, with the programs that lie beside it: it may start them.
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
