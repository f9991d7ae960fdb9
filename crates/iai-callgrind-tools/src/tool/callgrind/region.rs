//! Callgrind's options for a measured region, and the dumps that contain it.

use std::ffi::{CStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::{self, MetricKind};
use iai_callgrind_plan::protocol::{BEGIN, Counting, END};
use iai_callgrind_plan::{EntryPoint, ValgrindTool};
use iai_callgrind_profile::{
    Addresses, CallSource, DumpFile, DumpHeader, HeapCalls, Profile, ProfileDetails, ProfileWriter,
};

use crate::Result;
use crate::tool::ToolFailure;
use crate::tool::files::{Collected, Processes, ReadOptions};
use crate::tool::launch::{
    CACHES, Capabilities, Execution, Launch, LaunchOptions, MeasuredFunction,
};
use crate::tool::machine_code::{
    self, FORK_HANDLER, RECORD_COUNTER, demand_known, is_without_costs, rebuild_calls,
};
use crate::tool::measurement::Measurement;
use crate::tool::row::{TABLE, Tool};
use crate::valgrind::file_argument;

/// Callgrind's row in the table of tools.
pub static CALLGRIND: Tool = Tool {
    kind: ValgrindTool::Callgrind,
    name: "callgrind",
    valgrind_name: "callgrind",
    metrics: &metric::CALLGRIND,
    example: "--cache-sim=no",
    file: Some("out"),
    extras: &[TABLE],
    execution,
    arguments,
    exit_code: |_| 0,
    finish: merge_processes,
    read: |stored, reading| {
        let details = ProfileDetails::of_metrics(reading.wanted);
        Ok(measurement(Profile::read(&stored.files[0], details)?))
    },
};

/// Callgrind's argument for addresses, and its other arguments about positions.
const ADDRESSES: &str = "--dump-instr=yes";
const POSITIONS: [&str; 3] = ["--dump-instr", "--dump-line", "--dump-bb"];

/// Callgrind's argument for jumps to functions of other object files. By default their costs never
/// start from zero, so the region would include the setup's; and on `AArch64` callgrind misses
/// returns from them.
const JUMPS: &str = "--skip-plt=no";

/// The C library functions that fork. The new process starts with the counts since the last dump,
/// which would count twice. After a dump directly before, these are a few dozen instructions.
const FORKS: [&str; 3] = ["_Fork", "fork", "__libc_fork"];

fn execution(options: &LaunchOptions, capabilities: Capabilities) -> Execution {
    let counting = match options.entry_point {
        // It toggles at functions, which are found by their calls
        EntryPoint::Default if capabilities.has_symbols && !machine_code::IS_NEEDED => {
            Counting::Function
        }
        EntryPoint::Default => Counting::Marks,
        EntryPoint::None | EntryPoint::Custom(_) => Counting::Free,
    };
    Execution { counting, alone: false }
}

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // Without it a dump contains all threads
    let separate = if launch.options.separate_threads { "yes" } else { "no" };
    arguments.push(format!("--separate-threads={separate}").into());
    arguments.push(file_argument("--callgrind-out-file=", launch.directory, "out"));
    let addresses = launch.addresses || machine_code::IS_NEEDED;
    if addresses && !has_positions(&launch.options.arguments) {
        arguments.push(ADDRESSES.into());
    }
    arguments.push(JUMPS.into());
    if launch.options.cold_caches {
        arguments.push("--instr-atstart=no".into());
    }
    if launch.execution.counting == Counting::Process {
        arguments.extend(FORKS.iter().map(|name| format!("--dump-before={name}").into()));
    }
    let toggle = |pattern: &str| format!("--toggle-collect={pattern}").into();
    if let EntryPoint::Custom(pattern) = &launch.options.entry_point {
        if machine_code::IS_NEEDED && launch.execution.counting == Counting::Process {
            let dump = |pattern: String| format!("--dump-before={pattern}").into();
            arguments.extend(with_escaped([pattern.clone()]).map(dump));
            return arguments;
        }
        arguments.extend(with_escaped([pattern.clone()]).map(|pattern| toggle(&pattern)));
        return arguments;
    }
    if launch.execution.counting == Counting::Function {
        let symbols = launch.functions.iter().flat_map(|function| symbols(function));
        arguments.extend(symbols.map(|symbol| toggle(&symbol)));
        arguments.extend([FORK_HANDLER, RECORD_COUNTER].map(toggle));
    }
    // After the others, because --toggle-collect changes it
    arguments.push("--collect-atstart=yes".into());
    arguments
}

