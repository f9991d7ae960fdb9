//! The path that the benchmark executable runs under, with the same length everywhere.
//!
//! Before `main` runs, the loader and the C library copy the executable's path, and read
//! `/proc/self/maps`, which contains it in several lines. The length decides what they allocate and
//! which lines of code and data they leave in the simulated caches. So the executable gets a second
//! name deep in the staging directory. The files that remain after the run contain the original path.

use iai_callgrind_base::note::print_line;
use iai_callgrind_profile::files;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use iai_callgrind_profile::Renamed;
use rustix::fs::{Access, access};

use crate::executable::Executable;
use crate::{Error, Result};

/// Length of the path: longer than paths of directories, shorter than the limit of system calls.
const LENGTH: usize = 1024;

/// Maximum length of a name in a directory, with the slash before it.
const LONGEST: usize = 256;

/// The executable's own path, and the path that it runs under.
#[derive(Debug, Default)]
pub struct StablePath(Renamed);

impl StablePath {
    /// Runs the executable under its own path.
    pub fn none(executable: &Executable) -> Self {
        Self(Renamed::new(executable.path.clone(), executable.path.clone()))
    }

    /// Links the executable below this directory. If that fails it runs under its own path, with a note.
    pub fn create(executable: &Executable, directory: &Path) -> Self {
        Self::with(executable, || link(&executable.path, directory))
    }

    /// Links the executable in this directory, whose path has a constant length itself. If that fails it
    /// runs under its own path, with a note.
    pub fn in_directory(executable: &Executable, directory: &Path) -> Self {
        let name = Path::new(&executable.path).file_name().unwrap_or_default().to_string_lossy();
        let path = format!("{}/{name}", directory.display());
        Self::with(executable, || place(&executable.path, &path).map(|()| path))
    }

    fn with(executable: &Executable, link: impl FnOnce() -> io::Result<String>) -> Self {
        if executable.uses_origin {
            log::info!(
                "{} searches for libraries in its directory: it runs there",
                executable.path
            );
            return Self::none(executable);
        }
        match link() {
            Ok(path) => Self(Renamed::new(path, executable.path.clone())),
            Err(error) => {
                print_line(&format_args!(
                    "note: {} can't run under a path of constant length, so cache metrics can depend on its path: \
                     {error}\nhelp: silence this with `--own-path`",
                    executable.path
                ));
                Self::none(executable)
            }
        }
    }

    /// Returns the same executable under the path that it has where Valgrind runs.
    #[must_use]
    pub fn moved(self, path: impl FnOnce(&str) -> String) -> Self {
        Self(Renamed::new(path(self.0.from()), self.0.to().to_owned()))
    }

    /// Returns the path to run.
    pub fn path(&self) -> &str {
        self.0.from()
    }

    /// Returns the path in the files of the tools, and its replacement.
    pub fn renamed(&self) -> &Renamed {
        &self.0
    }

    /// Rewrites a file with the executable's own path.
    pub fn restore(&self, file: &Path) -> Result<()> {
        if self.0.from() == self.0.to() {
            return Ok(());
        }
        let copy = file.with_extension("restored");
        self.append_restored(file, &copy)?;
        fs::rename(&copy, file).map_err(Error::io("write", file))
    }

    /// Appends the content of a file to another one, with the executable's own path.
    pub fn append_restored(&self, from: &Path, to: &Path) -> Result<()> {
        let mut source = BufReader::new(files::open(from).map_err(Error::io("read", from))?);
        let mut append = || -> io::Result<()> {
            let mut target = BufWriter::new(File::options().append(true).create(true).open(to)?);
            let (mut line, mut restored) = (Vec::new(), Vec::new());
            while source.read_until(b'\n', &mut line)? > 0 {
                self.0.restore_line(&line, &mut restored);
                target.write_all(&restored)?;
                line.clear();
                restored.clear();
            }
            target.flush()
        };
        append().map_err(Error::io("write", to))
    }
}

/// Links the executable below this directory and returns the path of the link.
fn link(executable: &str, directory: &Path) -> io::Result<String> {
    let name = Path::new(executable).file_name().unwrap_or_default().to_string_lossy();
    // As the kernel shows it
    let directory = directory.canonicalize()?.to_string_lossy().into_owned();
    let rest =
        LENGTH.checked_sub(directory.len() + "/".len() + name.len()).filter(|rest| *rest > 1);
    let rest = rest.ok_or_else(|| io::Error::other(format!("{directory} is too long")))?;
    let parent = directory + &padding(rest);
    fs::create_dir_all(&parent)?;
    let path = format!("{parent}/{name}");
    place(executable, &path)?;
    Ok(path)
}

/// Gives the executable this path as well.
fn place(executable: &str, path: &str) -> io::Result<()> {
    // A hard link fails on another file system, or if another user owns the executable
    let placed = fs::hard_link(executable, path).or_else(|_| fs::copy(executable, path).map(drop));
    if placed.is_err() {
        // A part of a copy would fill a disk that has space for results
        let _ = fs::remove_file(path);
    }
    placed?;
    check_executable(path)
}

/// Returns names of directories, a slash before each, with this length in total.
fn padding(length: usize) -> String {
    let names = length.div_ceil(LONGEST);
    let lengths = (0..names).map(|name| (length + name) / names);
    lengths.flat_map(|length| ["/".to_owned(), "_".repeat(length - 1)]).collect()
}

/// Fails if programs can't run from there because of the options of the file system's mount.
fn check_executable(path: &str) -> io::Result<()> {
    Ok(access(path, Access::EXEC_OK)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_has_its_length_and_valid_names() {
        for length in 2..2000 {
            let padding = padding(length);
            assert_eq!(padding.len(), length);
            let mut names = padding.split('/').skip(1);
            assert!(names.all(|name| (1..LONGEST).contains(&name.len())), "{length}");
        }
    }

    #[test]
    fn every_link_has_the_same_length_and_is_in_no_file() {
        let directory = tempfile::tempdir().unwrap();
        for (place, name) in [("a", "short"), ("somewhere/else", "a-long-name")] {
            let staging = directory.path().join(place);
            fs::create_dir_all(&staging).unwrap();
            let path = directory.path().join(name).to_string_lossy().into_owned();
            fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
            let executable = Executable::open(path.clone()).unwrap();

            let link = StablePath::create(&executable, &staging);
            assert_eq!(link.path().len(), LENGTH);
            assert!(Path::new(link.path()).ends_with(name));
            let profile = |path| format!("cmd: {path}\nob=(1) {path} {path}\n\nfn=x\n1 2");
            let file = staging.join("1.out");
            fs::write(&file, profile(link.path())).unwrap();
            link.restore(&file).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), profile(&path));
            assert_eq!(link.renamed().restored(&profile(link.path())), profile(&path));
        }
    }

    #[test]
    fn an_executable_that_cannot_be_linked_runs_under_its_own_path() {
        let directory = tempfile::tempdir().unwrap();
        let path = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        let executable = Executable::open(path.clone()).unwrap();
        assert_eq!(StablePath::create(&executable, &directory.path().join("none")).path(), path);
        let deep = directory.path().join(vec!["x".repeat(200); 5].join("/"));
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(StablePath::create(&executable, &deep).path(), path);
    }
}
