//! Results that are the files of the processes as the tool wrote them.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_base::MalformedFile;
use iai_callgrind_plan::metric::Metrics;

use super::files::{
    Collected, Processes, ReadOptions, ResultFiles, is_extension, process_extension,
};
use super::lines::malformed;
use super::measurement::{Measurement, ProcessMetrics};
use super::row::Tool;
use crate::valgrind::log::{self, ProcessLog};
use crate::{Error, Result};

/// Returns the files to keep, each with its extension. Afterwards they name the benchmark executable by its
/// own path.
pub(super) fn kept_files(tool: &Tool, processes: &Processes<'_>) -> Result<Vec<(String, PathBuf)>> {
    let mut kept = Vec::new();
    for (number, process) in processes.all().enumerate() {
        for (extension, path) in files_of(process, tool)? {
            processes.link.restore(&path)?;
            kept.push((process_extension(&extension, number), path));
        }
    }
    Ok(kept)
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
    let files = kept_files(tool, processes)?;
    // A tool writes its file when the process ends
    let result = |process: &Path| {
        let path = process.with_extension(tool.file?);
        let has_content = fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0);
        Some(if has_content { Ok(path) } else { Err(processes.not_written(process, tool.name)) })
    };
    let results = processes.all().filter_map(result).collect::<Result<_>>()?;
    let stored = ResultFiles { files: results, log: processes.log.to_owned() };
    let measurement = (tool.read)(&stored, reading)?;
    Ok(Collected { measurement, call_graph: None, addresses: None, files })
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
        let cause = MalformedFile::OtherProcesses { logs, files };
        return Err(malformed(tool.name, &stored.log, 1, cause));
    }
    let files = stored.files.iter().zip(logs).enumerate();
    let parts = files.map(|(number, (file, log))| {
        let metrics = parse(number, file, &log)?;
        Ok(ProcessMetrics { pid: log.pid, thread: None, command: log.preamble.command, metrics })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    Measurement::from_parts(parts).map_err(|error| malformed(tool.name, &stored.log, 1, error))
}

/// Returns true for a line of a log that contains counts.
pub(super) fn is_count(line: &str) -> bool {
    line.starts_with("# ")
}
