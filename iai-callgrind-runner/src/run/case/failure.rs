//! The reasons why a case failed, with the output and the files that show them.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::Section;
use iai_callgrind_launch::{CaseEnd, Killed, log_tail};
use iai_callgrind_plan::ExitWith;
use iai_callgrind_process::{Isolation, NativeValue};
use iai_callgrind_results::ToolOptions;
use iai_callgrind_store::is_full;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::{IT, ToolFailure};
use iai_callgrind_tools::valgrind::UnknownInstruction;
use iai_callgrind_tools::valgrind::log::{
    self as valgrind_log, has_too_many_threads, has_unwritten_file, preamble,
};
use rustix::process::{Resource, getrlimit};

use super::Case;
use crate::error::{Error, Result};
use crate::failure::{
    Failure, help_for_backtrace, help_for_debug_information, help_for_open_files,
    help_for_other_user,
};

/// The file system was full at the end of a case. There is space again when its files are removed,
/// but parallel cases can have lost files of the tool.
static HAS_BEEN_FULL: AtomicBool = AtomicBool::new(false);

impl Case<'_> {
    /// Fails if the process did not end as expected.
    pub(super) fn check_status(&self) -> Result<()> {
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
    pub(super) fn check_allocators(&self, others: &[PathBuf]) -> Result<()> {
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
    pub(super) fn with_output(&self, error: Error) -> Error {
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
        let help = help.or_else(|| help_for_debug_information(&sections));
        error.with_output(sections).with_help(help)
    }

    /// Adds the state of the staging directory if it is the reason of the error.
    pub(super) fn with_reason(&self, error: Error) -> Error {
        let path = self.staging;
        if !path.is_dir() {
            Error::DirectoryRemoved { path: path.to_owned(), cause: Box::new(error) }
        } else if is_full(path) || matches!(error, Error::File(FileError::Full { .. })) {
            HAS_BEEN_FULL.store(true, Ordering::Relaxed);
            FileError::Full { path: path.parent().unwrap_or(path).to_owned() }.into()
        } else if HAS_BEEN_FULL.load(Ordering::Relaxed) && lacks_files(&error) {
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
        | Error::File(
            FileError::Malformed { .. } | FileError::Io { .. } | FileError::ReadOnly { .. },
        ) => true,
        _ => false,
    }
}

/// Returns the help for a failure with this output, if other benchmarks ran at the same time.
pub(in crate::run) fn help_in_parallel(
    failure: &Failure,
    output: &[Section],
    in_parallel: bool,
) -> Option<&'static str> {
    let mut texts = output.iter().filter(|_| in_parallel).map(|(_, text)| text);
    texts.find_map(|text| failure.help_next_to_others(text))
}

/// Returns the failure of a command that did not end as expected.
pub(in crate::run) fn unexpected_end(status: ExitStatus, expected: &ExitWith) -> Option<Failure> {
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
pub(in crate::run) fn unknown_instruction(
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
