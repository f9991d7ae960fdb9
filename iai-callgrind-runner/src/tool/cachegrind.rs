//! Cachegrind: instructions and the caches, by source line.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::as_written::{finish, malformed, read};
use super::callgrind::CACHES;
use super::{Abilities, Counted, Launch, Running, Tool};
use crate::error::{Error, Result};
use crate::metric::{self, EventKind, Metrics};
use crate::options::LaunchOptions;
use crate::plan::ValgrindTool;
use crate::protocol::Counting;
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
    running,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(&CACHEGRIND)?;
        let finished = finish(&CACHEGRIND, processes, reading)?;
        demand_counts(&finished.counted)?;
        Ok(finished)
    },
    read: |stored, _| read(&CACHEGRIND, stored, |_, file, _| totals(file)),
};

fn running(_: &LaunchOptions, abilities: Abilities) -> Running {
    if abilities.cachegrind_requests {
        Running { counting: Counting::Instrumentation, alone: false }
    } else {
        // A child of the fork server would count what that did up to the fork
        Running { counting: Counting::Process, alone: true }
    }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // Otherwise Valgrind executes the second half of some `a && b` before it knows `a`, and cachegrind
    // counts that. Callgrind sets this for itself
    arguments.push("--vex-guest-chase=no".into());
    if launch.running.counting == Counting::Instrumentation {
        arguments.push("--instr-at-start=no".into());
    }
    arguments.push(file_argument("--cachegrind-out-file=", launch.directory, "out"));
    arguments
}

/// Where only the measured call counts, other processes count nothing: in them nobody makes the request
/// that starts cachegrind.
fn demand_counts(counted: &Counted) -> Result<()> {
    let others = counted.parts.iter().skip(1);
    if others.into_iter().all(|part| part.metrics.count(EventKind::Ir) != Some(0)) {
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
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |line: usize, what: String| malformed(&CACHEGRIND, path, line, what);
    let mut events: Option<Vec<EventKind>> = None;
    let (mut all, mut ours) = (Vec::new(), Vec::new());
    let mut in_ours = false;
    let mut last = 1;
    for (number, line) in (1..).zip(text.lines()) {
        last = number;
        let counts = |text: &str| counts(text, all.len()).map_err(|what| wrong(number, what));
        if let Some(names) = line.strip_prefix("events: ") {
            let kinds = kinds(names).map_err(|what| wrong(number, what))?;
            if events.is_some() {
                return Err(wrong(number, "the events are listed a second time".to_owned()));
            }
            (all, ours) = (vec![0; kinds.len()], vec![0; kinds.len()]);
            events = Some(kinds);
        } else if let Some(summary) = line.strip_prefix("summary: ") {
            if counts(summary)? != all || !text.ends_with('\n') || text.lines().count() != number {
                return Err(wrong(
                    number,
                    "the summary is not the sum of the lines above".to_owned(),
                ));
            }
            let events = events.unwrap_or_default();
            let own = all.iter().zip(&ours).map(|(all, ours)| all - ours);
            return Ok(events.into_iter().zip(own).collect());
        } else if let Some(function) = line.strip_prefix("fn=") {
            in_ours = is_ours(function);
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let (_, text) = line.split_once(' ').unwrap_or((line, ""));
            let counts = counts(text)?;
            add(&mut all, &counts).map_err(|what| wrong(number, what))?;
            if in_ours {
                add(&mut ours, &counts).map_err(|what| wrong(number, what))?;
            }
        } else if !["desc: ", "cmd: ", "fl=", "fi=", "fe="].iter().any(|it| line.starts_with(it)) {
            return Err(wrong(number, format!("`{line}` is not known")));
        }
    }
    Err(wrong(last, "it ends before its summary".to_owned()))
}

/// The events that are counted.
fn kinds(names: &str) -> Result<Vec<EventKind>, String> {
    let kind = |name: &str| {
        EventKind::event(name).ok_or_else(|| format!("the event `{name}` is not known"))
    };
    names.split_whitespace().map(kind).collect()
}

/// The counts of a line: at most as many as there are events, those that are missing are none.
fn counts(text: &str, events: usize) -> Result<Vec<u64>, String> {
    let count = |word: &str| match word {
        "." => Ok(0),
        word => word.parse().map_err(|_| format!("`{word}` is not a count")),
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
#[path = "cachegrind_tests.rs"]
mod tests;
