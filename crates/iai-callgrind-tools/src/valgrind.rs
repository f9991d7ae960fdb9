//! The command line of Valgrind, and the environment of its client.

mod arguments;
pub mod error;
pub mod inherited;
mod instruction;
mod leftovers;
pub mod log;
mod tool_runner;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use iai_callgrind_process::{Isolation, NativeValue, can_stop_calls, hide_auxiliary_vector};

pub use self::arguments::{Arguments, partition};
use self::error::ValgrindError;
pub use self::instruction::UnknownInstruction;
pub use self::tool_runner::ToolRunner;
use crate::Result;
use crate::executable::Executable;
use crate::stable_path::StablePath;

/// Arguments for all tools.
const ARGUMENTS: [&str; 4] = [
    // A .valgrindrc must not change the counts
    "--command-line-only=yes",
    // The pipes for a debugger take time in each process
    "--vgdb=no",
    // The processes that a benchmark starts are measured as well
    "--trace-children=yes",
    // With this lock, a thread whose time slice is over queues behind the waiting ones. With the
    // other lock it continues, and a spinning thread keeps the one that it waits for from running
    "--fair-sched=try",
];

/// Arguments for all tools on this architecture.
///
/// On `AArch64`, a store that belongs to a load fails if the kernel interrupts the process between the two, and the loop around
/// them runs once more: 4 instructions in an atomic addition. In its other implementation, Valgrind compares values.
const ARGUMENTS_HERE: &[&str] =
    if cfg!(target_arch = "aarch64") { &["--sim-hints=fallback-llsc"] } else { &[] };

/// Number of threads that a process under Valgrind can have at once.
///
/// At a fork, the child resets the records of all threads, each on a page of its own that the
/// kernel copies for it. With Valgrind's default number, half of the pages that a child of the fork
/// server copies are such pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadLimit {
    /// As few as nearly all benchmarks need.
    Small,
    /// Valgrind's default.
    Default,
}

impl ThreadLimit {
    /// Returns the argument for Valgrind.
    pub fn argument(self) -> Option<&'static str> {
        match self {
            Self::Small => Some("--max-threads=64"),
            Self::Default => None,
        }
    }
}

/// Maximum length of the name of a log, with placeholders.
pub const LONGEST_LOG: usize = 900;

/// First version in which client requests start and stop cachegrind.
pub const CACHEGRIND_REQUESTS: (u32, u32) = (3, 22);

/// The first version that reads debug information which is compressed with zstd. Older ones read no symbols then either.
pub const ZSTD_SECTIONS: (u32, u32) = (3, 22);

/// Variables that are kept when the environment is cleared: the directories of Valgrind's tools and of shared
/// libraries.
const VALGRIND_LIB: &str = "VALGRIND_LIB";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Variable that tunes glibc, and its value.
///
/// glibc chooses variants of functions such as `memcpy` by the features and cache sizes of the CPU. With those of
/// every x86-64 CPU and fixed sizes, a benchmark executes the same instructions on all machines.
///
/// The comma at the end of the list is required before glibc 2.39, which otherwise reads beyond the list: the rest
/// of the environment and the random bytes after it, so that counts of child processes differ between runs.
pub const TUNABLES: &str = "GLIBC_TUNABLES";
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

/// The environment of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Environment {
    /// Removes all other variables if `true`.
    pub clear: bool,
    /// Variables to set.
    pub variables: BTreeMap<String, OsString>,
}

/// The installed Valgrind.
#[derive(Debug)]
pub struct Valgrind {
    /// The path of the program.
    pub program: PathBuf,
    runner: Option<ToolRunner>,
    /// The version as Valgrind prints it, such as `valgrind-3.24.0`; `None` if a tool runner does not report it.
    pub version: Option<String>,
}

impl Valgrind {
    /// Finds the given program, by default `valgrind` in `PATH`, and removes what killed Valgrinds left. A tool runner can have
    /// Valgrind where this process does not find it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such program, or if it is not Valgrind.
    pub fn find(given: Option<&Path>, runner: Option<ToolRunner>) -> Result<Self> {
        let runner = runner.map(ToolRunner::find).transpose()?;
        let program = match given {
            Some(given) if runner.is_some() => given.to_owned(),
            None if runner.is_some() => which::which("valgrind").unwrap_or("valgrind".into()),
            Some(given) => which::which(given)
                .map_err(|_| ValgrindError::NotValgrind { program: given.to_owned() })?,
            None => which::which("valgrind").map_err(|_| ValgrindError::NoValgrind)?,
        };
        // Debian's `valgrind` is a shell script that starts `valgrind.bin`. The shell would add variables to the
        // cleared environment
        let unwrapped = program.with_extension("bin");
        let is_found = given.is_none() || runner.is_none();
        let program = if is_found && unwrapped.is_file() { unwrapped } else { program };
        leftovers::remove();
        let mut valgrind = Self { program, runner, version: None };
        valgrind.version = valgrind.query_version()?;
        Ok(valgrind)
    }

