//! The processes of a benchmark, their files, and the files of results.

use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::CallGraph;

use super::launch::LaunchOptions;
use super::lines::malformed;
use super::machine_code::CodeFiles;
use super::measurement::{Measurement, ToolFailure};
use crate::stable_path::StablePath;
use crate::valgrind::log::{preamble, read_preamble};
use crate::{Error, Result};

/// The requested parts of a result.
pub struct ReadOptions<'a> {
    /// The launch's options; `None` for those with which the result was made.
    pub options: Option<&'a LaunchOptions>,
    /// The requested metrics.
    pub wanted: &'a [MetricKind],
}

/// The files of a result, stored or about to be stored.
#[derive(Debug)]
pub struct ResultFiles {
    /// The files that it is read from, see [`Tool::file`](super::Tool::file).
    pub files: Vec<PathBuf>,
    /// The log of all its processes.
    pub log: PathBuf,
}

impl ResultFiles {
    /// Returns an error if the log can't be read, or does not start as Valgrind's do. A missing log is not an error.
    pub fn check_log(&self, tool: &'static str) -> Result<()> {
        match read_preamble(&self.log) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("read", &self.log)(error)),
            Ok(preamble) if preamble.command.is_empty() => {
                Err(malformed(tool, &self.log, 1, MalformedFile::NoValgrindLine))
            }
            Ok(_) => Ok(()),
        }
    }
}

/// A measurement with the files to store.
#[derive(Debug)]
pub struct Collected {
    pub measurement: Measurement,
    /// Callgrind's call graph, if flamegraphs need it.
    pub call_graph: Option<CallGraph>,
    /// The costs by address, if they were asked for.
    pub addresses: Option<iai_callgrind_profile::AddressProfile>,
    /// The files to store in addition to the log, each with its extension. They name the benchmark
    /// executable by its own path.
    pub files: Vec<(String, PathBuf)>,
}

/// The processes of one benchmark, each given by the path that its files start with.
pub struct Processes<'a> {
    /// The process that ran the benchmark function, or the command.
    pub main: &'a Path,
    /// The processes that the benchmark function or the command started, in the order of their start.
    pub others: &'a [PathBuf],
    /// `main` ran a command, all of which counts.
    pub is_command: bool,
    /// The logs of all of them, one after the other.
    pub log: &'a Path,
    /// The options of their launch.
    pub options: &'a LaunchOptions,
    /// The path that the benchmark executable ran under.
    pub link: &'a StablePath,
    /// The machine code of object files.
    pub code: &'a CodeFiles,
    /// Flamegraphs need the call graph.
    pub needs_call_graph: bool,
    /// The table of attributed costs needs the costs by address.
    pub needs_addresses: bool,
}

impl<'a> Processes<'a> {
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Path> + use<'a> {
        iter::once(self.main).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Returns the error of a process without a file: it was killed, or could not write the file.
    pub(super) fn not_written(&self, process: &Path, tool: &'static str) -> Error {
        if process == self.main {
            return ToolFailure::NotWritten { tool }.into();
        }
        let command = preamble(&process.with_extension("log")).command;
        ToolFailure::ProcessLeft {
            command: format!("`{}`", self.link.renamed().restored(&command)),
        }
        .into()
    }

    /// Fails if one of them is a fork that executed no program of its own: the tool copied the
    /// counts before the fork, and they would count twice.
    pub(super) fn demand_no_fork(&self, tool: &'static str) -> Result<()> {
        let command = |process: &Path| preamble(&process.with_extension("log")).command;
        let own = command(self.main);
        if self.others.iter().any(|other| command(other) == own) {
            return Err(ToolFailure::Forks { tool }.into());
        }
        Ok(())
    }
}

/// Returns the extension of a file of the process with this number: `out` for the process that ran
/// the benchmark function, `out.p2` for the next one.
pub fn process_extension(extension: &str, process: usize) -> String {
    match process {
        0 => extension.to_owned(),
        _ => format!("{extension}.p{}", process + 1),
    }
}

/// Returns true for the known extension, even with the numbers of a thread and of a process after it.
pub fn is_extension(known: &str, extension: &str) -> bool {
    let is_number = |part: &str| {
        let digits = part.strip_prefix('p').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rest = extension.strip_prefix(known);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|rest| rest.split('.').all(is_number))
    })
}
