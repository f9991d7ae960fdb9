//! The version of the layout of results: names of files and directories.

use iai_callgrind_profile::{files, quote};
use std::io::ErrorKind;
use std::path::Path;

use super::error::OutputError;
use super::file_system::{exists, replace_file};
use crate::{Error, Result};

/// Version that this runner reads and writes.
const CURRENT: u32 = 1;

/// File that contains the version.
const FILE: &str = ".format-version";

/// Returns an error if the results in this directory have another version. A directory without the file
/// has the first version.
pub(super) fn check(home: &Path) -> Result<()> {
    let path = home.join(FILE);
    let text = match files::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(OutputError::NotADirectory { path: home.to_owned() }.into());
        }
        read => read.map_err(|error| Error::io("read", &path)(error).of_result())?,
    };
    let found = text.trim();
    if found == CURRENT.to_string() {
        return Ok(());
    }
    let (home, found) = (home.to_owned(), quote(found));
    Err(OutputError::ResultsVersion { home, found, readable: CURRENT }.into())
}

/// Writes the version if the file does not exist.
pub(super) fn write(home: &Path) -> Result<()> {
    let path = home.join(FILE);
    if exists(&path) {
        return Ok(());
    }
    replace_file(&path, format!("{CURRENT}\n").as_bytes()).map_err(Error::io("write", &path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_not_a_directory_of_results() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = check(file.path()).unwrap_err().to_string();
        let expected =
            format!("can't write results to {}: not a directory\nhelp: ", file.path().display());
        assert!(error.starts_with(&expected), "{error}");
    }

    #[test]
    fn only_the_current_version_is_known() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path();
        check(path).unwrap();
        write(path).unwrap();
        check(path).unwrap();
        for other in ["2\n", "", "1.1"] {
            fs::write(path.join(FILE), other).unwrap();
            let error = check(path).unwrap_err().to_string();
            assert!(error.contains("can't use the results in "), "{error}");
            write(path).unwrap();
            assert_eq!(fs::read_to_string(path.join(FILE)).unwrap(), other, "it stays");
        }
    }
}