    /// Returns `true` for this version and newer ones, and `false` if the version is unknown.
    pub fn is_at_least(&self, version: (u32, u32)) -> bool {
        self.version.as_deref().and_then(parse_version) >= Some(version)
    }

    /// Asks the program for its version. A tool runner may start Valgrind in other ways than this.
    fn query_version(&self) -> Result<Option<String>> {
        if let Some(runner) = &self.runner {
            let variables = runner.variables(&runner.home, false).into_iter().collect();
            let command = self.command_of_runner(runner, &variables).ok();
            let output = command.and_then(|mut command| command.arg("--version").output().ok());
            return Ok(output.and_then(|output| find_version(&output.stdout)));
        }
        let program = || self.program.clone();
        let output = iai_callgrind_process::output(Command::new(&self.program).arg("--version"))?;
        let version = find_version(&output.stdout);
        if version.is_none() {
            let printed = [output.stdout, output.stderr].concat();
            return Err(
                not_valgrind(program(), String::from_utf8_lossy(&printed).into_owned()).into()
            );
        }
        Ok(version)
    }

    /// Returns the command of the tool runner that starts Valgrind.
    fn command_of_runner(
        &self,
        runner: &ToolRunner,
        variables: &BTreeMap<OsString, OsString>,
    ) -> Result<Command> {
        let mut command = Command::new(&runner.program);
        command.args(runner.arguments(variables)?).arg(&self.program).envs(variables);
        Ok(command)
    }

    /// Returns `true` if another program starts Valgrind, perhaps with other process ids.
    pub fn has_runner(&self) -> bool {
        self.runner.is_some()
    }

    /// Returns `true` if threads can have a fixed order. The processes of a tool runner can be elsewhere, where the runner
    /// neither stops them nor takes their priority again.
    pub fn can_order_threads(&self) -> Result<bool> {
        Ok(!self.has_runner() && can_stop_calls()?)
    }

    /// Returns the path of a directory for the tool's files where Valgrind runs.
    pub fn directory(&self, directory: &Path) -> PathBuf {
        self.runner
            .as_ref()
            .map_or_else(|| directory.to_owned(), |runner| runner.directory(directory))
    }

    /// Returns an argument of the user where Valgrind runs.
    pub fn argument(&self, argument: &str) -> String {
        self.runner.as_ref().map_or_else(|| argument.to_owned(), |runner| runner.argument(argument))
    }

    /// Returns a command that runs a tool and writes logs named after the process to `directory`. The caller
    /// adds the client and its arguments.
    pub fn command(&self, tool: &str, directory: &Path, client: &Client<'_>) -> Result<Command> {
        let mut command = match &self.runner {
            None => {
                let mut command = Command::new(&self.program);
                hide_auxiliary_vector(&mut command);
                command
            }
            Some(runner) => self.command_of_runner(runner, &client.variables)?,
        };
        command
            .arg(format!("--tool={tool}"))
            .args(ARGUMENTS)
            .args(ARGUMENTS_HERE)
            .arg(file_argument("--log-file=", &self.directory(directory), "log"))
            .env_clear()
            .envs(&client.variables);
        if !client.isolation.is_native(NativeValue::Limits) {
            inherited::fix(&mut command);
        }
        if !client.isolation.is_native(NativeValue::Addresses) {
            // SAFETY: the closure makes one system call, which is allowed between fork and exec.
            unsafe { command.pre_exec(fix_addresses) };
        }
        Ok(command)
    }
}

/// Returns the error of a program that printed this in place of a version. Valgrind does not print it without its tools.
fn not_valgrind(program: PathBuf, printed: String) -> ValgrindError {
    match printed.lines().find_map(|line| line.strip_prefix("valgrind: ")) {
        Some(message) => ValgrindError::BrokenValgrind { program, message: message.to_owned() },
        None => ValgrindError::OtherProgram { program, printed },
    }
}

/// Returns the line with the version in what a program printed. A wrapper can print others.
fn find_version(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let version = text.lines().map(str::trim).find(|line| parse_version(line).is_some())?;
    Some(version.to_owned())
}

/// Parses a version such as `valgrind-3.24.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("valgrind-")?.split(['.', '-']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The program that Valgrind runs, with its environment.
#[derive(Debug)]
pub struct Client<'a> {
    path: &'a str,
    isolation: Isolation,
    variables: BTreeMap<OsString, OsString>,
}

