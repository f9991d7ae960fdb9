//! Memcheck, helgrind and DRD: they find errors, and report them in their logs.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::MetricKind::{
    Contexts, DefinitelyLostBlocks, DefinitelyLostBytes, Errors, IndirectlyLostBlocks,
    IndirectlyLostBytes, PossiblyLostBlocks, PossiblyLostBytes, ReachableBlocks, ReachableBytes,
    SuppressedContexts, SuppressedErrors,
};
use iai_callgrind_plan::metric::{self, MetricKind, MetricSet};
use iai_callgrind_profile::quote;

use super::files::{Collected, Processes};
use super::launch::{Execution, Launch, LaunchOptions};
use super::lines::malformed;
use super::measurement::{Measurement, ProcessMetrics};
use super::results::kept_files;
use super::row::Tool;
use crate::Result;
use crate::valgrind::file_argument;
use crate::valgrind::log::{self, ProcessLog};

/// Exit code of a process with errors, unless the user sets another.
const EXIT_CODE: i32 = 201;
const EXIT_CODE_OPTION: &str = "--error-exitcode=";

/// Number of lines of a report that an error shows.
const LONGEST_REPORT: usize = 100;

/// Memcheck's row in the table of tools.
pub static MEMCHECK: Tool = Tool {
    kind: ValgrindTool::Memcheck,
    example: "--track-origins=yes",
    extras: &["xtmemory.kcg", "xtleak.kcg"],
    arguments: memcheck_arguments,
    finish: |processes, _| finish(&MEMCHECK, processes),
    read: |stored, _| read(&MEMCHECK, &stored.log),
    ..row(ValgrindTool::Memcheck, "memcheck", &metric::MEMCHECK)
};

/// Helgrind's row in the table of tools.
pub(super) static HELGRIND: Tool = Tool {
    example: "--history-level=approx",
    extras: &["xtmemory.kcg"],
    finish: |processes, _| finish(&HELGRIND, processes),
    read: |stored, _| read(&HELGRIND, &stored.log),
    ..row(ValgrindTool::Helgrind, "helgrind", &metric::ERRORS)
};

/// DRD's row in the table of tools.
pub(super) static DRD: Tool = Tool {
    example: "--exclusive-threshold=100",
    finish: |processes, _| finish(&DRD, processes),
    read: |stored, _| read(&DRD, &stored.log),
    ..row(ValgrindTool::DRD, "drd", &metric::ERRORS)
};

/// Returns the common part of the three rows.
const fn row(kind: ValgrindTool, name: &'static str, metrics: &'static MetricSet) -> Tool {
    Tool {
        kind,
        name,
        valgrind_name: name,
        metrics,
        example: "",
        file: None,
        extras: &[],
        execution: |_, _| Execution::PROCESS,
        arguments,
        exit_code,
        finish: |processes, _| finish(&MEMCHECK, processes),
        read: |stored, _| read(&MEMCHECK, &stored.log),
    }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        format!("{EXIT_CODE_OPTION}{EXIT_CODE}").into(),
        file_argument("--xtree-memory-file=", launch.directory, "xtmemory.kcg"),
    ]
}

fn memcheck_arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments = arguments(launch);
    // Definite leaks are errors. Possible ones are not: the stack of a running thread has such blocks
    let leaks =
        ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];
    arguments.extend(leaks.map(OsString::from));
    arguments.push(file_argument("--xtree-leak-file=", launch.directory, "xtleak.kcg"));
    arguments
}

/// Returns the exit code of processes with errors: the last one of the arguments.
fn exit_code(options: &LaunchOptions) -> i32 {
    let given = options.arguments.iter().rev();
    let given = given.filter_map(|argument| argument.strip_prefix(EXIT_CODE_OPTION));
    given.map(|code| code.parse().unwrap_or(EXIT_CODE)).next().unwrap_or(EXIT_CODE)
}

