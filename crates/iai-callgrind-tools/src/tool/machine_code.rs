//! The machine code of the object files in callgrind's dumps, from which calls are rebuilt on `AArch64`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use iai_callgrind_debuginfo::CodeFile;
use iai_callgrind_plan::EntryPoint;
use iai_callgrind_plan::protocol::{ENTER, LOOP};
use iai_callgrind_profile::{Branch, Code, rebuild};

use super::measurement::ToolFailure;
use crate::Result;
use crate::stable_path::StablePath;

/// The library's handler in the child of a benchmark that forks. It runs with collection switched off, so
/// that its instructions do not count.
pub(super) const FORK_HANDLER: &str = "iai_callgrind_harness::serve::zero_stats";

/// The library's function that records a counter. Its instructions do not count.
pub(super) const RECORD_COUNTER: &str = "iai_callgrind_harness::counters::record";

/// Callgrind takes branches for calls and misses returns on this architecture.
pub const IS_NEEDED: bool = cfg!(target_arch = "aarch64");

/// Object files that were read, for all benchmarks of a run.
#[derive(Debug, Default)]
pub struct CodeFiles(Mutex<HashMap<String, Arc<CodeFile>>>);

impl CodeFiles {
    fn open(&self, path: &str) -> Arc<CodeFile> {
        let mut files = self.0.lock().unwrap();
        if let Some(file) = files.get(path) {
            return Arc::clone(file);
        }
        let file = Arc::new(CodeFile::open(Path::new(path)));
        files.insert(path.to_owned(), Arc::clone(&file));
        file
    }
}

/// Fails for an entry point in a function, whose end callgrind would have to find by its calls. That of a command counts to
/// the end of the process.
pub(super) fn demand_known(entry_point: &EntryPoint, is_command: bool) -> Result<()> {
    match entry_point {
        EntryPoint::Custom(pattern) if !is_command => {
            Err(ToolFailure::EntryPointUnknown { pattern: pattern.clone() }.into())
        }
        EntryPoint::Custom(_) | EntryPoint::Default | EntryPoint::None => Ok(()),
    }
}

/// Returns the text of a dump of an executable that ran under this path, with rebuilt calls.
pub(super) fn rebuild_calls(dump: &Path, files: &CodeFiles, path: &StablePath) -> Result<Vec<u8>> {
    let open = |object: &str| -> Box<dyn Code> {
        Box::new(MachineCode(files.open(&path.renamed().restored(object))))
    };
    let is_left_out =
        |function: &str| is_harness(function) || without_callers(function) == FORK_HANDLER;
    rebuild(dump, &open, &is_left_out)?.ok_or_else(|| ToolFailure::NoAddresses.into())
}

/// The machine code of an object file.
#[derive(Debug)]
struct MachineCode(Arc<CodeFile>);

impl Code for MachineCode {
    fn symbol(&self, address: u64) -> Option<u64> {
        self.0.symbol(address).map(|(start, _)| start)
    }

    fn name(&self, address: u64) -> Option<String> {
        let (_, name) = self.0.symbol(address)?;
        Some(format!("{:#}", rustc_demangle::demangle(name)))
    }

    fn is_linkage(&self, address: u64) -> bool {
        self.0.is_linkage(address)
    }

    fn branch(&self, address: u64) -> Option<Branch> {
        let instruction = self.0.aarch64_instruction(address)?;
        Some(Branch::of_aarch64(instruction, address))
    }
}

/// Returns true for the functions of the library that make the measured call or record a counter, whose own instructions do
/// not count. A name can follow a file: `fn=file:name`.
pub(super) fn is_harness(function: &str) -> bool {
    let name = without_callers(function);
    name.ends_with(ENTER)
        || name.ends_with(RECORD_COUNTER)
        || is_without_costs(name)
        || name.contains("iai_callgrind_harness::region::Region") && name.contains("::measure")
}

/// Returns true for the functions of the library that call the routine of a walk, at which callgrind switches.
fn is_call_of_routine(function: &str) -> bool {
    let name = without_callers(function);
    name.contains("iai_callgrind_harness::walk::Routine") && name.contains("::call_through")
}

/// Returns true for library functions whose own instructions never count: callers of a file's
/// routine, and the marks of a loop.
pub(super) fn is_without_costs(function: &str) -> bool {
    let name = without_callers(function);
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    is_call_of_routine(function) || name.starts_with(LOOP)
}

/// Returns a function's name without the directory of its file, and without the names of its callers, which
/// `--separate-callers` adds: `f'caller`.
fn without_callers(function: &str) -> &str {
    let name = function.rsplit_once('/').map_or(function, |(_, name)| name);
    name.split_once('\'').map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_of_the_library_are_known() {
        for name in [
            "iai_callgrind_harness::region::Region::measure",
            "<iai_callgrind_harness::region::Region>::measure::<u64, user::f::{closure#0}>",
            "iai_callgrind_enter",
            "???:iai_callgrind_enter",
            "iai_callgrind_harness::counters::record",
            "/it's/counters.rs:iai_callgrind_harness::counters::record",
            "iai_callgrind_loop_next",
            "???:iai_callgrind_loop_next'main",
            "iai_callgrind_harness::walk::Routine::call_through",
            "iai_callgrind_harness::walk::Routine::call_through'main",
            "<iai_callgrind_harness::walk::Routine>::call_through_with::<u64, u8>",
        ] {
            assert!(is_harness(name), "{name}");
        }
        for name in [
            "user::f'<iai_callgrind_harness::region::Region>::measure::<u64>",
            "user::f'iai_callgrind_harness::walk::Routine::call_through",
            "user::measure",
            "iai_callgrind_harness::region::wait_until_idle",
            "main",
            "iai_callgrind_harness::walk::Routine::call_with",
        ] {
            assert!(!is_harness(name), "{name}");
        }
    }

    #[test]
    fn calls_need_addresses() {
        let directory = tempfile::tempdir().unwrap();
        let dump = directory.path().join("7.out");
        let rebuild = |positions: &str| {
            let text = format!("positions: {positions}\nevents: Ir\n\nob=exe\nfl=a.rs\nfn=f\n");
            std::fs::write(&dump, text).unwrap();
            rebuild_calls(&dump, &CodeFiles::default(), &StablePath::default())
        };
        assert!(rebuild("instr line").is_ok());
        let message = rebuild("line").unwrap_err().to_string();
        assert!(message.starts_with("callgrind's costs have no addresses"), "{message}");
        assert!(message.contains("help: remove `--dump-instr`"), "{message}");
    }

    #[test]
    fn entry_points_are_found_by_calls() {
        let main = EntryPoint::Custom("main".to_owned());
        assert!(demand_known(&EntryPoint::Default, false).is_ok());
        assert!(demand_known(&EntryPoint::None, false).is_ok());
        assert!(demand_known(&main, true).is_ok());
        let message = demand_known(&main, false).unwrap_err().to_string();
        let expected = "callgrind can't tell on AArch64 when the entry point `main` runs";
        assert!(message.starts_with(expected), "{message}");
        assert!(message.contains("help: count the benchmark function"), "{message}");
    }

    #[test]
    fn files_are_read_once() {
        let files = CodeFiles::default();
        assert!(Arc::ptr_eq(&files.open("/bin/sh"), &files.open("/bin/sh")));
        assert!(!Arc::ptr_eq(&files.open("/bin/sh"), &files.open("/bin/cat")));
    }
}
