//! Stored cases, for tests: files that a tool wrote for a case replace its process.

use std::env;
use std::ffi::{OsStr, OsString};
use std::hash::Hasher;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use fnv::FnvHasher;
use iai_callgrind_base::FileError;
use iai_callgrind_launch::{
    Captured, CaseEnd, CaseEvent, Executor, LaunchCases, LaunchEnd, Result, ValgrindExecutor,
};
use iai_callgrind_plan::protocol::{MeasuredRegion, Start};
use iai_callgrind_tools::valgrind::{TUNABLES, ThreadLimit};

/// The process id of the first case of a launch. Linux gives no process an id as large, so a child of the runner never
/// has it.
const FIRST_PID: i32 = (1 << 22) + 1;

/// Identifies the work of a case of a benchmark file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CaseKey {
    /// Hash of the arguments of Valgrind, without paths.
    pub launch: u64,
    /// Address of the code in the benchmark executable.
    pub entry: u64,
    /// Item of a generated case.
    pub item: u64,
    /// Seed of random numbers.
    pub seed: Option<u64>,
}

/// The end of a case.
#[derive(Debug, Clone, Copy)]
pub struct StoredEnd {
    /// Process id, after which the files of the case are named.
    pub pid: i32,
    /// Raw exit status.
    pub status: i32,
    /// The measured region, if the case reached its end.
    pub region: Option<MeasuredRegion>,
}

/// The place of the files of a case.
#[derive(Debug, Clone, Copy)]
pub struct CaseFiles<'a> {
    /// The directory. The names of the tool's files start with the process id.
    pub staging: &'a Path,
    /// The names of the captured streams without an extension.
    pub output: &'a OsStr,
}

/// Store of the files of cases.
pub trait CaseStore: Sync {
    /// Writes the files of a case as a process with this id would. Returns `None` if the case must
    /// run.
    ///
    /// # Errors
    ///
    /// Returns an error if the case is not stored, or its files can't be written.
    fn load(&self, key: &CaseKey, pid: i32, files: &CaseFiles<'_>)
    -> io::Result<Option<StoredEnd>>;

    /// Stores the files of a case that ran.
    ///
    /// # Errors
    ///
    /// Returns an error if the files can't be read or stored.
    fn keep(&self, key: &CaseKey, end: StoredEnd, files: &CaseFiles<'_>) -> io::Result<()>;
}

/// Takes cases from a store, and runs missing ones under Valgrind.
pub(crate) struct StoredExecutor<'a>(pub(crate) &'a dyn CaseStore);

impl Executor for StoredExecutor<'_> {
    fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> Result<LaunchEnd> {
        let LaunchCases { starts, staging, .. } = cases;
        let launch = launch_key(&(cases.command)(ThreadLimit::Small, staging)?, staging);
        let keys: Vec<_> = starts.iter().map(|start| CaseKey::of(launch, start)).collect();
        let failed = |error| FileError::io("write the stored cases to", staging)(error);
        let mut loaded = Vec::new();
        for (case, key) in keys.iter().enumerate() {
            let pid = FIRST_PID.saturating_add(i32::try_from(case).unwrap_or(i32::MAX));
            let files = CaseFiles { staging, output: &output_name(staging, case) };
            let Some(end) = self.0.load(key, pid, &files).map_err(failed)? else {
                // The files of all cases are in one directory
                let cases = LaunchCases { fixed_ids: false, ..cases };
                return self.record(cases, &keys, send);
            };
            loaded.push((case, end));
        }
        for (case, end) in loaded {
            if !send(CaseEvent::Started(case)) {
                break;
            }
            let StoredEnd { pid, status, region } = end;
            let status = ExitStatus::from_raw(status);
            let end = CaseEnd {
                case,
                pid,
                isolated: None,
                status,
                killed: None,
                in_parallel: false,
                region,
            };
            send(CaseEvent::Ended(end));
        }
        Ok(LaunchEnd::Complete)
    }
}

impl StoredExecutor<'_> {
    /// Runs all cases of a launch under Valgrind, and stores the finished ones.
    fn record(
        &self,
        cases: LaunchCases<'_>,
        keys: &[CaseKey],
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> Result<LaunchEnd> {
        let staging = cases.staging;
        let mut kept = Ok(());
        let end = ValgrindExecutor.execute(cases, &mut |event| {
            if let CaseEvent::Ended(CaseEnd { case, pid, status, killed: None, region, .. }) =
                &event
            {
                let end = StoredEnd { pid: *pid, status: status.into_raw(), region: *region };
                let files = CaseFiles { staging, output: &output_name(staging, *case) };
                let result = self.0.keep(&keys[*case], end, &files);
                kept = std::mem::replace(&mut kept, Ok(())).and(result);
            }
            send(event)
        })?;
        kept.map_err(FileError::io("store the files of cases in", staging))?;
        Ok(end)
    }
}

impl CaseKey {
    fn of(launch: u64, start: &Start) -> Self {
        let Start { entry, item, seed } = *start;
        Self { launch, entry, item, seed }
    }
}

/// Returns the name of the captured output of a case, without an extension.
fn output_name(staging: &Path, case: usize) -> OsString {
    let file = Captured::of_case(staging, case).file("stdout");
    file.file_stem().unwrap_or_default().to_owned()
}

/// Returns the hash of everything in a command of Valgrind that affects what it counts.
fn launch_key(command: &Command, staging: &Path) -> u64 {
    /// Length of the part of the fork server's environment that is the same on every machine.
    const MEASURING: usize = 14;
    let staging = staging.to_string_lossy();
    let mut hasher = FnvHasher::default();
    let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    // The last one is the path of the executable
    for argument in &arguments[..arguments.len().saturating_sub(1)] {
        hasher.write(argument.replace(&*staging, "").as_bytes());
        hasher.write(b"\n");
    }
    for (name, value) in command.get_envs() {
        let value = value.unwrap_or_default().as_encoded_bytes();
        // Inherited variables and those of the runner depend on the machine
        let is_own = name.as_encoded_bytes().starts_with(b"IAI_CALLGRIND_") || name == TUNABLES;
        if name == "IAI_CALLGRIND_SERVE" {
            hasher.write(&value[..MEASURING.min(value.len())]);
        } else if !is_own && env::var_os(name).is_none() {
            hasher.write(name.as_encoded_bytes());
            hasher.write(value);
        }
    }
    hasher.finish()
}
