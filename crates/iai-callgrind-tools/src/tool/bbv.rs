//! BBV: basic block vectors for `SimPoint`. The log contains the counts.

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::MetricKind::{Instructions, Intervals};
use iai_callgrind_plan::metric::{self, Metrics};
use iai_callgrind_plan::protocol::Counting;

use super::launch::{Execution, Launch};
use super::lines::malformed;
use super::results::{keep_files, read_files};
use super::row::Tool;
use crate::Result;
use crate::valgrind::file_argument;
use crate::valgrind::log::ProcessLog;

/// BBV's row in the table of tools.
pub(super) static BBV: Tool = Tool {
    kind: ValgrindTool::BBV,
    name: "bbv",
    valgrind_name: "exp-bbv",
    metrics: &metric::BBV,
    example: "--interval-size=10000",
    file: Some("bb"),
    extras: &["pc"],
    // Children of the fork server would write into its file, and count its instructions
    execution: |_, _| Execution { counting: Counting::Process, alone: true },
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(BBV.name)?;
        keep_files(&BBV, processes, reading)
    },
    read: |stored, _| read_files(&BBV, stored, |_, _, log| totals(&stored.log, log)),
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        file_argument("--bb-out-file=", launch.directory, "bb"),
        file_argument("--pc-out-file=", launch.directory, "pc"),
    ]
}

/// Reads the sum over the threads.
fn totals(path: &Path, log: &ProcessLog) -> Result<Metrics> {
    let threads = log.lines.iter().filter(|(_, line)| line.starts_with("# Thread ")).count();
    let sum = |label: &'static str| {
        let (mut sum, mut found) = (0_u64, 0);
        for (number, line) in &log.lines {
            let Some(value) = line.strip_prefix("#   ").and_then(|line| line.strip_prefix(label))
            else {
                continue;
            };
            let value = value.split_whitespace().next().and_then(|value| value.parse().ok());
            let new = value.and_then(|value| sum.checked_add(value));
            sum =
                new.ok_or_else(|| malformed(BBV.name, path, *number, MalformedFile::NotANumber))?;
            found += 1;
        }
        if found == 0 || found != threads {
            let cause = MalformedFile::OtherThreads { found, label, threads };
            return Err(malformed(BBV.name, path, log.last, cause));
        }
        Ok(sum)
    };
    let values =
        [(Intervals, sum("Total intervals: ")?), (Instructions, sum("Total instructions: ")?)];
    Ok(values.into_iter().collect())
}

#[cfg(test)]
mod tests;
