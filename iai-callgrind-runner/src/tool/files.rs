//! The files of a benchmark's processes, and results that are these files as the tools wrote them.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use iai_callgrind_plan::metric::{MetricKind, Metrics};

use super::callgrind::graph::CallGraph;
use super::launch::LaunchOptions;
use super::lines::malformed;
use super::measurement::{Measurement, ProcessMetrics};
use super::row::Tool;
use crate::error::{Error, Result};
use crate::stable_path::StablePath;
use crate::valgrind::log::{self, ProcessLog, preamble};

/// The requested parts of a result.
pub(crate) struct ReadOptions<'a> {
    /// The launch's options; `None` for those with which the result was made.
    pub(crate) options: Option<&'a LaunchOptions>,
    /// The requested metrics.
    pub(crate) wanted: &'a [MetricKind],
}

/// The files of a result, stored or about to be stored.
#[derive(Debug)]
pub(crate) struct ResultFiles {
    /// The files that it is read from, see [`Tool::file`].
    pub(crate) files: Vec<PathBuf>,
    /// The log of all its processes.
    pub(crate) log: PathBuf,
}

/// A measurement with the files to store.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) measurement: Measurement,
    /// Callgrind's call graph, if flamegraphs need it.
    pub(crate) call_graph: Option<CallGraph>,
    /// The files to store in addition to the log, each with its extension. They name the benchmark
    /// executable by its own path.
    pub(crate) files: Vec<(String, PathBuf)>,
}

/// The processes of one benchmark, each given by the path that its files start with.
pub(crate) struct Processes<'a> {
    /// The process that ran the benchmark function, or the command.
    pub(crate) main: &'a Path,
    /// The processes that the benchmark function or the command started, in the order of their start.
    pub(crate) others: &'a [PathBuf],
    /// `main` ran a command, all of which counts.
    pub(crate) is_command: bool,
    /// The logs of all of them, one after the other.
    pub(crate) log: &'a Path,
    /// The options of their launch.
    pub(crate) options: &'a LaunchOptions,
    /// The path that the benchmark executable ran under.
    pub(crate) link: &'a StablePath,
    /// Flamegraphs need the call graph.
    pub(crate) needs_call_graph: bool,
}

impl<'a> Processes<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Path> + use<'a> {
        iter::once(self.main).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Fails if one of them is a fork that executed no program of its own: the tool has copied the
    /// counts up to then, and they would count twice.
    pub(super) fn demand_no_fork(&self, tool: &Tool) -> Result<()> {
        let command = |process: &Path| preamble(&process.with_extension("log")).command;
        let own = command(self.main);
        if self.others.iter().any(|other| command(other) == own) {
            let name = tool.name;
            return Err(Error::Case(format!(
                "the benchmark forks, and {name} counts in the new process once more what it had counted \
                 before.\nSwitch {name} off for this benchmark"
            )));
        }
        Ok(())
    }

    /// Returns the files to keep, each with its extension. Afterwards they name the benchmark executable
    /// by its own path.
    pub(super) fn kept_files(&self, tool: &Tool) -> Result<Vec<(String, PathBuf)>> {
        let mut kept = Vec::new();
        for (number, process) in self.all().enumerate() {
            for (extension, path) in files_of(process, tool)? {
                self.link.restore(&path)?;
                kept.push((process_extension(&extension, number), path));
            }
        }
        Ok(kept)
    }
}

/// Returns the error of a process that outlived the benchmark or was killed: its counts are unknown.
pub(super) fn did_not_end(process: &Path) -> Error {
    Error::Case(format!(
        "the benchmark started `{}`, but that did not end while the benchmark ran, or was \
         killed: what it counts is not known.\nLet the benchmark wait for it",
        preamble(&process.with_extension("log")).command
    ))
}

/// Returns the extension of a file of the process with this number: `out` for the one that ran the
/// benchmark function, `out.p2` for the next one.
pub(crate) fn process_extension(extension: &str, process: usize) -> String {
    match process {
        0 => extension.to_owned(),
        _ => format!("{extension}.p{}", process + 1),
    }
}

/// Returns true for the known extension, even with the numbers of a thread and of a process after it.
pub(crate) fn is_extension(known: &str, extension: &str) -> bool {
    let is_number = |part: &str| {
        let digits = part.strip_prefix('p').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rest = extension.strip_prefix(known);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|rest| rest.split('.').all(is_number))
    })
}

/// Lists the files of a process that a tool's results consist of, each with its extension.
fn files_of(process: &Path, tool: &Tool) -> Result<Vec<(String, PathBuf)>> {
    let (Some(directory), Some(pid)) = (process.parent(), process.file_name()) else {
        return Ok(Vec::new());
    };
    let prefix = format!("{}.", pid.to_string_lossy());
    let entries = fs::read_dir(directory).map_err(Error::io("read the directory", directory))?;
    let found = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let extension = name.strip_prefix(&prefix)?;
        let mut known = tool.file.iter().chain(tool.extras);
        let is_kept = known.any(|known| is_extension(known, extension));
        is_kept.then(|| (extension.to_owned(), entry.path()))
    });
    Ok(found.collect())
}

/// Reads the files of the processes and keeps them as they are.
pub(super) fn keep_files(
    tool: &Tool,
    processes: &Processes<'_>,
    reading: &ReadOptions<'_>,
) -> Result<Collected> {
    let files = processes.kept_files(tool)?;
    // A tool writes its file when the process ends
    let result = |process: &Path| {
        let path = process.with_extension(tool.file?);
        let has_content = fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0);
        Some(if has_content { Ok(path) } else { Err(did_not_end(process)) })
    };
    let results = processes.all().filter_map(result).collect::<Result<_>>()?;
    let stored = ResultFiles { files: results, log: processes.log.to_owned() };
    let measurement = (tool.read)(&stored, reading)?;
    Ok(Collected { measurement, call_graph: None, files })
}

/// Reads the counts of the processes of a result. `parse` takes the number of a process, its file and
/// its log.
pub(super) fn read_files(
    tool: &Tool,
    stored: &ResultFiles,
    parse: impl Fn(usize, &Path, &ProcessLog) -> Result<Metrics>,
) -> Result<Measurement> {
    let logs = log::processes(&stored.log, is_count)?;
    if logs.len() != stored.files.len() {
        let (logs, files) = (logs.len(), stored.files.len());
        let what = format!("there are logs of {logs} processes here, and {files} files of them");
        return Err(malformed(tool.name, &stored.log, 1, what));
    }
    let files = stored.files.iter().zip(logs).enumerate();
    let parts = files.map(|(number, (file, log))| {
        let metrics = parse(number, file, &log)?;
        Ok(ProcessMetrics { pid: log.pid, thread: None, command: log.preamble.command, metrics })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    Measurement::from_parts(parts)
        .map_err(|error| malformed(tool.name, &stored.log, 1, error.to_string()))
}

/// Returns true for a line of a log that contains counts.
pub(super) fn is_count(line: &str) -> bool {
    line.starts_with("# ")
}
