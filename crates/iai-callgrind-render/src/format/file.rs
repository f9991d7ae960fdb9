//! Report files.

use iai_callgrind_profile::files;
use iai_callgrind_store::{create_sibling, encode_name, replace_file, shorten};
use std::fs;
use std::path::{Path, PathBuf};

use super::document::Format;
use super::json::JSON;
use iai_callgrind_plan::{decode, encode};

use crate::error::{Error, ReportError, Result};

/// The directory of the summaries that pages in HTML are made from.
pub const DATA: &str = "data";
/// Placeholder for the name of the package in a path.
const PACKAGE: &str = "{package}";
/// Placeholder for the name of the benchmark file in a path.
const FILE: &str = "{file}";
/// Longest name in place of a placeholder, so that two of them fit into the name of a file.
const LONGEST_NAME: usize = 100;

/// A report that is written to a file.
#[derive(Debug, Clone)]
pub struct ReportFile {
    /// The format of the file.
    pub format: &'static Format,
    /// The path, which can have placeholders.
    pub path: PathBuf,
}

impl ReportFile {
    /// Returns the file with the summaries of a benchmark file that pages in this directory are made from.
    pub fn of_pages(directory: &Path) -> Self {
        let path = directory.join(DATA).join(format!("{PACKAGE}.{FILE}.json"));
        Self { format: &JSON, path }
    }

    /// Replaces the placeholders in the path.
    #[must_use]
    pub fn resolve(&self, package: &str, file: &str) -> Self {
        Self { format: self.format, path: resolve(&self.path, package, file) }
    }

    /// Returns an error if the file cannot be written, or is not an earlier report on one of these
    /// groups (`file::group`). Cargo runs each benchmark file on its own, and a report must not
    /// replace another file's.
    pub fn check(&self, groups: &[String]) -> Result<()> {
        let path = &self.path;
        if let Ok(metadata) = fs::metadata(path) {
            if !metadata.is_file() {
                return Err(ReportError::NotAFile { path: path.clone() }.into());
            }
            let content = files::read(path).map_err(Error::io("read", path))?;
            let content = String::from_utf8_lossy(&content);
            let is_on_group = |group: &String| content.contains(group.as_str());
            if !content.is_empty() && !groups.iter().any(is_on_group) {
                return Err(ReportError::ForeignReport { path: path.clone() }.into());
            }
        }
        create_sibling(path).map(drop).map_err(Error::io("write", path))
    }

    /// Writes the report in one step.
    pub fn write(&self, content: &str) -> Result<()> {
        replace_file(&self.path, content.as_bytes()).map_err(Error::io("write", &self.path))
    }
}

/// Replaces the placeholders in a path. A name from a report of others can look like a path, or be
/// too long for a file's name: it is encoded and shortened.
pub(super) fn resolve(path: &Path, package: &str, file: &str) -> PathBuf {
    let name = |name: &str| {
        let is_path = name.starts_with('.') || name.contains(['/', '{']);
        let is_encoded = is_path || name.contains(char::is_control);
        let name = if is_encoded { encode_name(name) } else { name.to_owned() };
        shorten(&name, LONGEST_NAME)
    };
    let path = encode(path.as_os_str()).replace(PACKAGE, &name(package));
    decode(&path.replace(FILE, &name(file))).into()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::super::markdown::MARKDOWN;
    use super::*;

    #[test]
    fn a_name_in_a_path_is_one_component() {
        let path = Path::new("site/data/{package}.{file}.json");
        assert_eq!(resolve(path, "a-b", "f"), Path::new("site/data/a-b.f.json"));
        for name in ["../../x", "/etc/x", "..", "a/b", "a\0", "{file}", &"\u{1b}".repeat(200)] {
            for (package, file) in [(name, "f"), ("p", name)] {
                let resolved = resolve(path, package, file);
                assert_eq!(resolved.parent().unwrap(), Path::new("site/data"), "{name}");
                assert!(resolved.file_name().unwrap().len() < 255, "{name}");
            }
        }
    }

    #[test]
    fn a_path_that_is_not_utf8_stays() {
        let path = Path::new(OsStr::from_bytes(b"caf\xe9/{file}.json"));
        let resolved = resolve(path, "p", "f");
        assert_eq!(resolved, Path::new(OsStr::from_bytes(b"caf\xe9/f.json")));
    }

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
        assert!(check().unwrap_err().to_string().contains("with {file} in the path"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(check().unwrap_err().to_string().contains(": not a file"));
    }
}