/// Returns `true` if the user's arguments decide about the positions of costs.
fn has_positions(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| POSITIONS.iter().any(|start| argument.starts_with(start)))
}

/// Returns Valgrind's names of an associated function: with Rust's legacy mangling, with v0, and with v0
/// if it is generic. No pattern has an open end: it would match the closures in the function, and
/// entering one of them would end the measurement.
fn symbols(MeasuredFunction { owner, name }: &MeasuredFunction) -> impl Iterator<Item = String> {
    let legacy = format!("{owner}::{name}");
    with_escaped([legacy, format!("<{owner}>::{name}"), format!("<{owner}>::{name}::<*>")])
}

/// Adds the first pattern as legacy mangling escapes it, if that differs. Valgrind's demangler decodes only escapes of ASCII
/// characters.
fn with_escaped<const N: usize>(patterns: [String; N]) -> impl Iterator<Item = String> {
    let escaped = patterns.first().map(|first| escape(first));
    let escaped = escaped.filter(|escaped| patterns.first() != Some(escaped));
    patterns.into_iter().chain(escaped)
}

/// Escapes a path: characters beyond ASCII are `stra$udf$e`, and the crate of a file `1st.rs` is `_1st`.
fn escape(name: &str) -> String {
    let escape = |character: char| {
        if character.is_ascii() {
            character.to_string()
        } else {
            format!("$u{:x}$", u32::from(character))
        }
    };
    let prefix = if name.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
    [prefix.to_owned()].into_iter().chain(name.chars().map(escape)).collect()
}

/// Merges the dumps of the region, or all of a command, with the dumps of the benchmark's other
/// processes.
fn merge_processes(processes: &Processes<'_>, reading: &ReadOptions<'_>) -> Result<Collected> {
    let Processes { main, others, options, .. } = *processes;
    if machine_code::IS_NEEDED {
        demand_known(&options.entry_point, processes.is_command)?;
    }
    let to = main.with_extension("result");
    let details = ProfileDetails {
        call_graph: processes.needs_call_graph,
        addresses: match processes.needs_addresses || machine_code::IS_NEEDED {
            false => Addresses::Ignored,
            true if has_positions(&options.arguments) => Addresses::Kept,
            true => Addresses::Removed,
        },
        ..ProfileDetails::of_metrics(reading.wanted)
    };
    let mut writer = ProfileWriter::new(&to, details);
    if processes.is_command {
        add_all(processes, main, &mut writer)?;
    } else {
        add_region(processes, &mut writer)?;
    }
    if options.cold_caches && !others.is_empty() {
        return Err(ToolFailure::ColdProcesses.into());
    }
    others.iter().try_for_each(|process| add_all(processes, process, &mut writer))?;
    let nothing = || ToolFailure::NothingCounted { entry_point: options.entry_point.clone() };
    if writer.is_empty() {
        return Err(nothing().into());
    }
    let mut profile = writer.finish()?;
    let (call_graph, addresses) = (profile.call_graph.take(), profile.addresses.take());
    let measurement = measurement(profile);
    if measurement.total.count(MetricKind::Ir) == Some(0) {
        return Err(nothing().into());
    }
    Ok(Collected { measurement, call_graph, addresses, files: vec![("out".to_owned(), to)] })
}

/// Returns the counts of a profile as a benchmark's.
fn measurement(profile: Profile) -> Measurement {
    let mut total = profile.total;
    if let Some(HeapCalls { allocations, frees }) = profile.heap_calls {
        total.extend([(MetricKind::Allocations, allocations), (MetricKind::Frees, frees)]);
    }
    Measurement { total, parts: profile.processes, ..Measurement::default() }
}

