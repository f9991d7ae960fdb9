//! Real profiles for the tests, and ways to damage them.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::Metrics;

use crate::addresses::AddressProfile;
use crate::collector::Addresses;
use crate::dump::{CallSource, Dump, DumpFile};
use crate::error::Error;
use crate::renamed::Renamed;
use crate::text::BodyText;

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/callgrind/");

/// Returns the path of the profile with this name.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(DIRECTORY).join(name)
}

/// Lists all profiles.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let entries = fs::read_dir(DIRECTORY).unwrap().map(|entry| entry.unwrap().path());
    let profiles: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "out"))
        .collect();
    assert!(!profiles.is_empty());
    profiles
}

/// Returns copies of a profile with one word replaced, each with the first word of that line.
pub(crate) fn damage(content: &[u8]) -> Vec<(Vec<u8>, String)> {
    const GARBAGE: [&[u8]; 4] = [b"x", b"-1", b"99999999999999999999", b"\xff\0"];
    let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
    let from_header_and_end =
        (0..40.min(lines.len())).chain(lines.len().saturating_sub(3)..lines.len());
    let mut garbage = GARBAGE.into_iter().cycle();
    let mut copies = Vec::new();
    for at in from_header_and_end {
        let words: Vec<&[u8]> = lines[at].split(|byte| *byte == b' ').collect();
        for (word, garbage) in (0..words.len()).zip(garbage.by_ref()) {
            let mut words = words.clone();
            words[word] = garbage;
            let line = words.join(&b' ');
            let mut lines = lines.clone();
            lines[at] = &line;
            let name = String::from_utf8_lossy(words.first().unwrap_or(&garbage)).into_owned();
            copies.push((lines.join(&b'\n'), name));
        }
    }
    copies
}

/// Returns the lines of a dump's body as they are read, and its totals.
pub(crate) fn body(
    text: &str,
    calls: CallSource<'_>,
    addresses: Addresses,
) -> Result<(String, Metrics, Option<AddressProfile>), String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, text).unwrap();
    let prefix = format!("{}:", file.path().display());
    let read = || {
        let dump = DumpFile { path: file.path(), link: Renamed::NONE, calls };
        let mut dump = Dump::open(dump, addresses)?;
        let (mut body, mut output) = (BodyText::default(), Vec::new());
        while dump.next(&mut |line, names| body.write(line, names, &mut output))? {}
        let output = String::from_utf8(output).unwrap();
        Ok((output, dump.totals()?.clone(), dump.take_addresses()))
    };
    read().map_err(|error: Error| error.to_string().replace(&prefix, ""))
}
