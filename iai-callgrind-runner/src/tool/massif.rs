//! Massif: how large the heap of a process becomes.
//!
//! It has no way to tell a part of a process from the rest, so this is the whole one, with what the fork
//! server and set-up had allocated before.

use std::ffi::OsString;
use std::fs;
use std::iter::Peekable;
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

/// The sizes in the snapshot in which they are largest together, the first one of several.
fn peak(path: &Path) -> Result<Metrics> {
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |(line, what): (usize, String)| malformed(&MASSIF, path, line, what);
    if !text.ends_with('\n') {
        let last = text.lines().count().max(1);
        return Err(wrong((last, "it ends in the middle of this line".to_owned())));
    }
    let mut lines = Lines { rest: (1..).zip(text.lines()).peekable(), last: 1 };
    for begin in HEADER {
        lines.value(begin).map_err(wrong)?;
    }
    let mut peak: Option<(u64, [u64; 3])> = None;
    while peak.is_none() || lines.rest.peek().is_some() {
        let sizes = lines.snapshot().map_err(wrong)?;
        let total = sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(*size));
        let total =
            total.ok_or_else(|| wrong((lines.last, "its sizes exceed 64 bits".to_owned())))?;
        if peak.is_none_or(|(largest, _)| total > largest) {
            peak = Some((total, sizes));
        }
    }
    let (total, [useful, extra, stacks]) = peak.unwrap_or_default();
    let values = [
        (PeakBytes, total),
        (UsefulHeapBytes, useful),
        (ExtraHeapBytes, extra),
        (StacksBytes, stacks),
    ];
    Ok(values.into_iter().collect())
}

/// What the first lines begin with.
const HEADER: [&str; 3] = ["desc: ", "cmd: ", "time_unit: "];

/// What the lines of a snapshot begin with, up to its tree.
const SNAPSHOT: [&str; 7] = [
    "#-----------",
    "snapshot=",
    "#-----------",
    "time=",
    "mem_heap_B=",
    "mem_heap_extra_B=",
    "mem_stacks_B=",
];

/// The lines that are still to be read, with their numbers.
struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    rest: Peekable<I>,
    /// The number of the last one that was read.
    last: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    /// What follows this begin in the next line; or which line is wrong, and why.
    fn value(&mut self, begin: &str) -> Result<&'a str, (usize, String)> {
        let next = self.rest.next();
        let (number, line) =
            next.ok_or_else(|| (self.last, format!("it ends before a line with `{begin}`")))?;
        self.last = number;
        let value = line.strip_prefix(begin);
        value.ok_or_else(|| (number, format!("`{line}` does not begin with `{begin}`")))
    }

    /// The three sizes of the next snapshot.
    fn snapshot(&mut self) -> Result<[u64; 3], (usize, String)> {
        let mut sizes = [0; 3];
        for (place, begin) in SNAPSHOT.into_iter().enumerate() {
            let value = self.value(begin)?;
            if let Some(size) = place.checked_sub(4).and_then(|place| sizes.get_mut(place)) {
                *size = value.parse().map_err(|_| (self.last, format!("`{value}` is no size")))?;
            }
        }
        match self.value("heap_tree=")? {
            "empty" => {}
            "peak" | "detailed" => self.tree()?,
            other => return Err((self.last, format!("the tree `{other}` is not known"))),
        }
        Ok(sizes)
    }

    /// Skips a tree, in which each line says how many come below it: `n2: 372 0x...`.
    fn tree(&mut self) -> Result<(), (usize, String)> {
        let mut expected = 1_u64;
        while expected > 0 {
            let line = self.value("")?.trim_start();
            let below = line.strip_prefix('n').and_then(|line| line.split_once(':'));
            let below = below.and_then(|(below, _)| below.parse::<u64>().ok());
            let below = below.and_then(|below| (expected - 1).checked_add(below));
            expected =
                below.ok_or_else(|| (self.last, format!("`{line}` is no line of a tree")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "massif_tests.rs"]
mod tests;
