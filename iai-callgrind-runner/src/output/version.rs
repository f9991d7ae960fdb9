//! The version of the format that results are kept in: of the names of files and directories.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use iai_callgrind_plan as plan;

use super::write_whole;
use crate::error::{Error, Result};

/// The version that this runner reads and writes.
const CURRENT: u32 = 1;

/// The file that holds it.
const FILE: &str = ".format-version";

/// Fails if the results in this directory are of another version, which nobody may touch then. Where it
/// is not told the results are older than this file, and of the first version.
pub(super) fn check(home: &Path) -> Result<()> {
    let path = home.join(FILE);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        read => read.map_err(Error::io("read", &path))?,
    };
    let found = text.trim();
    if found == CURRENT.to_string() {
        return Ok(());
    }
    Err(Error::Output(format!(
        "the results in {} have the format {found:?}, but iai-callgrind-runner {} knows the format \
         \"{CURRENT}\".\nUse the version that wrote them, or another output directory with --home",
        home.display(),
        plan::VERSION
    )))
}

/// Tells the version, if it is not told yet.
pub(super) fn write(home: &Path) -> Result<()> {
    let path = home.join(FILE);
    if path.exists() {
        return Ok(());
    }
    write_whole(&path, format!("{CURRENT}\n").as_bytes()).map_err(Error::io("write", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(error.contains("have the format"), "{error}");
            write(path).unwrap();
            assert_eq!(fs::read_to_string(path.join(FILE)).unwrap(), other, "it stays");
        }
    }
}
