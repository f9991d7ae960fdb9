//! The instructions in the sources are those that `cargo xtask sequences` compared with Valgrind's
//! headers, assembled and compiled for their architectures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::checkout;

/// Returns the instructions of a source file with inline assembly: the lines that are a string each.
fn instructions(file: &Path) -> Vec<String> {
    let source = fs::read_to_string(file).unwrap();
    let lines = source.lines().map(str::trim);
    let strings = lines.filter_map(|line| line.strip_prefix('"')?.strip_suffix("\","));
    strings.map(ToOwned::to_owned).collect()
}

/// Returns the source file of each entry of the fixture, and its instructions.
fn entries() -> Vec<(String, Vec<String>)> {
    let mut entries: Vec<(String, Vec<String>)> = Vec::new();
    for line in include_str!("../fixtures/sequences.txt").lines() {
        match line.strip_prefix("    ") {
            None => {
                let file = line.split(['(', ')']).nth(1).unwrap();
                entries.push((file.to_owned(), Vec::new()));
            }
            // The bytes
            Some(text) if text.starts_with('=') => {}
            Some(text) => entries.last_mut().unwrap().1.push(text.to_owned()),
        }
    }
    entries
}

#[test]
fn the_sources_have_the_compared_instructions() {
    let sources = checkout().join("crates/iai-callgrind-requests/src/arch");
    let entries = entries();
    for (file, compared) in &entries {
        assert_eq!(instructions(&sources.join(file)), *compared, "{file}");
    }

    let compared: BTreeSet<_> = entries.into_iter().map(|(file, _)| file).collect();
    let names = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap());
    let names = names.filter(|entry| !instructions(&entry.path()).is_empty());
    let present = names.map(|entry| entry.file_name().into_string().unwrap());
    assert_eq!(present.collect::<BTreeSet<_>>(), compared, "run `cargo xtask sequences --bless`");
}
