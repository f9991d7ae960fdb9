//! How callgrind is told what to count, and which of its dumps hold it.

use std::ffi::{CStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::{self, EventKind};
use iai_callgrind_plan::protocol::{BEGIN, Counting, END};
use iai_callgrind_plan::{EntryPoint, ValgrindTool};

use super::heap::{HeapCalls, read_heap_calls};
use super::{finish, parser, read_totals};
use crate::error::{Error, Result};
use crate::tool::lines::malformed;
use crate::tool::{
    Capabilities, Collected, Execution, Launch, LaunchOptions, MeasuredFunction, Measurement,
    ProcessMetrics, Processes, ReadOptions, Tool, did_not_end,
};
use crate::valgrind::file_argument;

/// Callgrind's row in the table of tools.
pub(crate) static CALLGRIND: Tool = Tool {
    kind: ValgrindTool::Callgrind,
    name: "callgrind",
    valgrind_name: "callgrind",
    metrics: &metric::CALLGRIND,
    example: "--cache-sim=no",
    file: Some("out"),
    extras: &[],
    execution,
    arguments,
    exit_code: |_| 0,
    finish: finish_region,
    read: |stored, reading| read(&stored.files[0], reading.wanted),
};

/// The caches are the same everywhere, whatever the machine has: 32 KiB of first level cache for
/// instructions and for data, 8 MiB of last level cache.
pub(crate) const CACHES: [&str; 4] =
    ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

/// The functions in which the C libraries fork. The new process begins with what callgrind has counted
/// since the last dump, and that would count twice. With a dump right before, these are the few dozens of
/// instructions in between.
const FORKS: [&str; 3] = ["_Fork", "fork", "__libc_fork"];

fn execution(options: &LaunchOptions, capabilities: Capabilities) -> Execution {
    let counting = match options.entry_point {
        EntryPoint::Default if capabilities.has_symbols => Counting::Function,
        EntryPoint::Default => Counting::Marks,
        EntryPoint::None | EntryPoint::Custom(_) => Counting::Free,
    };
    Execution { counting, alone: false }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // Otherwise a dump shall hold what all threads did
    let separate = if launch.options.separate_threads { "yes" } else { "no" };
    arguments.push(format!("--separate-threads={separate}").into());
    arguments.push(file_argument("--callgrind-out-file=", launch.directory, "out"));
    if launch.options.cold_caches {
        arguments.push("--instr-atstart=no".into());
    }
    if launch.execution.counting == Counting::Process {
        arguments.extend(FORKS.iter().map(|name| format!("--dump-before={name}").into()));
    }
    let toggle = |pattern: &str| format!("--toggle-collect={pattern}").into();
    if let EntryPoint::Custom(pattern) = &launch.options.entry_point {
        arguments.push(toggle(pattern));
        return arguments;
    }
    if launch.execution.counting == Counting::Function {
        let symbols = launch.functions.iter().flat_map(|function| symbols(function));
        arguments.extend(symbols.map(|symbol| toggle(&symbol)));
    }
    // After the others, because --toggle-collect changes it
    arguments.push("--collect-atstart=yes".into());
    arguments
}

/// How Valgrind can show an associated function: with Rust's legacy mangling, with v0, and with v0 if
/// it is generic. No pattern is open at its end, or it would match the closures in the function, and
/// entering one of those would end the measurement.
fn symbols(MeasuredFunction { owner, name }: &MeasuredFunction) -> [String; 3] {
    [format!("{owner}::{name}"), format!("<{owner}>::{name}"), format!("<{owner}>::{name}::<*>")]
}

/// The dump right after the region, or all that the command counted, with what the benchmark's other
/// processes did.
fn finish_region(processes: &Processes<'_>, reading: &ReadOptions<'_>) -> Result<Collected> {
    let mut parts =
        if processes.is_command { whole(processes.main)? } else { region(processes.main)? };
    for process in processes.others {
        parts.extend(whole(process)?);
    }
    let options = processes.options;
    if options.cold_caches && !processes.others.is_empty() {
        return Err(Error::Case(
            "the benchmark starts other processes, and with `cold_caches` callgrind does not count \
             these.\nSwitch it off for this benchmark"
                .to_owned(),
        ));
    }
    let to = processes.main.with_extension("result");
    finish(&parts, &to)?;
    let measurement = read(&to, reading.wanted)?;
    if measurement.total.count(EventKind::Ir) == Some(0) {
        return Err(Error::Case(nothing_counted(&options.entry_point)));
    }
    Ok(Collected { measurement, files: vec![("out".to_owned(), to)] })
}

/// Why nothing was counted, and what to do about it.
fn nothing_counted(entry_point: &EntryPoint) -> String {
    match entry_point {
        EntryPoint::Default => {
            "nothing was counted: callgrind did not see the benchmark function's symbol".to_owned()
        }
        EntryPoint::Custom(pattern) => format!(
            "nothing was counted: the benchmark executed no function that the entry point `{pattern}` \
             matches.\nThe pattern has to match all of a name as `callgrind_annotate` shows it, such as \
             `my_crate::my_function` or `*::my_function*`, and the function must not be inlined"
        ),
        EntryPoint::None => {
            "nothing was counted: there is no entry point, and neither the arguments \
                             for callgrind nor client requests switched collection on"
                .to_owned()
        }
    }
}

/// All that a process wrote from its begin to its end.
fn whole(process: &Path) -> Result<Vec<PathBuf>> {
    let profiles = profiles(process);
    if profiles.last().is_none_or(|(number, _)| *number != FINAL) {
        return Err(did_not_end(process));
    }
    Ok(profiles.into_iter().map(|(_, path)| path).collect())
}

/// The dumps between the marks: one of each thread, or several if the benchmark itself asked for dumps.
fn region(process: &Path) -> Result<Vec<PathBuf>> {
    let is = |trigger: &Option<String>, label: &CStr| {
        trigger.as_ref().is_some_and(|trigger| trigger.as_bytes() == label.to_bytes())
    };
    let dumps = profiles(process).into_iter().filter(|(number, _)| *number != FINAL);
    let (mut parts, mut last) = (None, None);
    for (number, dump) in dumps {
        if last.is_some_and(|last| last != number) {
            return Ok(parts.unwrap_or_default());
        }
        let trigger = read_totals(&dump)?.trigger;
        if is(&trigger, BEGIN.label) {
            parts = Some(Vec::new());
        } else if let Some(parts) = &mut parts {
            parts.push(dump);
            last = is(&trigger, END.label).then_some(number);
        }
    }
    let parts = parts.filter(|_| last.is_some());
    parts
        .ok_or_else(|| Error::Case("the benchmark ended its process before it returned".to_owned()))
}

/// The number that stands for the profile which a process writes at its end.
const FINAL: u64 = u64::MAX;

/// What a process wrote, in order: `PID.out.1`, `PID.out.2` and so on, which were asked for, and
/// `PID.out` at its end. With separate threads each of them is `PID.out.1-01`, `PID.out.1-02` and so on
/// instead, and there is an empty `PID.out`.
fn profiles(process: &Path) -> Vec<(u64, PathBuf)> {
    let (Some(directory), Some(pid)) = (process.parent(), process.file_name()) else {
        return Vec::new();
    };
    let prefix = format!("{}.out", pid.to_string_lossy());
    let place = |name: &str| {
        let rest = name.strip_prefix(&prefix)?;
        let (number, thread) = rest.split_once('-').unwrap_or((rest, "0"));
        let number = number.strip_prefix('.').map_or(Some(FINAL), |number| number.parse().ok());
        Some((number?, thread.parse::<u64>().ok()?))
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() > 0))
        .filter_map(|entry| Some((place(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|((number, _), path)| (number, path)).collect()
}

/// A result with what its processes and threads counted.
fn read(path: &Path, wanted: &[EventKind]) -> Result<Measurement> {
    let parser::Part { totals: mut total, joined, events_line, .. } = read_totals(path)?;
    total.extend(calls(path, wanted)?);
    let mut parts: Vec<ProcessMetrics> = Vec::new();
    for part in joined {
        let is_same =
            |other: &&mut ProcessMetrics| (other.pid, other.thread) == (part.pid, part.thread);
        match parts.iter_mut().find(is_same) {
            Some(other) => {
                other.metrics = other
                    .metrics
                    .checked_add(&part.metrics)
                    .map_err(|error| malformed(&CALLGRIND, path, events_line, error.to_string()))?;
            }
            None => parts.push(part),
        }
    }
    if parts.len() == 1 {
        parts.clear();
    }
    Ok(Measurement { total, parts, ..Measurement::default() })
}

/// What stands in the calls of a result: the whole file has to be read for it.
fn calls(path: &Path, wanted: &[EventKind]) -> Result<Vec<(EventKind, u64)>> {
    if !wanted.iter().any(|kind| matches!(kind, EventKind::Allocations | EventKind::Frees)) {
        return Ok(Vec::new());
    }
    let heap = read_heap_calls(path)?;
    Ok(heap.map_or_else(Vec::new, |HeapCalls { allocations, frees }| {
        vec![(EventKind::Allocations, allocations), (EventKind::Frees, frees)]
    }))
}
