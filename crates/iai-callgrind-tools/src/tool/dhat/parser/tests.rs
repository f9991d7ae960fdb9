//! Reads real files, and damaged ones.

use std::fs;
use std::path::Path;

use iai_callgrind_plan::{EntryPoint, SanitizeOutput};
use tempfile::TempDir;

use crate::Result;
use crate::tool::fixtures::{
    assert_names_line, describe, fixture, fixtures, garbage_changes_nothing, outcome, stored,
    truncations,
};
use crate::tool::{DHAT, LaunchOptions};
use crate::tool::{Measurement, ReadOptions};

fn read_as(file: &Path, directory: &TempDir, entry_point: EntryPoint) -> Result<Measurement> {
    let options = LaunchOptions {
        arguments: Vec::new(),
        entry_point,
        frames: Vec::new(),
        sanitize_output: SanitizeOutput::default(),
        cold_caches: false,
        separate_threads: false,
        traces_heap: false,
    };
    (DHAT.read)(&stored(file, directory), &ReadOptions { options: Some(&options), wanted: &[] })
}

fn read(file: &Path, directory: &TempDir) -> Result<Measurement> {
    read_as(file, directory, EntryPoint::None)
}

#[test]
fn all_versions_and_modes() {
    for (name, versions, expected) in [
        (
            "threads",
            &["316", "319", "324"][..],
            "TotalBytes=2060 TotalBlocks=4 AtTGmaxBytes=2044 AtTGmaxBlocks=3 AtTEndBytes=1500 \
             AtTEndBlocks=1 ReadsBytes=512 WritesBytes=81 TotalLifetimes=",
        ),
        ("ad_hoc", &["319", "324"], "TotalUnits=6 TotalEvents=3"),
        ("copy", &["319", "324"], "TotalBytes="),
    ] {
        for version in versions {
            let directory = TempDir::new().unwrap();
            let path = fixture("dhat", &format!("{name}_{version}.out"));
            let counted = describe(&read(&path, &directory).unwrap());
            assert!(counted.starts_with(expected), "{name} {version}: {counted}");
        }
    }
}

#[test]
fn what_counts_by_default_is_not_the_main_threads() {
    let directory = TempDir::new().unwrap();
    let file = fixture("dhat", "threads_319.out");
    let counted = describe(&read_as(&file, &directory, EntryPoint::Default).unwrap());
    assert!(counted.starts_with("TotalBytes=0 TotalBlocks=0 AtTGmaxBytes=0"), "{counted}");
    let leak = EntryPoint::Custom("le?k".to_owned());
    let counted = describe(&read_as(&file, &directory, leak).unwrap());
    assert!(counted.starts_with("TotalBytes=1500 TotalBlocks=1 "), "{counted}");
}

#[test]
fn every_truncation_is_an_error() {
    for path in fixtures("dhat") {
        let content = fs::read(&path).unwrap();
        let whole = content.trim_ascii_end().len();
        for start in truncations(&content).filter(|start| start.len() < whole) {
            assert_names_line(&outcome(start, read).unwrap_err());
        }
    }
}

#[test]
fn garbage_in_any_field_changes_nothing() {
    for path in fixtures("dhat") {
        garbage_changes_nothing(&fs::read(&path).unwrap(), read);
    }
}

#[test]
fn damaged_files_and_their_errors() {
    let content = fs::read_to_string(fixture("dhat", "threads_319.out")).unwrap();
    let error = |from: &str, to: &str| outcome(content.replacen(from, to, 1).as_bytes(), read);
    for (from, to, expected) in [
        ("Version\":2", "Version\":3", "x:2: version 3 of the format is not known"),
        ("heap", "heaps", "x:2: unknown variant `heaps`, expected one of `heap`"),
        ("\"fs\":[1", "\"fs\":[99", "x:20: there is no frame 99"),
        ("\"gb\"", "\"g\"", "x:20: a field is missing"),
        ("\"tb\":1500", "\"tb\":18446744073709551615", "the sum of TotalBytes exceeds 64 bits"),
    ] {
        let error = error(from, to).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

// The version is checked first, because another one can change everything else.
#[test]
fn another_version_is_the_first_error() {
    let error = outcome(b"{\"dhatFileVersion\":3,\"modes\":[\"heap\"]}\n", read).unwrap_err();
    assert!(error.starts_with("x:1: version 3 of the format is not known"), "{error}");
}
