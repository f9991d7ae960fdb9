//! Massif: how large the heap of a process becomes.
//!
//! It has no way to tell a part of a process from the rest, so this is the whole one, with what the fork
//! server and set-up had allocated before.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::as_written::{finish, malformed, read};
use super::{Launch, Running, Tool};
use crate::error::{Error, Result};
use crate::metric::EventKind::{ExtraHeapBytes, PeakBytes, StacksBytes, UsefulHeapBytes};
use crate::metric::{self, Metrics};
use crate::plan::ValgrindTool;
use crate::valgrind::file_argument;

/// Massif's row in the table of tools.
pub(super) static MASSIF: Tool = Tool {
    kind: ValgrindTool::Massif,
    name: "massif",
    valgrind_name: "massif",
    metrics: &metric::MASSIF,
    example: "--stacks=yes",
    file: Some("out"),
    extras: &["xtmemory.kcg"],
    running: |_, _| Running::PROCESS,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| finish(&MASSIF, processes, reading),
    read: |stored, _| read(&MASSIF, stored, |_, file, _| peak(file)),
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        // The peak is exact. By default one that is up to 1 % larger than the last one found is left out
        "--peak-inaccuracy=0.0".into(),
        file_argument("--massif-out-file=", launch.directory, "out"),
        file_argument("--xtree-memory-file=", launch.directory, "xtmemory.kcg"),
    ]
}

/// The lines of a snapshot that hold sizes.
const SIZES: [&str; 3] = ["mem_heap_B=", "mem_heap_extra_B=", "mem_stacks_B="];

/// The sizes in the snapshot in which they are largest together, the first one of several.
fn peak(path: &Path) -> Result<Metrics> {
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |line: usize, what: String| malformed(&MASSIF, path, line, what);
    if !text.starts_with("desc: ") {
        return Err(wrong(1, "it does not begin with `desc: `".to_owned()));
    }
    let mut peak: Option<(u64, [u64; 3])> = None;
    let mut lines = (1..).zip(text.lines());
    let mut last = 1;
    while let Some((number, line)) = lines.next() {
        last = number;
        if !line.starts_with("snapshot=") {
            continue;
        }
        let sizes = snapshot(&mut lines).map_err(|(number, what)| wrong(number, what))?;
        let total = sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(*size));
        let total = total.ok_or_else(|| wrong(number, "its sizes exceed 64 bits".to_owned()))?;
        if peak.is_none_or(|(largest, _)| total > largest) {
            peak = Some((total, sizes));
        }
    }
    let (total, [useful, extra, stacks]) =
        peak.ok_or_else(|| wrong(last, "there is no snapshot before this line".to_owned()))?;
    if !text.ends_with('\n') {
        return Err(wrong(last, "it ends in the middle of this line".to_owned()));
    }
    let values = [
        (PeakBytes, total),
        (UsefulHeapBytes, useful),
        (ExtraHeapBytes, extra),
        (StacksBytes, stacks),
    ];
    Ok(values.into_iter().collect())
}

/// The sizes in the lines of a snapshot, up to its tree; or which line is wrong, and why.
fn snapshot<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
) -> Result<[u64; 3], (usize, String)> {
    let mut last = 1;
    let mut sizes = [0; 3];
    let mut expected = ["#", "time="].into_iter().chain(SIZES).chain(["heap_tree="]).enumerate();
    while let Some((place, begin)) = expected.next() {
        let (number, line) = lines.next().ok_or((last, "it ends within a snapshot".to_owned()))?;
        last = number;
        let value = line
            .strip_prefix(begin)
            .ok_or_else(|| (number, format!("expected `{begin}`, not `{line}`")))?;
        if let Some(size) = place.checked_sub(2).and_then(|place| sizes.get_mut(place)) {
            *size = value.parse().map_err(|_| (number, format!("`{value}` is no size")))?;
        }
    }
    Ok(sizes)
}

#[cfg(test)]
#[path = "massif_tests.rs"]
mod tests;
