//! Files that reports go to.

use std::fs;
use std::path::PathBuf;

use super::Format;
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
    /// Reads `markdown:target/report.md`.
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        let (name, path) = text
            .split_once(':')
            .ok_or_else(|| format!("`{text}` has no path: write `FORMAT:PATH`"))?;
        let format = Format::named(name).ok_or_else(|| {
            format!("there is no format `{name}`: take one of {}", Format::names().join(", "))
        })?;
        if path.is_empty() {
            return Err(format!("`{text}` has no path: write `{name}:PATH`"));
        }
        Ok(Self { format, path: path.into() })
    }

    /// The same for a benchmark file, whose name takes the place of the placeholder.
    pub(crate) fn of_file(&self, package: &str, file: &str) -> Self {
        let path = self.path.to_string_lossy().replace(PACKAGE, package).replace(FILE, file);
        Self { format: self.format, path: path.into() }
    }

    /// Fails if the file can't be written, or holds something else than an earlier report of a file
    /// with these groups: `file::group`. Cargo runs each benchmark file by itself, and the second one
    /// should not overwrite what the first one wrote.
    pub(super) fn check(&self, groups: &[String]) -> Result<()> {
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
    pub(super) fn write(&self, content: &str) -> Result<()> {
        write_whole(&self.path, content.as_bytes()).map_err(Error::io("write", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_report_has_a_format_and_a_path() {
        let report = ReportFile::parse("markdown:/tmp/{package}/a:b-{file}.md").unwrap();
        assert_eq!(report.format.name, "markdown");
        let path = report.of_file("crate", "bench").path;
        assert_eq!(path, Path::new("/tmp/crate/a:b-bench.md"));
        for (wrong, part) in [
            ("markdown", "write `FORMAT:PATH`"),
            ("markdown:", "write `markdown:PATH`"),
            ("xml:path", "no format `xml`: take one of json, pretty-json, "),
            ("default:path", "no format `default`"),
        ] {
            let message = ReportFile::parse(wrong).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn only_an_earlier_report_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.md");
        let report = ReportFile { format: Format::named("markdown").unwrap(), path: path.clone() };
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
