//! Massif: the peak of a process's heap.
//!
//! Massif can't measure a part of a process, so the peak includes the allocations of the fork server and
//! of setup.

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::MetricKind::{
    ExtraHeapBytes, PeakBytes, StacksBytes, UsefulHeapBytes,
};
use iai_callgrind_plan::metric::{self, Metrics};
use iai_callgrind_profile::quote;

use super::launch::{Execution, Launch};
use super::lines::ToolLines;
use super::results::{keep_files, read_files};
use super::row::Tool;
use crate::valgrind::file_argument;
use crate::{Error, Result};

/// Massif's row in the table of tools.
pub(super) static MASSIF: Tool = Tool {
    kind: ValgrindTool::Massif,
    name: "massif",
    valgrind_name: "massif",
    metrics: &metric::MASSIF,
    example: "--stacks=yes",
    file: Some("out"),
    extras: &["xtmemory.kcg"],
    execution: |_, _| Execution::PROCESS,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| keep_files(&MASSIF, processes, reading),
    read: |stored, _| read_files(&MASSIF, stored, |_, file, _| peak(file)),
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        // Makes the peak exact. By default massif ignores one that is up to 1 % larger than the last one
        "--peak-inaccuracy=0.0".into(),
        file_argument("--massif-out-file=", launch.directory, "out"),
        file_argument("--xtree-memory-file=", launch.directory, "xtmemory.kcg"),
    ]
}

/// Returns the sizes of the first snapshot with the largest sum.
fn peak(path: &Path) -> Result<Metrics> {
    let mut lines = Snapshots { lines: ToolLines::open(MASSIF.name, path)? };
    for start in HEADER {
        lines.value(start)?;
    }
    let mut peak: Option<(u64, [u64; 3])> = None;
    while let Some(sizes) = lines.next()? {
        let total = sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(*size));
        let total = total.ok_or_else(|| lines.wrong(MalformedFile::SizesTooLarge))?;
        if peak.is_none_or(|(largest, _)| total > largest) {
            peak = Some((total, sizes));
        }
    }
    let none = || lines.wrong(MalformedFile::EndsBefore(START));
    let (total, [useful, extra, stacks]) = peak.ok_or_else(none)?;
    let values = [
        (PeakBytes, total),
        (UsefulHeapBytes, useful),
        (ExtraHeapBytes, extra),
        (StacksBytes, stacks),
    ];
    Ok(values.into_iter().collect())
}

/// Starts of the first lines.
const HEADER: [&str; 3] = ["desc: ", "cmd: ", "time_unit: "];

/// First line of a snapshot.
const START: &str = "#-----------";

/// Starts of the further lines of a snapshot, up to its tree.
const SNAPSHOT: [&str; 6] =
    ["snapshot=", START, "time=", "mem_heap_B=", "mem_heap_extra_B=", "mem_stacks_B="];

/// Reads a file snapshot by snapshot.
struct Snapshots<'a> {
    lines: ToolLines<'a>,
}

impl Snapshots<'_> {
    /// Returns the rest of the next line, which has this start.
    fn value(&mut self, start: &'static str) -> Result<String> {
        let value = self.value_or_end(start)?;
        value.ok_or_else(|| self.wrong(MalformedFile::EndsBefore(start)))
    }

    /// Does the same; `None` after the last line.
    fn value_or_end(&mut self, start: &'static str) -> Result<Option<String>> {
        let Some(line) = self.lines.next_text()? else { return Ok(None) };
        if let Some(value) = line.strip_prefix(start) {
            return Ok(Some(value.to_owned()));
        }
        let line = quote(&*line);
        Err(self.wrong(MalformedFile::OtherStart { line, start }))
    }

    /// Returns the three sizes of the next snapshot; `None` after the last one.
    fn next(&mut self) -> Result<Option<[u64; 3]>> {
        if self.value_or_end(START)?.is_none() {
            return Ok(None);
        }
        let mut sizes = [0; 3];
        for (place, start) in SNAPSHOT.into_iter().enumerate() {
            let value = self.value(start)?;
            if let Some(size) = place.checked_sub(3).and_then(|place| sizes.get_mut(place)) {
                let parsed = value.parse();
                *size = parsed.map_err(|_| self.wrong(MalformedFile::NotASize(quote(&value))))?;
            }
        }
        match &*self.value("heap_tree=")? {
            "empty" => {}
            "peak" | "detailed" => self.tree()?,
            other => return Err(self.wrong(MalformedFile::UnknownTree(quote(other)))),
        }
        Ok(Some(sizes))
    }

    /// Skips a tree. Each of its lines contains the number of children: `n2: 372 0x...`.
    fn tree(&mut self) -> Result<()> {
        let mut expected = 1_u64;
        while expected > 0 {
            let line = self.value("")?;
            let below = line.trim_start().strip_prefix('n').and_then(|line| line.split_once(':'));
            let below = below.and_then(|(below, _)| below.parse::<u64>().ok());
            let below = below.and_then(|below| (expected - 1).checked_add(below));
            expected = below.ok_or_else(|| self.wrong(MalformedFile::NotInTree(quote(&line))))?;
        }
        Ok(())
    }

    fn wrong(&self, cause: MalformedFile) -> Error {
        self.lines.wrong(cause)
    }
}

#[cfg(test)]
mod tests;