fn finish(tool: &'static Tool, processes: &Processes<'_>) -> Result<Collected> {
    let files = kept_files(tool, processes)?;
    let is_complete = |process: &&Path| log_is_complete(&process.with_extension("log"));
    if let Some(process) = processes.all().find(|process| !is_complete(process)) {
        return Err(processes.not_written(process, tool.name));
    }
    let mut measurement = read(tool, processes.log)?;
    let has_errors = measurement.total.count(Errors) > Some(0);
    if has_errors && exit_code(processes.options) != 0 {
        measurement.errors = Some(report(processes.log)?);
    }
    Ok(Collected { measurement, call_graph: None, addresses: None, files })
}

/// Returns `true` for the log of a process that came to its end.
fn log_is_complete(log: &Path) -> bool {
    log::processes(log, |line| line.starts_with(ERROR_SUMMARY))
        .is_ok_and(|logs| logs.iter().all(|log| !log.lines.is_empty()))
}

/// Returns the messages of the tool about each process with errors.
fn report(log: &Path) -> Result<String> {
    let has_errors =
        |process: &ProcessLog| error_summary(process).is_some_and(|(_, metrics)| metrics[0].1 > 0);
    let logs = log::processes(log, has_counts())?;
    let has_errors: Vec<_> = logs.iter().map(has_errors).collect();
    let (mut report, mut lines) = (String::new(), 0_usize);
    let mut begun = None;
    log::each_message(log, |message| {
        let is_over = begun == Some(message.process) || !is_preamble(message.text);
        if has_errors.get(message.process) != Some(&true) || !is_over {
            return;
        }
        begun = Some(message.process);
        lines += 1;
        if lines <= LONGEST_REPORT {
            // Writing to a string can't fail
            let _ = writeln!(report, "{}", message.text);
        }
    })?;
    if lines > LONGEST_REPORT {
        let _ = writeln!(report, "... {} more lines are in the log", lines - LONGEST_REPORT);
    }
    Ok(report)
}

/// Selects the lines with counts: a log can be large.
fn has_counts() -> impl FnMut(&str) -> bool {
    const STARTS: [&str; 4] = [ERROR_SUMMARY, NO_LEAKS, HEAP_SUMMARY, NOT_REQUESTED];
    let mut of_leaks = 0;
    move |line| {
        of_leaks =
            if line == LEAK_SUMMARY { 1 + LEAKS.len() } else { usize::saturating_sub(of_leaks, 1) };
        of_leaks > 0 || STARTS.iter().any(|start| line.starts_with(start))
    }
}

/// Returns true for a line of Valgrind's introduction with tool and command.
fn is_preamble(line: &str) -> bool {
    const STARTS: [&str; 7] = [
        "Memcheck, ",
        "Helgrind, ",
        "drd, ",
        "Copyright ",
        "Using Valgrind",
        "Command: ",
        "Parent PID: ",
    ];
    line.is_empty() || STARTS.iter().any(|start| line.starts_with(start))
}

/// Reads the counts of each process from the log.
fn read(tool: &'static Tool, path: &Path) -> Result<Measurement> {
    let mut parts = Vec::new();
    for log in log::processes(path, has_counts())? {
        let Some((_, errors)) = error_summary(&log) else {
            return Err(malformed(tool.name, path, log.last, MalformedFile::NoErrorSummary));
        };
        let leaks = leaks(&log).map_err(|(line, cause)| malformed(tool.name, path, line, cause))?;
        parts.push((log, errors, leaks));
    }
    if parts.is_empty() {
        return Err(malformed(tool.name, path, 1, MalformedFile::NoValgrindLine));
    }
    // A process without blocks reports no leak even if the others don't report leaks
    let is_memcheck = tool.kind == ValgrindTool::Memcheck;
    let reports_leaks = is_memcheck && parts.iter().all(|(_, _, leaks)| leaks.is_some());
    let parts = parts.into_iter().map(|(log, errors, leaks)| {
        let leaks = leaks.filter(|_| reports_leaks).into_iter().flatten();
        let metrics = errors.into_iter().chain(leaks).collect();
        ProcessMetrics { pid: log.pid, thread: None, command: log.preamble.command, metrics }
    });
    Measurement::from_parts(parts.collect()).map_err(|error| malformed(tool.name, path, 1, error))
}

