//! Reads the files of a case's processes in the staging directory into its measurement.

use std::cmp::Ordering;
use std::fs;
use std::iter;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::UNIX_EPOCH;

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::{Section, one_line};
use iai_callgrind_explain::Table;
use iai_callgrind_launch::{
    Ancestry, Captured, CaseEnd, Isolated, Killed, Reported, Shown, files_in, log_tail,
    read_reported,
};
use iai_callgrind_plan::protocol::{COUNTERS, MeasuredRegion};
use iai_callgrind_plan::{Amounts, ExitWith};
use iai_callgrind_process::{Isolation, NativeValue, Orphan, orphans};
use iai_callgrind_results::{Benchmark, RunId, ToolOptions};
use iai_callgrind_revisions::MeasuredCommit;
use iai_callgrind_store::{
    AMOUNTS, COMMIT, NewFiles, file_name, is_full, remove_file, write_amounts,
};
use iai_callgrind_tools::fingerprint::FINGERPRINT;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::{IT, Processes, ReadOptions, TABLE, ToolFailure};
use iai_callgrind_tools::valgrind::UnknownInstruction;
use iai_callgrind_tools::valgrind::log::{
    self as valgrind_log, has_too_many_threads, has_unwritten_file, preamble,
};
use rustix::process::{Resource, getrlimit};

use super::context::Launcher;
use super::export::Export;
use crate::error::{Error, Result};
use crate::failure::{Failure, help_for_backtrace, help_for_open_files, help_for_other_user};
use crate::run::Outcome;
use crate::settings::{Explain, Settings};

/// The file system was full at the end of a case. There is space again when its files are removed,
/// but parallel cases can have lost files of the tool.
static HAS_BEEN_FULL: AtomicBool = AtomicBool::new(false);

/// The extension of the file with the logs of all processes.
const LOGS: &str = "logs";

/// A case that ended, with its files.
pub(super) struct Case<'a> {
    pub(super) launcher: Launcher<'a>,
    pub(super) id: RunId,
    pub(super) benchmark: &'a Benchmark,
    /// The directory of captured output.
    pub(super) staging: &'a Path,
    /// The logs of the tool.
    pub(super) logs: &'a Ancestry<'a>,
    /// The path that the measured program ran under.
    pub(super) path: &'a StablePath,
    pub(super) end: &'a CaseEnd,
    /// The streams that a command shows; `None` for a function.
    pub(super) command: Option<Shown>,
}

