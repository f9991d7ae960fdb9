//! A benchmark executable without code: the runner gets the plan of a benchmark file from a file, and what Valgrind wrote
//! for each case.
//!
//! It is started as cargo starts the benchmark file, with the name of the file in `STORED_FILE`. To record, it takes the
//! place of the runner of the real executable, with `STORED_RECORD`.

mod store;

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iai_callgrind_plan::{COMMAND_VARIABLE, FILE_VARIABLE, SUBCOMMANDS};

use crate::store::Store;

fn main() -> ExitCode {
    // Without a benchmark file, it is the runner that a user starts
    let Ok(file) = env::var("STORED_FILE") else { return iai_callgrind_runner::main() };
    let mut arguments: Vec<_> = env::args_os().collect();
    let store = Store::open(&file, env::var_os("STORED_RECORD").is_some());
    let is_plan_wanted = if store.is_recording {
        arguments.get(1).is_some_and(|word| word == "bench")
    } else {
        take_arguments_of_cargo(&mut arguments, &file)
    };
    if is_plan_wanted {
        provide_plan(&store).expect("the plan can be read and written");
    }
    iai_callgrind_runner::main_with_stored_cases(arguments, &store)
}

/// Turns the arguments of a benchmark executable into those of the runner, as the harness does. Returns `true` if the runner
/// needs the plan.
fn take_arguments_of_cargo(arguments: &mut Vec<OsString>, file: &str) -> bool {
    // SAFETY: no other thread runs yet.
    unsafe {
        env::set_var(COMMAND_VARIABLE, format!("cargo bench --bench {file} --"));
        // The executable has no debug information
        env::set_var("IAI_CALLGRIND_PROFILE_NOTE", "no");
        if env::var_os("IAI_CALLGRIND_VALGRIND_PATH").is_none() {
            env::set_var("IAI_CALLGRIND_VALGRIND_PATH", fixture("valgrind"));
        }
    }
    let is_subcommand = |word: &OsString| SUBCOMMANDS.iter().any(|known| word == known);
    if arguments.get(1).is_some_and(is_subcommand) {
        // SAFETY: as above.
        unsafe { env::set_var(FILE_VARIABLE, file) };
        if arguments.last().is_some_and(|last| last == "--bench") {
            arguments.pop();
        }
        return false;
    }
    arguments.insert(1, "bench".into());
    true
}

/// Makes the stored plan the standard input, or stores the one that is there.
fn provide_plan(store: &Store) -> io::Result<()> {
    let plan = if store.is_recording {
        let mut plan = String::new();
        io::stdin().read_to_string(&mut plan)?;
        store.keep_plan(&plan)?;
        plan
    } else {
        store.plan()?
    };
    let mut file = tempfile::tempfile()?;
    file.write_all(plan.as_bytes())?;
    file.rewind()?;
    become_stdin(&file)
}

fn become_stdin(file: &File) -> io::Result<()> {
    // SAFETY: both descriptors are open.
    match unsafe { libc::dup2(file.as_raw_fd(), libc::STDIN_FILENO) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Returns a file of this package.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
