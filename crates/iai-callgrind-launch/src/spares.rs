//! Directories of cases that have ended, for the next cases.
//!
//! A case has a directory with a few small files, and two files of output. New ones for each case would cost a part of its
//! time: the file system looks for a place of each file, and on some it looks at those that were removed before.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use iai_callgrind_process::FIRST_ID;
use iai_callgrind_tools::tool::TABLE;

use crate::captured::Captured;

/// Extension of a spare directory.
const SPARE: &str = "spare";

/// The files of each case's first process, see [`FIRST_ID`]: the output of the tool at its end, and what the runner makes
/// of it.
/// A dump on request is not there until a case requests one.
const EXTENSIONS: [&str; 4] = ["log", "out", "result", TABLE];

/// Spare directories, which have no files but empty ones of a case's first process and of its output.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spares(Arc<Mutex<Vec<PathBuf>>>);

impl Spares {
    /// Moves a spare directory to this path, and its files of output to those of a case. Returns `false` without one.
    pub(crate) fn take(&self, directory: &Path, captured: Captured<'_>) -> bool {
        let spare = self.0.lock().unwrap().pop();
        let is_taken = spare.is_some_and(|spare| fs::rename(spare, directory).is_ok());
        if is_taken {
            for stream in Captured::STREAMS {
                // Without it, the case makes its own
                let _ = fs::rename(directory.join(stream), captured.file(stream));
            }
        }
        is_taken
    }

    /// Empties the directory of a case that has ended, with its output. Returns `false` if that fails.
    pub(crate) fn give_back(&self, directory: &Path, captured: Captured<'_>) -> bool {
        let emptied = empty(directory, captured);
        if let Err(error) = &emptied {
            log::debug!("the files of a case are removed: {error}");
        }
        emptied.is_ok_and(|spare| {
            self.0.lock().unwrap().push(spare);
            true
        })
    }
}

/// Empties a directory and the output, and moves both to the path of a spare directory.
fn empty(directory: &Path, captured: Captured<'_>) -> io::Result<PathBuf> {
    let known = EXTENSIONS.map(|extension| format!("{FIRST_ID}.{extension}"));
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if !(known.iter().any(|name| **name == *entry.file_name()) && truncate(&path)?) {
            fs::remove_file(path)?;
        }
    }
    for stream in Captured::STREAMS {
        let path = captured.file(stream);
        match truncate(&path) {
            Ok(true) => fs::rename(&path, directory.join(stream))?,
            Ok(false) => fs::remove_file(&path)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let spare = directory.with_extension(SPARE);
    fs::rename(directory, &spare)?;
    Ok(spare)
}

/// Empties a file. Returns `false` for a link and for a file that has other names, which a benchmark can have made.
fn truncate(path: &Path) -> io::Result<bool> {
    let is_ours = |file: &Metadata| file.is_file() && file.nlink() == 1;
    let file = path.symlink_metadata()?;
    if !is_ours(&file) {
        return Ok(false);
    }
    if file.len() > 0 {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = File::options().write(true).custom_flags(flags).open(path)?;
        if !is_ours(&file.metadata()?) {
            return Ok(false);
        }
        file.set_len(0)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_next_case_finds_no_file_with_content_and_none_of_another_process() {
        let staging = tempfile::tempdir().unwrap();
        let path = |name: &str| staging.path().join(name);
        let write = |name: &str| fs::write(path(name), "of the first").unwrap();
        fs::create_dir(path("1.d")).unwrap();
        for name in ["1000.log", "1000.out", "1000.out.1", "1001.log", "1000.out.2", "other"] {
            write(&format!("1.d/{name}"));
        }
        let captured = |number| Captured::new(staging.path(), number);
        for stream in Captured::STREAMS {
            fs::write(captured(1).file(stream), "of the first").unwrap();
        }
        let spares = Spares::default();
        assert!(!spares.take(&path("2.d"), captured(2)), "there is none yet");
        assert!(spares.give_back(&path("1.d"), captured(1)));
        assert!(spares.take(&path("2.d"), captured(2)));
        let files = |directory: &Path| {
            let files = fs::read_dir(directory).unwrap().map(Result::unwrap);
            let file = |file: fs::DirEntry| {
                (file.file_name().into_string().unwrap(), file.metadata().unwrap().len())
            };
            let mut files: Vec<_> = files.map(file).collect();
            files.sort();
            files
        };
        let empty = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let expected: Vec<(String, u64)> = empty(&["1000.log", "1000.out"]);
        assert_eq!(files(&path("2.d")), expected);
        fs::remove_dir_all(path("2.d")).unwrap();
        assert_eq!(files(staging.path()), empty(&["00000002.stderr", "00000002.stdout"]));
    }

    #[test]
    fn what_a_benchmark_has_linked_keeps_its_content() {
        let staging = tempfile::tempdir().unwrap();
        let path = |name: &str| staging.path().join(name);
        fs::create_dir(path("1.d")).unwrap();
        for kept in ["one", "two"] {
            fs::write(path(kept), kept).unwrap();
        }
        symlink(path("one"), path("1.d/1000.log")).unwrap();
        fs::hard_link(path("two"), path("1.d/1000.out")).unwrap();
        let captured = Captured::new(staging.path(), 1);
        assert!(Spares::default().give_back(&path("1.d"), captured));
        for kept in ["one", "two"] {
            assert_eq!(fs::read_to_string(path(kept)).unwrap(), kept);
        }
        // A directory is not a file of a case
        fs::create_dir_all(path("2.d/directory")).unwrap();
        assert!(!Spares::default().give_back(&path("2.d"), captured));
    }
}
