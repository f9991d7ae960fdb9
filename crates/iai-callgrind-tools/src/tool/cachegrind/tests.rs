//! Reads real files, and damaged ones.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::super::fixtures::{
    assert_names_line, describe, fixture, fixtures, garbage_changes_nothing, outcome, truncations,
};
use super::totals;
use crate::Result;
use crate::tool::Measurement;

fn read(file: &Path, _: &TempDir) -> Result<Measurement> {
    totals(file).map(|total| Measurement { total, ..Measurement::default() })
}

#[test]
fn both_versions() {
    let directory = TempDir::new().unwrap();
    for version in ["319", "324"] {
        let read = |name: &str| {
            let path = fixture("cachegrind", &format!("{name}_{version}.out"));
            describe(&read(&path, &directory).unwrap())
        };
        assert_eq!(read("no_caches"), "Ir=304", "{version}");
        let simulation = read("simulation");
        assert!(simulation.starts_with("Ir=304 I1mr=2 ILmr=2 Dr=15 "), "{version}: {simulation}");
        assert!(simulation.contains(" Bc=41 Bcm=4 Bi=0 Bim=0"), "{version}: {simulation}");
    }
}

#[test]
fn every_truncation_is_an_error() {
    for path in fixtures("cachegrind") {
        let content = fs::read(&path).unwrap();
        for start in truncations(&content) {
            assert_names_line(&outcome(start, read).unwrap_err());
        }
    }
}

#[test]
fn garbage_in_any_field_changes_nothing() {
    for path in fixtures("cachegrind") {
        garbage_changes_nothing(&fs::read(&path).unwrap(), read);
    }
}

#[test]
fn the_function_that_makes_the_measured_call_is_left_out() {
    let file = "cmd: x\nevents: Ir Dr\nfn=<iai_callgrind_harness::region::Region>::measure::<u8>\n1 5 2\n\
                fn=work\n2 7\n3 1 .\nsummary: 13 2\n";
    assert_eq!(outcome(file.as_bytes(), read).unwrap(), "Ir=8 Dr=0");
}

#[test]
fn mistakes_and_what_is_said_about_them() {
    for (content, expected) in [
        ("", "x:1: it ends before its summary"),
        ("events: Ir Foo\n", "x:1: the event `Foo` is not known"),
        ("events: Ir\nevents: Ir\n", "x:2: the events are listed a second time"),
        ("events: Ir\n1 2 3\n", "x:2: there are 2 counts for 1 events"),
        ("events: Ir\n1 2\nsummary: 3\n", "x:3: the summary is not the sum"),
        ("1 2\n", "x:1: there are 1 counts for 0 events"),
        ("events: Ir\n1 18446744073709551615\n2 1\n", "x:3: the sum of an event exceeds 64 bits"),
        ("events: Ir\n\n", "x:2: `` is not known"),
        ("version: 2\nevents: Ir\n", "x:1: version 2 of the format is not known"),
        ("events: Ir\nsummary: 0\n\n", "x:3: the file goes on after its summary"),
    ] {
        let error = outcome(content.as_bytes(), read).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}
