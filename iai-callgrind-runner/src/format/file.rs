//! Files that reports go to.

use std::fs;
use std::path::PathBuf;

use super::document::Format;
use crate::error::{Error, Result};
use crate::output::{beside, write_whole};

/// What stands for the name of the package in a path.
const PACKAGE: &str = "{package}";
/// What stands for the name of the benchmark file in a path.
const FILE: &str = "{file}";

/// A report that goes to a file.
#[derive(Debug, Clone)]
pub(crate) struct ReportFile {
    pub(crate) format: &'static Format,
    pub(crate) path: PathBuf,
}

impl ReportFile {
    /// The same for a benchmark file, whose name takes the place of the placeholder.
    pub(crate) fn of_file(&self, package: &str, file: &str) -> Self {
        let path = self.path.to_string_lossy().replace(PACKAGE, package).replace(FILE, file);
        Self { format: self.format, path: path.into() }
    }

    /// Fails if the file can't be written, or holds something else than an earlier report of a file
    /// with these groups: `file::group`. Cargo runs each benchmark file by itself, and the second one
    /// should not overwrite what the first one wrote.
    pub(crate) fn check(&self, groups: &[String]) -> Result<()> {
        let path = &self.path;
        if let Ok(metadata) = fs::metadata(path) {
            if !metadata.is_file() {
                return Err(Error::Report(format!("{} is not a file", path.display())));
            }
            let content = fs::read(path).map_err(Error::io("read", path))?;
            let content = String::from_utf8_lossy(&content);
            let is_ours = |group: &String| content.contains(group.as_str());
            if !content.is_empty() && !groups.iter().any(is_ours) {
                return Err(Error::Report(format!(
                    "{} is not a report of these benchmarks, so it is not overwritten.\nRemove it, or \
                     write {FILE} in the path to have a report for each benchmark file",
                    path.display()
                )));
            }
        }
        beside(path).map(drop).map_err(Error::io("write", path))
    }

    /// Writes the report in one piece.
    pub(crate) fn write(&self, content: &str) -> Result<()> {
        write_whole(&self.path, content.as_bytes()).map_err(Error::io("write", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown::MARKDOWN;
    use super::*;

    #[test]
    fn only_an_earlier_report_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.md");
        let report = ReportFile { format: &MARKDOWN, path: path.clone() };
        let check = || report.check(&["file::group".to_owned()]);
        assert!(check().is_ok());
        assert!(!path.exists(), "nothing is written before the end");
        fs::write(&path, "").unwrap();
        assert!(check().is_ok());
        fs::write(&path, "`file::group::function`").unwrap();
        assert!(check().is_ok());
        fs::write(&path, "`other::group::function`").unwrap();
        assert!(check().unwrap_err().to_string().contains("write {file} in the path"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(check().unwrap_err().to_string().contains("is not a file"));
    }
}
