//! How callgrind is told what to count, and which of its dumps hold it.

use std::ffi::{CStr, OsString};
use std::path::{Path, PathBuf};

use super::{finish, read_totals};
use crate::benchmark::MeasuredFunction;
use crate::error::{Error, Result};
use crate::metric::{EventKind, Metrics};
use crate::plan::{EntryPoint, ValgrindTool};
use crate::protocol::{BEGIN, Counting, END};
use crate::tool::{Launch, Processes, Tool};
use crate::valgrind::file_argument;

/// Callgrind's row in the table of tools.
pub(crate) static CALLGRIND: Tool = Tool {
    kind: ValgrindTool::Callgrind,
    name: "callgrind",
    example: "--cache-sim=no",
    arguments,
    finish: finish_region,
    read,
};

/// The caches are the same everywhere, whatever the machine has: 32 KiB of first level cache for
/// instructions and for data, 8 MiB of last level cache.
const CACHES: [&str; 4] =
    ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments: Vec<_> = CACHES.iter().map(OsString::from).collect();
    // A dump shall hold what all threads did
    arguments.push("--separate-threads=no".into());
    arguments.push(file_argument("--callgrind-out-file=", launch.directory, "out"));
    if launch.options.cold_caches {
        arguments.push("--instr-atstart=no".into());
    }
    let toggle = |pattern: &str| format!("--toggle-collect={pattern}").into();
    if let EntryPoint::Custom(pattern) = &launch.options.entry_point {
        arguments.push(toggle(pattern));
        return arguments;
    }
    if launch.counting == Counting::Function {
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

/// The dump right after the region, with what the benchmark's other processes counted.
fn finish_region(processes: &Processes<'_>, to: &Path) -> Result<Metrics> {
    let mut parts = region(processes.main)?;
    for process in processes.others {
        parts.extend(dumps(process));
        parts.push(process.with_extension("out"));
    }
    let options = processes.options;
    if options.cold_caches && !processes.others.is_empty() {
        return Err(Error::Case(
            "the benchmark starts other processes, and with `cold_caches` callgrind does not count \
             these.\nSwitch it off for this benchmark"
                .to_owned(),
        ));
    }
    let metrics = finish(&parts, to)?;
    if metrics.get(EventKind::Ir) == Some(0) {
        return Err(Error::Case(nothing_counted(&options.entry_point)));
    }
    Ok(metrics)
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

fn read(path: &Path) -> Result<Metrics> {
    Ok(read_totals(path)?.totals)
}
