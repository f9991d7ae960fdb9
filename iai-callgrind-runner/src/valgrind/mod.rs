//! How Valgrind is started: the program, its arguments, and the environment that the client gets.

mod arguments;
mod environment;
mod isolation;
pub(crate) mod log;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use self::arguments::{Arguments, partition};
pub(crate) use self::environment::Environment;
pub(crate) use self::isolation::Isolation;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::stable_path::StablePath;

/// What every launch passes to Valgrind, whichever tool it runs.
const ARGUMENTS: [&str; 3] = [
    // Neither a ~/.valgrindrc nor one in the current directory may change the numbers
    "--command-line-only=yes",
    // Nobody attaches a debugger, and its pipes in /tmp cost time for each process
    "--vgdb=no",
    // The processes that a benchmark starts are part of its work
    "--trace-children=yes",
];

/// The first version whose cachegrind takes client requests that begin and end counting.
pub(crate) const CACHEGRIND_REQUESTS: (u32, u32) = (3, 22);

/// Where Valgrind finds its tools, and where the loader finds shared libraries that are not the
/// system's: what survives when the environment is cleared.
const VALGRIND_LIB: &str = "VALGRIND_LIB";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The variable by which glibc can be tuned, and its value.
///
/// glibc has several versions of `memcpy`, `strlen` and the like, and takes the one that suits the CPU.
/// Pinned to the ones that every x86-64 CPU has, a benchmark executes the same instructions
/// everywhere. What steers them are also sizes, which otherwise are those of the machine's caches.
///
/// The comma at the end of the list is for glibc before 2.39, which otherwise reads on behind it: through
/// the rest of the environment and the random bytes that follow in memory, so that a process that a
/// benchmark starts would not always count the same.
const TUNABLES: &str = "GLIBC_TUNABLES";
#[cfg(target_arch = "x86_64")]
const PINNED: Option<&str> = Some(
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX2_Usable,-AVX,-AVX_Usable,\
     -AVX_Fast_Unaligned_Load,-BMI1,-BMI2,-LZCNT,-MOVBE,-POPCNT,-SSE4_2,-SSE4_1,-SSSE3,-ERMS,-FSRM,:\
     glibc.cpu.x86_data_cache_size=32768:\
     glibc.cpu.x86_shared_cache_size=1048576:\
     glibc.cpu.x86_non_temporal_threshold=786432:\
     glibc.cpu.x86_rep_movsb_threshold=2048:\
     glibc.cpu.x86_rep_stosb_threshold=2048",
);
#[cfg(not(target_arch = "x86_64"))]
const PINNED: Option<&str> = None;

/// The Valgrind of this machine.
#[derive(Debug)]
pub(crate) struct Valgrind {
    program: PathBuf,
}

impl Valgrind {
    /// Finds Valgrind: the given program, or the one in `PATH`.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self> {
        let program = match given {
            Some(given) => {
                which::which(given).map_err(|_| Error::NotValgrind { program: given.to_owned() })?
            }
            None => which::which("valgrind").map_err(|_| Error::NoValgrind)?,
        };
        // Debian's `valgrind` is a shell script that starts this one. The shell would add the current
        // directory and a library path to the environment that was cleared
        let unwrapped = program.with_extension("bin");
        Ok(Self { program: if unwrapped.is_file() { unwrapped } else { program } })
    }

    /// Whether it is this version or a newer one; no if it doesn't tell.
    pub(crate) fn is_at_least(&self, version: (u32, u32)) -> bool {
        let output = Command::new(&self.program).arg("--version").output();
        output.is_ok_and(|output| parse_version(&output.stdout).is_some_and(|it| it >= version))
    }

    /// The program's path.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A command that runs this tool, its files named after the process in `directory`; the client
    /// and its arguments are still to be added.
    pub(crate) fn command(&self, tool: &str, directory: &Path, client: &Client<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg(format!("--tool={tool}"))
            .args(ARGUMENTS)
            .arg(file_argument("--log-file=", directory, "log"))
            .env_clear()
            .envs(&client.variables);
        if !client.isolation.allow_aslr {
            // SAFETY: the closure makes one system call, which is allowed between fork and exec.
            unsafe { command.pre_exec(fix_addresses) };
        }
        command
    }
}

/// The version in a text like `valgrind-3.24.0`.
fn parse_version(text: &[u8]) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(text).ok()?.trim().strip_prefix("valgrind-")?;
    let mut numbers = text.split(['.', '-']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The program that Valgrind runs, and the environment that it gets.
#[derive(Debug)]
pub(crate) struct Client<'a> {
    path: &'a str,
    isolation: Isolation,
    variables: BTreeMap<OsString, OsString>,
}

impl<'a> Client<'a> {
    /// This executable under this path and in this environment.
    pub(crate) fn new(
        executable: &Executable,
        link: &'a StablePath,
        environment: &Environment,
        isolation: Isolation,
    ) -> Self {
        let mut variables = BTreeMap::new();
        if !environment.clear {
            variables.extend(env::vars_os());
        }
        let library_path = executable.needs_library_path.then_some(LIBRARY_PATH);
        let names = [VALGRIND_LIB].into_iter().chain(library_path);
        variables.extend(names.filter_map(|name| Some((name.into(), env::var_os(name)?))));
        let pinned = PINNED.filter(|_| !isolation.native_cpu);
        variables.extend(pinned.map(|value| (TUNABLES.into(), value.into())));
        let own = environment.variables.iter();
        variables.extend(own.map(|(name, value)| (name.into(), value.clone())));
        Self { path: link.path(), isolation, variables }
    }

    /// How many bytes the client finds above its stack that differ from machine to machine: its path
    /// twice, as the first argument and as the file executed, and its environment.
    pub(crate) fn stack_strings(&self) -> usize {
        let lengths = self.variables.iter().map(|(name, value)| name.len() + value.len() + 2);
        2 * self.path.len() + lengths.sum::<usize>()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (text, version) in [
            ("valgrind-3.19.0\n", Some((3, 19))),
            ("valgrind-3.27.1-rc1", Some((3, 27))),
            ("valgrind-4.0", Some((4, 0))),
            ("valgrind-", None),
            ("3.19.0", None),
        ] {
            assert_eq!(parse_version(text.as_bytes()), version, "{text}");
        }
    }
}
