//! Cachegrind: instructions and the caches, by source line.

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::{self, MetricKind, Metrics};
use iai_callgrind_plan::protocol::Counting;

use super::files::{keep_files, read_files};
use super::launch::{CACHES, Capabilities, Execution, Launch, LaunchOptions};
use super::lines::ToolLines;
use super::measurement::Measurement;
use super::row::Tool;
use crate::error::{Error, Result};
use crate::lines::quote;
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
        processes.demand_no_fork(&CACHEGRIND)?;
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
        // A child of the fork server would count what that did up to the fork
        Execution { counting: Counting::Process, alone: true }
    }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // Otherwise Valgrind executes the second half of some `a && b` before it knows `a`, and cachegrind
    // counts that. Callgrind sets this for itself
    arguments.push("--vex-guest-chase=no".into());
    if launch.execution.counting == Counting::Instrumentation {
        arguments.push("--instr-at-start=no".into());
    }
    arguments.push(file_argument("--cachegrind-out-file=", launch.directory, "out"));
    arguments
}

/// Where only the measured call counts, other processes count nothing: in them nobody makes the request
/// that starts cachegrind.
fn demand_counts(counted: &Measurement) -> Result<()> {
    let others = counted.parts.iter().skip(1);
    if others.into_iter().all(|part| part.metrics.count(MetricKind::Ir) != Some(0)) {
        return Ok(());
    }
    Err(Error::Case(
        "the benchmark starts other processes, and cachegrind can't count these.\nRun it under \
         callgrind, and switch cachegrind off for this benchmark"
            .to_owned(),
    ))
}

/// The function of the library that makes the measured call, as its costs are told: `fn=` or `fn=file:`
/// and the name.
fn is_ours(function: &str) -> bool {
    function.contains("iai_callgrind::region::Region") && function.contains("::measure")
}

/// What the file tells, without the instructions of the function that makes the measured call.
fn totals(path: &Path) -> Result<Metrics> {
    let mut lines = ToolLines::open(CACHEGRIND.name, path)?;
    let mut sums = Sums::default();
    while let Some(line) = lines.next_text()? {
        match sums.read(&line) {
            Err(what) => return Err(lines.wrong(what)),
            Ok(false) => {}
            Ok(true) if lines.next()?.is_none() => return Ok(sums.own()),
            Ok(true) => return Err(lines.wrong("the file goes on after its summary")),
        }
    }
    Err(lines.wrong("it ends before its summary"))
}

/// What the lines up to now tell.
#[derive(Default)]
struct Sums {
    events: Option<Vec<MetricKind>>,
    all: Vec<u64>,
    /// The part of the function that makes the measured call.
    ours: Vec<u64>,
    /// Whether the lines are of that function.
    in_ours: bool,
}

impl Sums {
    /// Adds what a line tells; whether it is the summary, with which a file ends.
    fn read(&mut self, line: &str) -> Result<bool, String> {
        if let Some(names) = line.strip_prefix("events: ") {
            let kinds = kinds(names)?;
            if self.events.is_some() {
                return Err("the events are listed a second time".to_owned());
            }
            (self.all, self.ours) = (vec![0; kinds.len()], vec![0; kinds.len()]);
            self.events = Some(kinds);
        } else if let Some(summary) = line.strip_prefix("summary: ") {
            if counts(summary, self.all.len())? != self.all {
                return Err("the summary is not the sum of the lines above".to_owned());
            }
            return Ok(true);
        } else if let Some(function) = line.strip_prefix("fn=") {
            self.in_ours = is_ours(function);
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let (_, text) = line.split_once(' ').unwrap_or((line, ""));
            let counts = counts(text, self.all.len())?;
            add(&mut self.all, &counts)?;
            if self.in_ours {
                add(&mut self.ours, &counts)?;
            }
        } else if let Some(version) = line.strip_prefix("version: ") {
            return Err(format!("version {version} of the format is not known"));
        } else if !["desc: ", "cmd: ", "fl=", "fi=", "fe="].iter().any(|it| line.starts_with(it)) {
            return Err(format!("{} is not known", quote(line)));
        }
        Ok(false)
    }

    /// All but what is ours.
    fn own(self) -> Metrics {
        let own = self.all.iter().zip(&self.ours).map(|(all, ours)| all - ours);
        self.events.unwrap_or_default().into_iter().zip(own).collect()
    }
}

/// The events that are counted.
fn kinds(names: &str) -> Result<Vec<MetricKind>, String> {
    let kind = |name: &str| {
        MetricKind::event(name).ok_or_else(|| format!("the event {} is not known", quote(name)))
    };
    names.split_whitespace().map(kind).collect()
}

/// The counts of a line: at most as many as there are events, those that are missing are none.
fn counts(text: &str, events: usize) -> Result<Vec<u64>, String> {
    let count = |word: &str| match word {
        "." => Ok(0),
        word => word.parse().map_err(|_| format!("{} is not a count", quote(word))),
    };
    let mut counts = text.split_whitespace().map(count).collect::<Result<Vec<u64>, _>>()?;
    if counts.len() > events {
        return Err(format!("there are {} counts for {events} events", counts.len()));
    }
    counts.resize(events, 0);
    Ok(counts)
}

fn add(sums: &mut [u64], counts: &[u64]) -> Result<(), String> {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.checked_add(*count).ok_or("the sum of an event exceeds 64 bits")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