impl<'a> Client<'a> {
    /// Returns the client that runs an executable under this path.
    pub fn new(
        executable: &Executable,
        link: &'a StablePath,
        environment: &Environment,
        isolation: Isolation,
    ) -> Self {
        let mut variables = inherited(executable.needs_library_path, environment);
        variables.extend(env::var_os(VALGRIND_LIB).map(|value| (VALGRIND_LIB.into(), value)));
        let pinned = PINNED.filter(|_| !isolation.is_native(NativeValue::CLibrary));
        variables.extend(pinned.map(|value| (TUNABLES.into(), value.into())));
        let own = environment.variables.iter();
        variables.extend(own.map(|(name, value)| (name.into(), value.clone())));
        Self { path: link.path(), isolation, variables }
    }

    /// Adds the variables of the tool runner, if there is one, for a tool that writes its files to this directory.
    #[must_use]
    pub fn with_runner(mut self, valgrind: &Valgrind, directory: &Path) -> Self {
        let runner = valgrind.runner.iter();
        let allow_aslr = self.isolation.is_native(NativeValue::Addresses);
        self.variables.extend(runner.flat_map(|runner| runner.variables(directory, allow_aslr)));
        self
    }

    /// Returns the number of bytes above the stack that depend on the machine: the path twice, as the first
    /// argument and as the executed file, and the environment.
    pub fn stack_strings(&self) -> usize {
        let lengths = self.variables.iter().map(|(name, value)| name.len() + value.len() + 2);
        2 * self.path.len() + lengths.sum::<usize>()
    }
}

/// Returns a command that runs an executable without Valgrind, in the environment that it has there.
pub fn native_command(
    executable: &Path,
    needs_library_path: bool,
    environment: &Environment,
) -> Command {
    let mut command = Command::new(executable);
    let inherited = inherited(needs_library_path, environment);
    command.env_clear().envs(inherited).envs(&environment.variables);
    command
}

/// Returns the variables that an executable has from this process.
fn inherited(needs_library_path: bool, environment: &Environment) -> BTreeMap<OsString, OsString> {
    if !environment.clear {
        return env::vars_os().collect();
    }
    let library_path = needs_library_path.then(|| env::var_os(LIBRARY_PATH)).flatten();
    library_path.into_iter().map(|value| (LIBRARY_PATH.into(), value)).collect()
}

/// Returns an argument for a file in `directory` that is named after the process with `%p`.
pub fn file_argument(option: &str, directory: &Path, extension: &str) -> OsString {
    let mut argument = OsString::from(option);
    // A percent sign starts a placeholder of Valgrind
    let escaped = directory.to_string_lossy().replace('%', "%%");
    argument.push(format!("{escaped}/%p.{extension}"));
    argument
}

/// Makes a command run on the CPU that it starts on.
pub fn keep_on_one_cpu(command: &mut Command) {
    // SAFETY: the closure makes system calls, which are allowed between fork and exec.
    unsafe { command.pre_exec(pin) };
}

#[expect(clippy::unnecessary_wraps, reason = "the signature that pre_exec wants")]
fn pin() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: the pointers are valid during the calls; a set of zeros is an empty one.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if let Ok(cpu) = usize::try_from(libc::sched_getcpu()) {
            libc::CPU_SET(cpu, &mut set);
            libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
        }
    }
    Ok(())
}

/// Turns off address space layout randomization. Some containers do not allow this. The counts are the same
/// there, because Valgrind itself lays out the memory of the client.
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
    fn the_version_is_one_line_of_the_output() {
        let version = |output: &str| find_version(output.as_bytes());
        for output in
            ["valgrind-3.24.0\n", "A wrapper of valgrind\n valgrind-3.24.0 \nvalgrind-1\n"]
        {
            assert_eq!(version(output).as_deref(), Some("valgrind-3.24.0"));
        }
        for output in ["", "cat (GNU coreutils) 9.1\n", "the program valgrind-3.24.0\n"] {
            assert_eq!(version(output), None);
        }
    }

    #[test]
    fn another_program_is_an_error() {
        let error = |program: &str| Valgrind::find(Some(Path::new(program)), None).unwrap_err();
        let text = error("/bin/true").to_string();
        assert!(text.starts_with("/bin/true is not Valgrind: `--version` printed"), "{text}");
        assert!(text.contains("\nhelp: set --valgrind-path"), "{text}");
        let printed =
            "valgrind: failed to start tool 'memcheck' for platform 'amd64-linux'\n".to_owned();
        let text = not_valgrind("/bin/valgrind".into(), printed).to_string();
        assert!(
            text.starts_with("/bin/valgrind does not run: failed to start tool 'memcheck'"),
            "{text}"
        );
    }

    #[test]
    fn versions() {
        for (text, version) in [
            ("valgrind-3.19.0\n", Some((3, 19))),
            ("valgrind-3.27.1-rc1", Some((3, 27))),
            ("valgrind-4.0", Some((4, 0))),
            ("valgrind-", None),
            ("3.19.0", None),
        ] {
            assert_eq!(parse_version(text), version, "{text}");
        }
    }
}