impl Case<'_> {
    /// Reads the measurement, stores the result if it is selected, and removes the files of the
    /// case.
    pub(super) fn finish(&self) -> Outcome {
        let (descendants, left) =
            self.end_descendants().map_err(|error| self.with_reason(error))?;
        let outcome = self.measurement(&descendants, &left);
        // Before the files are removed, which frees space on a full disk
        let outcome = outcome.map_err(|error| self.with_reason(self.with_output(error)));
        self.clean_up(&descendants).map_err(|error| self.with_reason(error))?;
        outcome
    }

    fn tool(&self) -> &ToolOptions {
        &self.benchmark.options.tools[self.id.tool]
    }

    fn settings(&self) -> &Settings {
        self.launcher.run.settings
    }

    fn measurement(&self, descendants: &[i32], left: &[i32]) -> Outcome {
        let ToolOptions { tool, launch, .. } = self.tool();
        let measuring = self.launcher.measuring;
        self.check_status()?;
        let reported = read_reported(tool.name, &self.captured().file(COUNTERS))?;
        if let Some(reason) = reported.skipped {
            return Err(Failure::Skipped { reason: one_line(&reason).into_owned() }.into());
        }
        if let Some(&process) = left.first() {
            let command = preamble(&self.stem(process).with_extension("log")).command;
            let command = match &*command {
                "" => "a process".to_owned(),
                command => format!("`{}`", self.path.renamed().restored(command)),
            };
            return Err(ToolFailure::ProcessLeft { command }.into());
        }
        let others: Vec<PathBuf> = descendants
            .iter()
            .filter(|&&pid| self.is_within_region(pid))
            .map(|&pid| self.stem(pid))
            .collect();
        self.check_allocators(&others)?;
        let main = self.stem(self.end.id_in_files());
        // In the directory of captured output, which contains the journal of a result's renames
        let log = self.captured().file(LOGS);
        for process in iter::once(&main).chain(&others) {
            self.path.append_restored(&process.with_extension("log"), &log)?;
        }
        let is_command = self.command.is_some();
        let is_candidate = self.id.sample < self.settings().samples.candidates();
        let export = Export::of(self.benchmark, self.tool(), &self.settings().mode);
        let processes = Processes {
            main: &main,
            others: &others,
            is_command,
            log: &log,
            options: launch,
            link: self.path,
            code: &measuring.code,
            needs_call_graph: is_candidate && export.needs_call_graph(),
            needs_addresses: measuring.tables.is_some(),
        };
        let wanted = &self.tool().wanted();
        let read_options = ReadOptions { options: Some(launch), wanted };
        let mut collected = (tool.finish)(&processes, &read_options)?;
        // The files of the tool can be incomplete
        if is_full(self.staging) {
            return Err(FileError::Full { path: self.staging.to_owned() }.into());
        }
        let amounts = self.amounts(reported)?;
        let addresses = collected.addresses.take().filter(|_| is_candidate);
        let mut table = None;
        if let Some((tables, addresses)) = measuring.tables.as_ref().zip(addresses) {
            let path = main.with_extension(TABLE);
            table = Some(tables.write(&addresses, self.benchmark, &measuring.work_tree, &path)?);
            collected.files.push((TABLE.to_owned(), path));
        }
        if is_candidate {
            let fingerprint = || serde_json::to_vec(&*measuring.fingerprint);
            collected.files.push(self.shared_file(FINGERPRINT, &main, fingerprint)?);
            if let Some(state) = measuring.work_tree.get() {
                let commit = || serde_json::to_vec(&MeasuredCommit::from(state));
                collected.files.push(self.shared_file(COMMIT, &main, commit)?);
            }
            let path = main.with_extension(AMOUNTS);
            if write_amounts(&amounts, &path)? {
                collected.files.push((AMOUNTS.to_owned(), path));
            }
            let graph = collected.call_graph.as_ref();
            let flamegraphs = export.draw(graph, table.as_ref(), &main)?;
            let new = NewFiles { log, files: collected.files, flamegraphs };
            measuring.candidates.add(self.id, self.benchmark, new)?;
        }
        collected.measurement = collected.measurement.with_amounts(amounts);
        collected.measurement.output = self.shown_output()?;
        collected.measurement.fingerprint = Some(Arc::clone(&measuring.fingerprint));
        let is_needed = |table: &Table| {
            self.can_be_explained() || !collected.measurement.machine_values(table).is_empty()
        };
        collected.measurement.table = table.filter(is_needed).map(Box::new);
        Ok(collected.measurement)
    }

    /// Adds a file to the result that all results of the launch share. The first one is written,
    /// the others are links to it if the file system has links. Returns its extension and path.
    fn shared_file(
        &self,
        extension: &str,
        main: &Path,
        content: impl FnOnce() -> serde_json::Result<Vec<u8>>,
    ) -> Result<(String, PathBuf)> {
        let (shared, path) = (self.staging.join(extension), main.with_extension(extension));
        if fs::hard_link(&shared, &path).is_err() {
            let write = || fs::write(&path, content()?);
            write().map_err(Error::io("write", &path))?;
            // Without it, the next result writes its own
            let _ = fs::hard_link(&path, &shared);
        }
        Ok((extension.to_owned(), path))
    }

    /// Returns `true` if an explanation of the result is requested, or would be if it exceeds a
    /// limit.
    fn can_be_explained(&self) -> bool {
        match self.settings().explanations.of {
            Explain::All => true,
            Explain::Auto | Explain::Regressions => self.tool().limits.kinds().next().is_some(),
            Explain::None => false,
        }
    }

    /// Returns the configured and the reported amounts of the benchmark. Only the results of the
    /// first tool have counters.
    fn amounts(&self, reported: Reported) -> Result<Amounts> {
        let configured = self.benchmark.amounts();
        let throughput = reported.throughput(configured.throughput);
        let label = reported.label.clone();
        let counters = if self.id.tool == 0 { reported.counters()? } else { Vec::new() };
        Ok(Amounts { counters, throughput, label, ..configured })
    }

    /// Returns the captured output of the benchmark if it is shown. Only the default tool shows it.
    fn shown_output(&self) -> Result<Option<Vec<u8>>> {
        if self.id.tool != 0 {
            return Ok(None);
        }
        let configured = self.command.unwrap_or_default();
        let Shown { stdout, stderr } = self.settings().shown;
        let shown =
            Shown { stdout: stdout || configured.stdout, stderr: stderr || configured.stderr };
        Ok(self.captured().shown(shown)?)
    }

    /// Returns the path with which the names of this process's files start.
    fn stem(&self, pid: i32) -> PathBuf {
        self.logs.directory().join(pid.to_string())
    }

    /// Kills the processes that the case started. Returns them, and the processes of the benchmark
    /// that their parents did not wait for. Such a process can have exited by chance, and its
    /// counts can be incomplete.
    fn end_descendants(&self) -> Result<(Vec<i32>, Vec<i32>)> {
        let (mut orphaned, mut left) = (Vec::new(), Vec::new());
        let mut note = |orphan: &Orphan| {
            orphaned.push(orphan.id);
            if self.is_left(orphan) {
                left.push(orphan.id);
            }
        };
        let mut descendants = match &self.end.isolated {
            Some(isolated) => {
                isolated.left.iter().for_each(note);
                self.logs.descendants(self.end.id_in_files())?
            }
            None => loop {
                let descendants = self.logs.descendants(self.end.id_in_files())?;
                let orphans = orphans().into_iter();
                let mut ours =
                    orphans.filter(|orphan| self.started(orphan, &descendants)).peekable();
                if ours.peek().is_none() {
                    break descendants;
                }
                for orphan in ours {
                    note(&orphan);
                    orphan.end();
                }
            },
        };
        // The log of an orphan can name another parent
        descendants.extend(&orphaned);
        descendants.sort_unstable();
        descendants.dedup();
        Ok((descendants, left))
    }

    /// Returns `true` if the case started this process itself, according to the logs. Valgrind
    /// writes the parent to the log when the process first runs, and the parent can have exited
    /// before.
    fn started(&self, orphan: &Orphan, descendants: &[i32]) -> bool {
        let is_ours = |id: &i32| *id == self.end.id_in_files() || descendants.contains(id);
        let outputs = [(1, "stdout"), (2, "stderr")];
        is_ours(&orphan.id)
            || orphan.leaders.iter().any(is_ours)
            || outputs.into_iter().any(|(descriptor, stream)| {
                orphan
                    .output(descriptor)
                    .is_some_and(|output| output == self.captured().file(stream))
            })
    }

    /// Returns whether the benchmark function, not setup or teardown, started this process: its log was
    /// created while the function ran. If the file system does not record creation times, it counts.
    ///
    /// The clock ticks every few milliseconds. A case that has started processes waits for a tick at both ends of the region.
    ///
    /// All processes of a command belong to it.
    fn is_within_region(&self, pid: i32) -> bool {
        self.place_in_region(pid).is_none_or(Ordering::is_eq)
    }

    /// Returns whether the benchmark function started this process, which its parent did not wait
    /// for. The process can first run, and create its log, after the function has returned.
    fn is_left(&self, orphan: &Orphan) -> bool {
        match self.place_in_region(orphan.id) {
            Some(Ordering::Less) => false,
            Some(Ordering::Equal) => true,
            Some(Ordering::Greater) | None => {
                let MeasuredRegion { end, end_lag, .. } = self.end.region.unwrap_or_default();
                // To the nanosecond: the process can have started in the tick in which the function
                // returned
                let end = end.saturating_add_signed(end_lag.into());
                self.command.is_some() || orphan.started_before(end)
            }
        }
    }

    /// Compares the time at which the log of a process was created with the measured region, if both are known.
    fn place_in_region(&self, pid: i32) -> Option<Ordering> {
        if self.command.is_some() {
            return Some(Ordering::Equal);
        }
        let Some(MeasuredRegion { begin, end, .. }) = self.end.region else {
            return Some(Ordering::Greater);
        };
        let log = fs::metadata(self.stem(pid).with_extension("log")).ok()?;
        let created = log.created().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(match created {
            created if created < u128::from(begin) => Ordering::Less,
            created if created < u128::from(end) => Ordering::Equal,
            _ => Ordering::Greater,
        })
    }

    /// Fails if the process did not end as expected.
    fn check_status(&self) -> Result<()> {
        let CaseEnd { status, ref killed, region, .. } = *self.end;
        match killed {
            Some(Killed::Exceeded(exceeded)) => return Err(exceeded.clone().into()),
            Some(Killed::WithServer { status }) => {
                return Err(Failure::ServerEnded { status: *status }.into());
            }
            Some(Killed::ForForeignMessage) => return Err(Failure::ForeignMessage.into()),
            None => {}
        }
        let error_code = (self.tool().tool.exit_code)(&self.tool().launch);
        let failure = if self.command.is_some() {
            // A tool that found errors can replace the exit code; its report is more specific
            let has_errors = error_code != 0 && status.code() == Some(error_code);
            let expected = &self.benchmark.options.exit_with;
            unexpected_end(status, expected).filter(|_| !has_errors)
        } else {
            let reached_end = region.is_some() && status.code() == Some(error_code);
            let has_failed = !status.success() && !reached_end;
            has_failed.then(|| Failure::of_status(status))
        };
        if let Some(failure) = failure {
            let known = self
                .unknown_instruction()
                .or_else(|| self.too_many_threads())
                .or_else(|| self.unwritten_file());
            return Err(known.unwrap_or_else(|| failure.into()));
        }
        if region.is_some_and(|region| region.allocator_unseen) {
            return Err(self.unseen_allocator());
        }
        // Reads the files only if that is needed
        if log::log_enabled!(log::Level::Info) {
            let output: String =
                self.captured().sections().into_iter().map(|(_, text)| text).collect();
            log::info!("output of the benchmark:\n{output}");
        }
        Ok(())
    }

    /// Returns the reason why the tool does not see the allocator of the benchmark.
    fn unseen_allocator(&self) -> Error {
        let tool = self.tool().tool;
        let programs = &self.launcher.measuring.programs;
        let program = programs.benchmarks();
        let allocator =
            program.and_then(|program| programs.allocator(Path::new(&program.executable.path)));
        let checked = allocator.and_then(|allocator| Ok(tool.check_allocator(allocator, IT)?));
        let own = ToolFailure::OwnAllocator { tool: tool.name, program: IT.to_owned() };
        checked.err().unwrap_or_else(|| own.into())
    }

    /// Fails if the tool does not see the allocations of a process that the benchmark started.
    fn check_allocators(&self, others: &[PathBuf]) -> Result<()> {
        let ToolOptions { tool, launch, .. } = self.tool();
        if !tool.needs_allocator(&launch.arguments) {
            return Ok(());
        }
        for process in others {
            let Some(program) = preamble(&process.with_extension("log")).program() else {
                continue;
            };
            // A relative path in another directory can't be resolved
            let path = self.launcher.run.hooks.package.join(program);
            if path.is_file() {
                let allocator = self.launcher.measuring.programs.allocator(&path)?;
                tool.check_allocator(allocator, &format!("`{}`", path.display()))?;
            }
        }
        Ok(())
    }

    /// Adds the output of the benchmark to its failure and, if it can contain the reason,
    /// Valgrind's log.
    fn with_output(&self, error: Error) -> Error {
        let failure = match &error {
            Error::Failure(Failure::Skipped { .. }) => return error,
            Error::Failure(failure) => Some(failure),
            Error::Tool(_) => None,
            // A limit was exceeded, and the error lists the threads
            Error::WithOutput { .. } => return error.with_output(self.captured().sections()),
            _ => return error,
        };
        let mut sections = self.captured().sections();
        let is_cleared = self.benchmark.options.environment.clear;
        let isolation = self.launcher.run.settings.isolation;
        let has_fixed_limits = !isolation.is_native(NativeValue::Limits);
        let help = failure
            .and_then(|failure| help_in_parallel(failure, &sections, self.end.in_parallel))
            .or_else(|| help_for_other_user(&sections))
            .or_else(|| help_for_open_files(&sections).filter(|_| has_fixed_limits))
            .or_else(|| help_for_backtrace(&sections).filter(|_| is_cleared));
        let is_end = matches!(
            error,
            Error::Failure(Failure::Ended { .. } | Failure::UnknownInstruction { .. })
        );
        let is_signal = self.end.status.signal().is_some();
        let is_reason_logged = is_end && (is_signal || self.tool().tool.file.is_none());
        if self.command.is_some() || is_reason_logged {
            sections.push(("log", self.log()));
        }
        error.with_output(sections).with_help(help)
    }

    /// Adds the state of the staging directory if it is the reason of the error.
    fn with_reason(&self, error: Error) -> Error {
        let path = self.staging;
        if !path.is_dir() {
            Error::DirectoryRemoved { path: path.to_owned(), cause: Box::new(error) }
        } else if is_full(path) || matches!(error, Error::File(FileError::Full { .. })) {
            HAS_BEEN_FULL.store(true, atomic::Ordering::Relaxed);
            FileError::Full { path: path.parent().unwrap_or(path).to_owned() }.into()
        } else if HAS_BEEN_FULL.load(atomic::Ordering::Relaxed) && lacks_files(&error) {
            FileError::Full { path: path.parent().unwrap_or(path).to_owned() }.into()
        } else if is_cut_off(&error) {
            Failure::FileSize.into()
        } else {
            error
        }
    }

    fn log(&self) -> String {
        let text = log_tail(&self.log_file(), self.path);
        valgrind_log::without_statistics(&text).to_owned()
    }

    fn log_file(&self) -> PathBuf {
        self.stem(self.end.id_in_files()).with_extension("log")
    }

    /// Returns the instruction that ended the process because Valgrind does not know it.
    fn unknown_instruction(&self) -> Option<Error> {
        let isolation = self.settings().isolation;
        let is_command = self.command.is_some();
        unknown_instruction(&self.log_file(), self.end.status, self.path, isolation)
            .map(|instruction| Failure::UnknownInstruction { is_command, instruction }.into())
    }

    /// Returns the failure of a process that ended because Valgrind had no record for another thread.
    fn too_many_threads(&self) -> Option<Error> {
        let is_command = self.command.is_some();
        has_too_many_threads(&self.log_file())
            .then(|| Failure::TooManyThreads { is_command }.into())
    }

    /// Returns the failure of a process that ended because the tool could not write its files.
    fn unwritten_file(&self) -> Option<Error> {
        let tool = self.tool().tool.name;
        has_unwritten_file(&self.log_file()).then(|| ToolFailure::NotWritten { tool }.into())
    }

    fn captured(&self) -> Captured<'_> {
        Captured::of_case(self.staging, self.end.case)
    }

    /// Removes the files of the case, so that the staging directory stays small.
    fn clean_up(&self, processes: &[i32]) -> Result<()> {
        for extension in ["stdout", "stderr", COUNTERS, LOGS] {
            remove_file(&self.captured().file(extension))?;
        }
        if let Some(Isolated { files, .. }) = &self.end.isolated {
            return fs::remove_dir_all(files).map_err(Error::io("remove", files));
        }
        let is_ours = |path: &Path| {
            let name = file_name(path);
            let pid = name.split('.').next().and_then(|pid| pid.parse().ok());
            pid.is_some_and(|pid| pid == self.end.id_in_files() || processes.contains(&pid))
        };
        for path in files_in(self.logs.directory())?.filter(|path| is_ours(path)) {
            remove_file(&path)?;
        }
        self.logs.forget(processes);
        self.logs.forget(&[self.end.id_in_files()]);
        Ok(())
    }
}