/// Parses the last `ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)`, and returns its line.
fn error_summary(log: &ProcessLog) -> Option<(usize, [(MetricKind, u64); 4])> {
    let kinds = [Errors, Contexts, SuppressedErrors, SuppressedContexts];
    log.lines.iter().rev().find_map(|(number, line)| {
        let summary = line.strip_prefix(ERROR_SUMMARY)?;
        let (errors, rest) = summary.split_once(" errors from ")?;
        let (contexts, rest) = rest.split_once(" contexts (suppressed: ")?;
        let (suppressed, rest) = rest.split_once(" from ")?;
        let values = [errors, contexts, suppressed, rest.strip_suffix(')')?].map(count);
        let [Some(a), Some(b), Some(c), Some(d)] = values else { return None };
        let mut values = [a, b, c, d].into_iter();
        Some((*number, kinds.map(|kind| (kind, values.next().unwrap_or(0)))))
    })
}

/// The lines of the leak summary, each with the metrics for its bytes and blocks.
const LEAKS: [(&str, MetricKind, MetricKind); 4] = [
    ("definitely lost: ", DefinitelyLostBytes, DefinitelyLostBlocks),
    ("indirectly lost: ", IndirectlyLostBytes, IndirectlyLostBlocks),
    ("possibly lost: ", PossiblyLostBytes, PossiblyLostBlocks),
    ("still reachable: ", ReachableBytes, ReachableBlocks),
];

/// Metrics with their values.
type Values = Vec<(MetricKind, u64)>;

/// Texts before the numbers of errors, memcheck's sizes, and leaks.
const ERROR_SUMMARY: &str = "ERROR SUMMARY: ";
const HEAP_SUMMARY: &str = "HEAP SUMMARY:";
const LEAK_SUMMARY: &str = "LEAK SUMMARY:";

/// Memcheck's message if nothing was leaked.
const NO_LEAKS: &str = "All heap blocks were freed";

/// Memcheck's message with `--leak-check=no`, if there may be leaks.
const NOT_REQUESTED: &str = "For a detailed leak analysis, rerun with";

/// Parses memcheck's leaks: `definitely lost: 1,024 bytes in 1 blocks`. `None` if memcheck did not
/// search for any.
fn leaks(log: &ProcessLog) -> Result<Option<Values>, (usize, MalformedFile)> {
    let mut lines = log.lines.iter();
    if lines.any(|(_, line)| line.starts_with(NO_LEAKS)) {
        let none = LEAKS.iter().flat_map(|(_, bytes, blocks)| [(*bytes, 0), (*blocks, 0)]);
        return Ok(Some(none.collect()));
    }
    let Some(start) = log.lines.iter().position(|(_, line)| line == LEAK_SUMMARY) else {
        let find = |start: &str| log.lines.iter().find(|(_, line)| line.starts_with(start));
        let heap = find(HEAP_SUMMARY).filter(|_| find(NOT_REQUESTED).is_none());
        return match heap {
            Some((line, _)) => Err((*line, MalformedFile::NoLeakSummary)),
            None => Ok(None),
        };
    };
    let mut leaks = Vec::new();
    for ((label, bytes, blocks), (number, line)) in LEAKS.iter().zip(&log.lines[start + 1..]) {
        let sizes = || {
            let sizes = line.trim().strip_prefix(label)?.strip_suffix(" blocks")?;
            let (size, number) = sizes.split_once(" bytes in ")?;
            Some((count(size)?, count(number)?))
        };
        let (size, number) = sizes().ok_or_else(|| {
            let (line, label) = (quote(line), label.trim_end_matches(": "));
            (*number, MalformedFile::NoLeaks { line, label })
        })?;
        leaks.extend([(*bytes, size), (*blocks, number)]);
    }
    Ok((leaks.len() == 2 * LEAKS.len()).then_some(leaks))
}

/// Parses a number, which can have commas between its digits.
fn count(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests;
