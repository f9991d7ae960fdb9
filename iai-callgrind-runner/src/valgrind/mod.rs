//! How Valgrind is started: the program, its arguments, and the environment that the client gets.

pub(crate) mod log;

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};

/// What every launch passes to Valgrind, whichever tool it runs.
const ARGUMENTS: [&str; 3] = [
    // Neither a ~/.valgrindrc nor one in the current directory may change the numbers
    "--command-line-only=yes",
    // Nobody attaches a debugger, and its pipes in /tmp cost time for each process
    "--vgdb=no",
    // The processes that a benchmark starts are part of its work
    "--trace-children=yes",
];

/// The variables that survive when the environment is cleared: where Valgrind finds its tools and the
/// loader the shared libraries of the benchmarks.
const KEPT_VARIABLES: [&str; 2] = ["VALGRIND_LIB", "LD_LIBRARY_PATH"];

/// The Valgrind of this machine.
#[derive(Debug)]
pub(crate) struct Valgrind {
    program: PathBuf,
    environment: Vec<(&'static str, OsString)>,
}

impl Valgrind {
    /// Finds Valgrind.
    pub(crate) fn find() -> Result<Self> {
        let program = which::which("valgrind").map_err(|_| Error::NoValgrind)?;
        let kept = |name| env::var_os(name).map(|value| (name, value));
        Ok(Self { program, environment: KEPT_VARIABLES.into_iter().filter_map(kept).collect() })
    }

    /// The program's path.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// How many bytes the client finds on its stack that differ from machine to machine: its path
    /// twice, as the first argument and as the file executed, and its environment.
    pub(crate) fn stack_strings(&self, executable: &str) -> usize {
        let variables = self.environment.iter().map(|(name, value)| name.len() + value.len() + 2);
        2 * executable.len() + variables.sum::<usize>()
    }

    /// A command that runs this tool, its files named after the process in `directory`; the client
    /// and its arguments are still to be added.
    pub(crate) fn command(&self, tool: &str, directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg(format!("--tool={tool}"))
            .args(ARGUMENTS)
            .arg(file_argument("--log-file=", directory, "log"))
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        // SAFETY: the closure makes one system call, which is allowed between fork and exec.
        unsafe { command.pre_exec(fix_addresses) };
        command
    }
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
