//! Reads real files, and damaged ones.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::super::fixtures::{
    assert_names_line, describe, fixture, fixtures, garbage_changes_nothing, outcome, truncations,
};
use super::peak;
use crate::Result;
use crate::tool::Measurement;

fn read(file: &Path, _: &TempDir) -> Result<Measurement> {
    peak(file).map(|total| Measurement { total, ..Measurement::default() })
}

#[test]
fn the_largest_snapshot() {
    let directory = TempDir::new().unwrap();
    for version in ["319", "324"] {
        let read = |name: &str| {
            let path = fixture("massif", &format!("{name}_{version}.out"));
            describe(&read(&path, &directory).unwrap())
        };
        let threads = "PeakBytes=2072 UsefulHeapBytes=2044 ExtraHeapBytes=28 StacksBytes=0";
        assert_eq!(read("threads"), threads, "{version}");
        assert!(!read("stacks").ends_with("StacksBytes=0"), "{version}");
    }
}

// Nothing in the file says how many snapshots there are.
#[test]
fn every_truncation_but_those_between_snapshots_is_an_error() {
    for path in fixtures("massif") {
        let content = fs::read(&path).unwrap();
        for start in truncations(&content) {
            let is_between =
                content[start.len()..].starts_with(b"#-----------\nsnapshot=") && start.len() > 200;
            match outcome(start, read) {
                Err(error) => assert_names_line(&error),
                Ok(_) => assert!(is_between, "{}", String::from_utf8_lossy(start)),
            }
        }
    }
}

#[test]
fn garbage_in_any_field_changes_nothing() {
    for path in fixtures("massif") {
        garbage_changes_nothing(&fs::read(&path).unwrap(), read);
    }
}

#[test]
fn a_file_without_snapshots() {
    let error = outcome(b"desc: x\ncmd: x\ntime_unit: i\n", read).unwrap_err();
    assert!(error.starts_with("x:3: it ends before a line with `#-----------`"), "{error}");
}
