//! From the files that a case's processes left in the staging directory to its result.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::iter;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::UNIX_EPOCH;

use iai_callgrind_plan::ExitWith;
use iai_callgrind_plan::metric::EventKind;
use iai_callgrind_plan::protocol::capture_name;

use super::export::Export;
use super::server::{Ended, capture_number};
use crate::cli::Shown;
use crate::error::{Error, Result};
use crate::output::is_full;
use crate::result::Outcome;
use crate::stable_path::StablePath;
use crate::tool::{Collected, LaunchOptions, Processes, ReadOptions, Tool};
use crate::valgrind::log::preamble;

/// How much of a process's output an error shows: the end, where the reason is.
const TAIL: u64 = 4096;

/// A case that has ended, with its files.
pub(crate) struct Case<'a> {
    pub(crate) staging: &'a Path,
    pub(crate) tool: &'a Tool,
    pub(crate) options: &'a LaunchOptions,
    pub(crate) link: &'a StablePath,
    pub(crate) ended: &'a Ended,
    pub(crate) shown: Shown,
    /// The metrics that somebody asks for.
    pub(crate) wanted: &'a [EventKind],
    /// The command, if it is one.
    pub(crate) command: Option<Ran>,
}

/// A command that ran.
pub(crate) struct Ran {
    /// How it is expected to end.
    pub(crate) exit_with: ExitWith,
    /// Which of them it asks to be shown.
    pub(crate) shown: Shown,
}

