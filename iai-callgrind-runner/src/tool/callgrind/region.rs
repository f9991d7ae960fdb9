//! How callgrind is told what to count, and which of its dumps hold it.

use std::ffi::{CStr, OsString};
use std::path::{Path, PathBuf};

use super::heap::{HeapCalls, read_heap_calls};
use super::{finish, read_totals};
use crate::benchmark::MeasuredFunction;
use crate::error::{Error, Result};
use crate::metric::{self, EventKind, Metrics};
use crate::protocol::{BEGIN, Counting, END};
use crate::tool::{Launch, Processes, Tool};
use crate::valgrind::file_argument;

/// Callgrind's row in the table of tools.
pub(crate) static CALLGRIND: Tool =
    Tool { name: "callgrind", metrics: &metric::CALLGRIND, arguments, finish: finish_region, read };

/// The caches are the same everywhere, whatever the machine has: 32 KiB of first level cache for
/// instructions and for data, 8 MiB of last level cache.
const CACHES: [&str; 4] =
    ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // A dump shall hold what all threads did
    arguments.push("--separate-threads=no".into());
    arguments.push(file_argument("--callgrind-out-file=", launch.directory, "out"));
    if launch.counting == Counting::Function {
        let symbols = launch.functions.iter().flat_map(|function| symbols(function));
        arguments.extend(symbols.map(|symbol| format!("--toggle-collect={symbol}").into()));
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

/// The dump right after the region, with what the benchmark's other processes counted.
fn finish_region(processes: &Processes<'_>, to: &Path, wanted: &[EventKind]) -> Result<Metrics> {
    let mut parts = region(processes.main)?;
    for process in processes.others {
        parts.extend(dumps(process));
        parts.push(process.with_extension("out"));
    }
    let mut metrics = finish(&parts, to)?;
    if metrics.count(EventKind::Ir) == Some(0) {
        return Err(Error::Case(
            "nothing was counted: callgrind did not see the benchmark function's symbol".to_owned(),
        ));
    }
    metrics.extend(calls(to, wanted)?);
    Ok(metrics)
}

/// The dumps between the marks: one, or several if the benchmark itself asked for dumps.
fn region(process: &Path) -> Result<Vec<PathBuf>> {
    let is = |trigger: &Option<String>, label: &CStr| {
        trigger.as_ref().is_some_and(|trigger| trigger.as_bytes() == label.to_bytes())
    };
    let mut parts = None;
    for dump in dumps(process) {
        let trigger = read_totals(&dump)?.trigger;
        if is(&trigger, BEGIN) {
            parts = Some(Vec::new());
        } else if let Some(parts) = &mut parts {
            parts.push(dump);
            if is(&trigger, END) {
                return Ok(std::mem::take(parts));
            }
        }
    }
    Err(Error::Case("the benchmark ended its process before it returned".to_owned()))
}

/// The dumps that were asked for, in order.
fn dumps(process: &Path) -> impl Iterator<Item = PathBuf> {
    (1..)
        .map(|number| process.with_extension(format!("out.{number}")))
        .take_while(|dump| dump.exists())
}

fn read(path: &Path, wanted: &[EventKind]) -> Result<Metrics> {
    let mut metrics = read_totals(path)?.totals;
    metrics.extend(calls(path, wanted)?);
    Ok(metrics)
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
