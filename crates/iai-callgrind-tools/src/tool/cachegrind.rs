//! Cachegrind: instructions and the caches, by source line.

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::{self, MetricKind, Metrics};
use iai_callgrind_plan::protocol::Counting;
use iai_callgrind_profile::{Malformed, quote};

use super::launch::{CACHES, Capabilities, Execution, Launch, LaunchOptions};
use super::lines::ToolLines;
use super::machine_code::is_harness;
use super::measurement::{Measurement, ToolFailure};
use super::results::{keep_files, read_files};
use super::row::Tool;
use crate::Result;
use crate::valgrind::file_argument;

/// Cachegrind's row in the table of tools.
pub(super) static CACHEGRIND: Tool = Tool {
    kind: ValgrindTool::Cachegrind,
    name: "cachegrind",
    valgrind_name: "cachegrind",
    metrics: &metric::CACHEGRIND,
    example: "--branch-sim=yes",
    file: Some("out"),
    extras: &[],
    execution,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(CACHEGRIND.name)?;
        let finished = keep_files(&CACHEGRIND, processes, reading)?;
        demand_counts(&finished.measurement)?;
        Ok(finished)
    },
    read: |stored, _| read_files(&CACHEGRIND, stored, |_, file, _| totals(file)),
};

fn execution(_: &LaunchOptions, capabilities: Capabilities) -> Execution {
    if capabilities.cachegrind_requests {
        Execution { counting: Counting::Instrumentation, alone: false }
    } else {
        // A child of the fork server would count the server's instructions up to the fork
        Execution { counting: Counting::Process, alone: true }
    }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // Otherwise Valgrind evaluates `b` of some `a && b` before `a`, and cachegrind counts that. Callgrind
    // sets this itself
    arguments.push("--vex-guest-chase=no".into());
    if launch.execution.counting == Counting::Instrumentation {
        arguments.push("--instr-at-start=no".into());
    }
    arguments.push(file_argument("--cachegrind-out-file=", launch.directory, "out"));
    arguments
}

/// Fails if another process has no counts: only the measured call makes the request that starts
/// cachegrind.
fn demand_counts(counted: &Measurement) -> Result<()> {
    let others = counted.parts.iter().skip(1);
    if others.into_iter().all(|part| part.metrics.count(MetricKind::Ir) != Some(0)) {
        return Ok(());
    }
    Err(ToolFailure::UncountedProcesses.into())
}

/// Reads the counts, without the library's functions that make the measured call or record a
/// counter.
fn totals(path: &Path) -> Result<Metrics> {
    let mut lines = ToolLines::open(CACHEGRIND.name, path)?;
    let mut sums = Sums::default();
    while let Some(line) = lines.next_text()? {
        match sums.read(&line) {
            Err(cause) => return Err(lines.wrong(cause)),
            Ok(false) => {}
            Ok(true) if lines.next()?.is_none() => return Ok(sums.benchmark()),
            Ok(true) => return Err(lines.wrong(MalformedFile::AfterSummary)),
        }
    }
    Err(lines.wrong(MalformedFile::NoSummary))
}

/// Sums of the lines read so far.
#[derive(Default)]
struct Sums {
    events: Option<Vec<MetricKind>>,
    all: Vec<u64>,
    /// The part of the library's functions.
    of_harness: Vec<u64>,
    /// The lines are of one of those functions.
    in_harness: bool,
}

impl Sums {
    /// Reads a line. Returns true for the summary, the last line of a file.
    fn read(&mut self, line: &str) -> Result<bool, MalformedFile> {
        if let Some(names) = line.strip_prefix("events: ") {
            let kinds = kinds(names)?;
            if self.events.is_some() {
                return Err(Malformed::RepeatedEvents.into());
            }
            (self.all, self.of_harness) = (vec![0; kinds.len()], vec![0; kinds.len()]);
            self.events = Some(kinds);
        } else if let Some(summary) = line.strip_prefix("summary: ") {
            if counts(summary, self.all.len())? != self.all {
                return Err(MalformedFile::OtherSummary);
            }
            return Ok(true);
        } else if let Some(function) = line.strip_prefix("fn=") {
            self.in_harness = is_harness(function);
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let (_, text) = line.split_once(' ').unwrap_or((line, ""));
            let counts = counts(text, self.all.len())?;
            add(&mut self.all, &counts)?;
            if self.in_harness {
                add(&mut self.of_harness, &counts)?;
            }
        } else if let Some(version) = line.strip_prefix("version: ") {
            return Err(Malformed::UnknownVersion(version.to_owned()).into());
        } else if !["desc: ", "cmd: ", "fl=", "fi=", "fe="]
            .iter()
            .any(|start| line.starts_with(start))
        {
            return Err(MalformedFile::UnknownLine(quote(line)));
        }
        Ok(false)
    }

    /// Returns the counts of the benchmark.
    fn benchmark(self) -> Metrics {
        let counts = self.all.iter().zip(&self.of_harness).map(|(all, harness)| all - harness);
        self.events.unwrap_or_default().into_iter().zip(counts).collect()
    }
}

/// Parses the names of the events.
fn kinds(names: &str) -> Result<Vec<MetricKind>, Malformed> {
    let kind =
        |name: &str| MetricKind::event(name).ok_or_else(|| Malformed::UnknownEvent(quote(name)));
    names.split_whitespace().map(kind).collect()
}

/// Parses the counts of a line. Missing ones at the end are zero.
fn counts(text: &str, events: usize) -> Result<Vec<u64>, Malformed> {
    let count = |word: &str| match word {
        "." => Ok(0),
        word => word.parse().map_err(|_| Malformed::NotACount(quote(word))),
    };
    let mut counts = text.split_whitespace().map(count).collect::<Result<Vec<u64>, _>>()?;
    if counts.len() > events {
        return Err(Malformed::TooManyCounts { counts: counts.len(), events });
    }
    counts.resize(events, 0);
    Ok(counts)
}

fn add(sums: &mut [u64], counts: &[u64]) -> Result<(), MalformedFile> {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.checked_add(*count).ok_or(MalformedFile::SumTooLarge)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