/// Returns `true` for the error about a file of the maximum size. If it is the last file, the
/// process exits before the signal arrives.
fn is_cut_off(error: &Error) -> bool {
    let Error::File(FileError::Malformed { path, .. }) = error else { return false };
    let limit = getrlimit(Resource::Fsize).current;
    limit.is_some_and(|limit| path.metadata().is_ok_and(|file| file.len() >= limit))
}

/// Returns `true` for the error of a case whose tool did not write all files.
fn lacks_files(error: &Error) -> bool {
    match error {
        Error::WithOutput { cause, .. } => lacks_files(cause),
        Error::Tool(
            ToolFailure::EndedEarly
            | ToolFailure::NotWritten { .. }
            | ToolFailure::NothingCounted { .. },
        )
        | Error::File(FileError::Malformed { .. } | FileError::Io { .. }) => true,
        _ => false,
    }
}

/// Returns the help for a failure with this output, if other benchmarks ran at the same time.
pub(super) fn help_in_parallel(
    failure: &Failure,
    output: &[Section],
    in_parallel: bool,
) -> Option<&'static str> {
    let mut texts = output.iter().filter(|_| in_parallel).map(|(_, text)| text);
    texts.find_map(|text| failure.help_next_to_others(text))
}

/// Returns the failure of a command that did not end as expected.
pub(super) fn unexpected_end(status: ExitStatus, expected: &ExitWith) -> Option<Failure> {
    let is_expected = match expected {
        ExitWith::Success => status.success(),
        ExitWith::Failure => status.code().is_some_and(|code| code != 0),
        ExitWith::Code(code) => status.code() == Some(*code),
        ExitWith::Signal(signal) => status.signal() == Some(*signal),
        ExitWith::Signals(signals) => {
            status.signal().is_some_and(|signal| signals.contains(&signal))
        }
    };
    (!is_expected).then(|| Failure::UnexpectedEnd { status, expected: expected.clone() })
}

/// Returns the instruction that ended a process with this status because Valgrind does not know it.
pub(super) fn unknown_instruction(
    log: &Path,
    status: ExitStatus,
    link: &StablePath,
    isolation: Isolation,
) -> Option<UnknownInstruction> {
    if status.signal() != Some(libc::SIGILL) {
        return None;
    }
    let instruction = valgrind_log::unknown_instruction(log)?;
    let place = link.renamed().restored(&instruction.place);
    let native_cpu = isolation.is_native(NativeValue::CLibrary);
    Some(UnknownInstruction { place, native_cpu, ..instruction })
}
