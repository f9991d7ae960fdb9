//! How Valgrind is started: the program, its arguments, and the environment that the client gets.

pub(crate) mod log;

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::executable::Executable;

/// What every launch passes to Valgrind, whichever tool it runs.
const ARGUMENTS: [&str; 3] = [
    // Neither a ~/.valgrindrc nor one in the current directory may change the numbers
    "--command-line-only=yes",
    // Nobody attaches a debugger, and its pipes in /tmp cost time for each process
    "--vgdb=no",
    // The processes that a benchmark starts are part of its work
    "--trace-children=yes",
];

/// Where Valgrind finds its tools, and where the loader finds shared libraries that are not the
/// system's: what survives when the environment is cleared.
const VALGRIND_LIB: &str = "VALGRIND_LIB";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The Valgrind of this machine.
#[derive(Debug)]
pub(crate) struct Valgrind {
    program: PathBuf,
}

impl Valgrind {
    /// Finds Valgrind.
    pub(crate) fn find() -> Result<Self> {
        let program = which::which("valgrind").map_err(|_| Error::NoValgrind)?;
        Ok(Self { program })
    }

    /// The program's path.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A command that runs this tool, its files named after the process in `directory`; the client
    /// and its arguments are still to be added.
    pub(crate) fn command(&self, tool: &str, directory: &Path, executable: &Executable) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg(format!("--tool={tool}"))
            .args(ARGUMENTS)
            .arg(file_argument("--log-file=", directory, "log"))
            .env_clear()
            .envs(environment(executable));
        // SAFETY: the closure makes one system call, which is allowed between fork and exec.
        unsafe { command.pre_exec(fix_addresses) };
        command
    }
}

/// How many bytes the client finds above its stack that differ from machine to machine: its path
/// twice, as the first argument and as the file executed, and its environment.
pub(crate) fn stack_strings(executable: &Executable) -> usize {
    let variables = environment(executable);
    let lengths = variables.iter().map(|(name, value)| name.len() + value.len() + 2);
    2 * executable.path.len() + lengths.sum::<usize>()
}

/// What survives of the environment.
fn environment(executable: &Executable) -> Vec<(&'static str, OsString)> {
    let library_path = executable.needs_library_path.then_some(LIBRARY_PATH);
    let names = [VALGRIND_LIB].into_iter().chain(library_path);
    names.filter_map(|name| Some((name, env::var_os(name)?))).collect()
}

/// An argument that names a file in `directory` after the process: `%p` is its id.
pub(crate) fn file_argument(option: &str, directory: &Path, extension: &str) -> OsString {
    let mut argument = OsString::from(option);
    // Valgrind takes a percent sign for one of its placeholders
    let escaped = directory.to_string_lossy().replace('%', "%%");
    argument.push(format!("{escaped}/%p.{extension}"));
    argument
}

/// Switches off address space layout randomization. Where that isn't allowed (some containers) the
/// numbers hold as well, because Valgrind lays out the client's memory itself.
#[expect(clippy::unnecessary_wraps, reason = "the signature that pre_exec wants")]
fn fix_addresses() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: a system call without pointers.
    unsafe {
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
    }
    Ok(())
}