impl Case<'_> {
    /// Makes the result, puts it with its flamegraphs into place if it is to be kept, and removes the
    /// files it came from.
    pub(crate) fn finish(&self, export: Option<Export<'_>>) -> Outcome {
        self.finish_if_possible(export).map_err(|error| self.with_reason(error))
    }

    fn finish_if_possible(&self, export: Option<Export<'_>>) -> Outcome {
        let processes = self.descendants()?;
        let outcome = self.result(&processes, export).map_err(|error| self.with_output(error));
        self.clean_up(&processes)?;
        outcome
    }

    fn result(&self, processes: &[i32], export: Option<Export<'_>>) -> Outcome {
        self.check_status()?;
        let others: Vec<PathBuf> = processes
            .iter()
            .filter(|&&pid| self.is_within_region(pid))
            .map(|&pid| self.stem(pid))
            .collect();
        let main = self.stem(self.ended.pid);
        let log = main.with_extension("logs");
        for process in iter::once(&main).chain(&others) {
            append(&process.with_extension("log"), &log)?;
        }
        let is_command = self.command.is_some();
        let processes = Processes {
            main: &main,
            others: &others,
            is_command,
            log: &log,
            options: self.options,
        };
        let reading = ReadOptions { options: Some(self.options), wanted: self.wanted };
        let collected = (self.tool.finish)(&processes, &reading)?;
        let Collected { mut measurement, files: parts } = collected;
        for part in &mut measurement.parts {
            part.command = self.link.restored(&part.command);
        }
        if is_full(self.staging) {
            return Err(Error::Case("what the tool wrote may not be whole".to_owned()));
        }
        if let Some(export) = export {
            self.link.restore(&log)?;
            for (_, part) in &parts {
                self.link.restore(part)?;
            }
            let flamegraphs = export.draw(parts.first().map(|(_, path)| &**path), &main)?;
            export.files.place(self.tool, &log, &parts, &flamegraphs, &export.mode.new)?;
        }
        measurement.errors = measurement.errors.map(|report| self.link.restored(&report));
        measurement.output = self.shown_output()?;
        Ok(measurement)
    }

    /// What the benchmark printed, as far as that is to be shown.
    fn shown_output(&self) -> Result<Option<Vec<u8>>> {
        let asked = self.command.as_ref().map(|command| command.shown).unwrap_or_default();
        let Shown { stdout, stderr } = self.shown;
        let streams = [(stdout || asked.stdout, "stdout"), (stderr || asked.stderr, "stderr")];
        let mut output = None;
        for (_, stream) in streams.into_iter().filter(|(is_shown, _)| *is_shown) {
            let file = self.capture(stream);
            // A stream that is not captured has no file
            let bytes = fs::read(&file).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(Vec::new()),
                _ => Err(error),
            });
            let bytes = bytes.map_err(Error::io("read", &file))?;
            output.get_or_insert_with(Vec::new).extend(bytes);
        }
        Ok(output)
    }

    /// The path that the files of this process start with.
    fn stem(&self, pid: i32) -> PathBuf {
        self.staging.join(pid.to_string())
    }

    /// The processes that the case started, and those that they did, in the order of their ids.
    /// Other cases that run at the same time have their files in the same directory.
    fn descendants(&self) -> Result<Vec<i32>> {
        let mut parents = HashMap::new();
        for path in files_in(self.staging)? {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let pid = stem.and_then(|stem| stem.parse::<i32>().ok());
            if let Some(pid) = pid.filter(|_| path.extension().is_some_and(|it| it == "log")) {
                parents.insert(pid, preamble(&path).parent);
            }
        }
        let is_ours = |&pid: &i32| {
            let ancestors = iter::successors(Some(pid), |pid| parents.get(pid).copied().flatten());
            // As many steps as there are processes: a reused id could make a circle
            pid != self.ended.pid
                && ancestors.take(parents.len() + 1).any(|ancestor| ancestor == self.ended.pid)
        };
        let mut ours: Vec<_> = parents.keys().copied().filter(is_ours).collect();
        ours.sort_unstable();
        Ok(ours)
    }

    /// Whether this process was started by the benchmark function, rather than by set-up or
    /// tear-down: its log was created while the function ran. Where the file system doesn't tell when
    /// a file was created, it counts.
    ///
    /// The clock ticks every few milliseconds, and a process takes longer than that to start and to
    /// end. So one that the function waited for began before the tick in which the function returned,
    /// and one that began in that tick is tear-down's.
    ///
    /// All processes of a command belong to it.
    fn is_within_region(&self, pid: i32) -> bool {
        if self.command.is_some() {
            return true;
        }
        let Some((begin, end)) = self.ended.region else { return false };
        let created = fs::metadata(self.stem(pid).with_extension("log"))
            .and_then(|metadata| metadata.created())
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        created.is_none_or(|created| {
            (u128::from(begin)..u128::from(end)).contains(&created.as_nanos())
        })
    }

    fn check_status(&self) -> Result<()> {
        if let Some(limit) = self.ended.overdue {
            let what = Error::Overdue { limit }.to_string();
            return Err(Error::Process { what, said: self.output().to_vec() });
        }
        let status = self.ended.status;
        let came_to_its_end = self.ended.region.is_some()
            && status.code() == Some((self.tool.exit_code)(self.options));
        let failure = match &self.command {
            None if status.success() || came_to_its_end => None,
            None => Some(describe(status)),
            Some(command) => self.unexpected(command.exit_with),
        };
        let Some(what) = failure else {
            // Nobody else needs the files read
            if log::log_enabled!(log::Level::Info) {
                let [(_, stdout), (_, stderr)] = self.output();
                log::info!("output of the benchmark:\n{stdout}{stderr}");
            }
            return Ok(());
        };
        let mut said = self.output().to_vec();
        // What the tool found can be the reason
        let has_reason = status.signal().is_some() || self.tool.file.is_none();
        if has_reason && self.command.is_none() {
            said.push(("log", self.log()));
        }
        Err(Error::Process { what, said })
    }

    /// What is wrong with how the command ended. The tool can have replaced its exit code to tell of
    /// errors, which are told then.
    fn unexpected(&self, expected: ExitWith) -> Option<String> {
        let status = self.ended.status;
        let of_errors = (self.tool.exit_code)(self.options);
        let has_errors = of_errors != 0 && status.code() == Some(of_errors);
        unexpected(status, expected).filter(|_| !has_errors)
    }

    /// Adds what the benchmark printed to an error that does not have it yet; and, if it is a command,
    /// Valgrind's log.
    fn with_output(&self, error: Error) -> Error {
        let (what, mut said) = match error {
            Error::Case(what) => (what, self.output().to_vec()),
            Error::Process { what, said } => (what, said),
            other => return other,
        };
        if self.command.is_some() {
            said.push(("log", self.log()));
        }
        Error::Process { what, said }
    }

    /// Adds what has happened to the directory that the case's files are in, if that is the reason.
    fn with_reason(&self, error: Error) -> Error {
        let directory = self.staging.display();
        let reason = if !self.staging.is_dir() {
            format!("the directory {directory} was removed while the benchmark ran")
        } else if is_full(self.staging) {
            format!("the file system of {directory} is full")
        } else {
            return error;
        };
        let (what, said) = match error {
            Error::Process { what, said } => (what, said),
            other => (other.to_string(), Vec::new()),
        };
        Error::Process { what: format!("{reason}.\n{what}"), said }
    }

    fn log(&self) -> String {
        self.link.restored(&tail(&self.stem(self.ended.pid).with_extension("log")))
    }

    /// What the benchmark printed.
    fn output(&self) -> [(&'static str, String); 2] {
        [("output", self.captured("stdout")), ("error output", self.captured("stderr"))]
    }

    fn captured(&self, extension: &str) -> String {
        tail(&self.capture(extension))
    }

    /// The file that this case's output was captured in.
    fn capture(&self, extension: &str) -> PathBuf {
        capture_file(self.staging, capture_number(self.ended.case), extension)
    }

    /// Removes the case's files, so that the staging directory never holds many.
    fn clean_up(&self, processes: &[i32]) -> Result<()> {
        for extension in ["stdout", "stderr"] {
            remove(&self.capture(extension))?;
        }
        let is_ours = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let pid = name.split('.').next().and_then(|pid| pid.parse().ok());
            pid.is_some_and(|pid| pid == self.ended.pid || processes.contains(&pid))
        };
        for path in files_in(self.staging)?.filter(|path| is_ours(path)) {
            remove(&path)?;
        }
        Ok(())
    }
}

