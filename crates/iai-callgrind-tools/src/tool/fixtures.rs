//! Real files of tools for the tests, and ways to damage them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::files::ResultFiles;
use super::measurement::Measurement;
use crate::Result;

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

/// Returns the path of a tool's fixture with this name.
pub(super) fn fixture(tool: &str, name: &str) -> PathBuf {
    Path::new(DIRECTORY).join(tool).join(name)
}

/// Lists all fixtures of a tool.
pub(super) fn fixtures(tool: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(DIRECTORY).join(tool)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 1);
    paths
}

/// Returns a result of one process with a minimal log.
pub(super) fn stored(file: &Path, directory: &TempDir) -> ResultFiles {
    let log = directory.path().join("x.log");
    fs::write(&log, "==7== Command: x\n").unwrap();
    ResultFiles { files: vec![file.to_owned()], log }
}

/// Formats the metrics: `Errors=1 Contexts=1`.
pub(super) fn describe(counted: &Measurement) -> String {
    let values = counted.total.events().map(|(kind, value)| format!("{kind}={value}"));
    values.collect::<Vec<_>>().join(" ")
}

/// Reads a file `x` with this content and formats the result.
pub(super) fn outcome(
    content: &[u8],
    read: impl Fn(&Path, &TempDir) -> Result<Measurement>,
) -> Result<String, String> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("x");
    fs::write(&path, content).unwrap();
    let prefix = directory.path().display().to_string() + "/";
    let counted = read(&path, &directory).map_err(|error| error.to_string().replace(&prefix, ""));
    counted.map(|counted| describe(&counted))
}

/// Asserts that the error contains the file's name and a line.
pub(super) fn assert_names_line(error: &str) {
    let line = error.strip_prefix("x:").and_then(|rest| rest.split_once(": "));
    assert!(
        line.is_some_and(|(line, _)| line.parse::<u64>().is_ok_and(|line| line > 0)),
        "{error}"
    );
    assert!(error.contains("remove it to start again"), "{error}");
}

/// Returns the prefixes of a file that end with a line, and those that end within its last lines.
pub(super) fn truncations(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let line_ends = (0..content.len()).filter(|&at| at == 0 || content[at - 1] == b'\n');
    let last = content.len().saturating_sub(40)..content.len();
    line_ends.chain(last).map(|length| &content[..length])
}

/// Asserts that garbage instead of any word or number of the file is an error with a line, or changes
/// nothing.
pub(super) fn garbage_changes_nothing(
    content: &[u8],
    read: impl Fn(&Path, &TempDir) -> Result<Measurement> + Copy,
) {
    const GARBAGE: [&[u8]; 4] = [b"x", b"-1", b"99999999999999999999", b"\xff\0"];
    let right = outcome(content, read).unwrap();
    let is_word = |at: usize| content[at].is_ascii_alphanumeric() || content[at] == b'_';
    let mut garbage = GARBAGE.into_iter().cycle();
    let mut start = 0;
    while start < content.len() {
        let end = (start..content.len()).find(|&at| !is_word(at)).unwrap_or(content.len());
        if let Some(garbage) = garbage.next().filter(|_| end > start) {
            let damaged = [&content[..start], garbage, &content[end..]].concat();
            match outcome(&damaged, read) {
                Err(error) => assert_names_line(&error),
                Ok(counted) => assert_eq!(counted, right, "{}", String::from_utf8_lossy(&damaged)),
            }
        }
        start = end.max(start) + 1;
    }
}