/// Adds all dumps of a process; an error if the last one is missing.
fn add_all(
    processes: &Processes<'_>,
    process: &Path,
    writer: &mut ProfileWriter<'_>,
) -> Result<()> {
    let dumps = dumps(process);
    if dumps.last().is_none_or(|(number, _)| *number != FINAL) {
        return Err(processes.not_written(process, CALLGRIND.name));
    }
    let mut dumps: Vec<_> = dumps.into_iter().map(|(_, path)| path).collect();
    if machine_code::IS_NEEDED {
        if let EntryPoint::Custom(_) = processes.options.entry_point {
            dumps = from_entry(dumps, &entered)?;
        }
    }
    dumps.iter().try_for_each(|dump| add(processes, dump, writer))
}

/// Adds a dump. Where callgrind does not know the calls, they are rebuilt; elsewhere jumps to other object files get
/// names. The library's functions that call routines have no own costs.
fn add(processes: &Processes<'_>, path: &Path, writer: &mut ProfileWriter<'_>) -> Result<()> {
    let calls = if machine_code::IS_NEEDED {
        CallSource::Rebuilt(rebuild_calls(path, processes.code, processes.link)?)
    } else {
        CallSource::Callgrind(&is_without_costs)
    };
    Ok(writer.add(DumpFile { path, link: processes.link.renamed(), calls })?)
}

/// Returns the dumps after the first entry of the entry point; none if it was not entered.
fn from_entry(
    mut dumps: Vec<PathBuf>,
    entered: &dyn Fn(&Path) -> Result<Option<String>>,
) -> Result<Vec<PathBuf>> {
    for (index, dump) in dumps.iter().enumerate() {
        if entered(dump)?.is_some_and(|function| !FORKS.contains(&&*function)) {
            return Ok(dumps.split_off(index + 1));
        }
    }
    Ok(Vec::new())
}

/// Returns the function at whose entry a dump was made.
fn entered(dump: &Path) -> Result<Option<String>> {
    Ok(DumpHeader::read(dump)?.entered)
}

/// Adds the dumps between the marks: one of each thread, or several if the benchmark itself requested
/// dumps. Of the other dumps only the header is read. A process without a dump before the region has no mark at its start.
fn add_region(processes: &Processes<'_>, writer: &mut ProfileWriter<'_>) -> Result<()> {
    let is = |trigger: &Option<String>, label: &CStr| {
        trigger.as_ref().is_some_and(|trigger| trigger.as_bytes() == label.to_bytes())
    };
    let mut dumps = dumps(processes.main);
    dumps.retain(|(number, _)| *number != FINAL);
    let mut start = 0;
    for (index, (end, path)) in dumps.iter().enumerate() {
        let trigger = DumpHeader::read(path)?.trigger;
        if is(&trigger, BEGIN.label) {
            start = index + 1;
        } else if is(&trigger, END.label) {
            let mut region = dumps[start..].iter().take_while(|(number, _)| number <= end);
            return region.try_for_each(|(_, path)| add(processes, path, writer));
        }
    }
    Err(ToolFailure::EndedEarly.into())
}

/// Number of the dump that a process writes at its end.
const FINAL: u64 = u64::MAX;

/// Lists the dumps of a process in order: `PID.out.1`, `PID.out.2` and so on, which were requested, and
/// `PID.out` at its end. With separate threads each of them is `PID.out.1-01`, `PID.out.1-02` and so on
/// instead, and there is an empty `PID.out`.
fn dumps(process: &Path) -> Vec<(u64, PathBuf)> {
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
        .filter_map(|entry| Some((place(entry.file_name().to_str()?)?, entry.path())))
        .filter(|(_, path)| path.symlink_metadata().is_ok_and(|file| file.len() > 0))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|((number, _), path)| (number, path)).collect()
}

#[cfg(test)]
mod tests;