fn files_in(directory: &Path) -> Result<impl Iterator<Item = PathBuf> + use<>> {
    let entries = fs::read_dir(directory).map_err(Error::io("read the directory", directory))?;
    Ok(entries.flatten().map(|entry| entry.path()))
}

/// The file that the output with this number was captured in.
pub(crate) fn capture_file(staging: &Path, number: u32, extension: &str) -> PathBuf {
    staging.join(format!("{}.{extension}", String::from_utf8_lossy(&capture_name(number))))
}

/// How a process failed, in words.
fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        // ExitStatus says `signal: 11 (SIGSEGV)`
        (Some(_), _) => {
            format!("the benchmark was killed by {}", status.to_string().replacen(':', "", 1))
        }
        (None, Some(101)) => "the benchmark panicked".to_owned(),
        (None, _) => format!("the benchmark ended its process with {status}"),
    }
}

/// What is wrong with how a command ended, in words.
pub(super) fn unexpected(status: ExitStatus, expected: ExitWith) -> Option<String> {
    let expected = match (status.code(), expected) {
        (Some(0), ExitWith::Success) => return None,
        (Some(code), ExitWith::Failure) if code != 0 => return None,
        (Some(code), ExitWith::Code(expected)) if code == expected => return None,
        (_, ExitWith::Success) => "success".to_owned(),
        (_, ExitWith::Failure) => "failure".to_owned(),
        (_, ExitWith::Code(code)) => format!("exit code {code}"),
    };
    Some(match status.code() {
        Some(code) => {
            format!("the command ended with exit code {code}, but {expected} is expected")
        }
        None => format!("the command was killed by {}", status.to_string().replacen(':', "", 1)),
    })
}

/// The end of a text file, from the start of a line; nothing if it can't be read.
pub(crate) fn tail(path: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let start = file.metadata()?.len().saturating_sub(TAIL);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let line =
            if start == 0 { 0 } else { bytes.iter().position(|&it| it == b'\n').unwrap_or(0) };
        Ok(bytes.split_off(line))
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

fn append(from: &Path, to: &Path) -> Result<()> {
    let mut source = File::open(from).map_err(Error::io("read", from))?;
    let mut options = File::options();
    let mut target = options.append(true).create(true).open(to).map_err(Error::io("write", to))?;
    io::copy(&mut source, &mut target).map_err(Error::io("write", to))?;
    Ok(())
}

/// Removes a file that need not be there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
