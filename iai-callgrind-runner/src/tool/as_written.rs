//! Results that are the tools' files as these wrote them, one of each process.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::Metrics;

use super::extension::{is_of, of_process};
use super::lines::malformed;
use super::{
    Collected, Measurement, ProcessMetrics, Processes, ReadOptions, ResultFiles, Tool, did_not_end,
};
use crate::error::{Error, Result};
use crate::valgrind::log::{self, ProcessLog};

/// Reads the files of the processes and keeps them.
pub(super) fn finish(
    tool: &Tool,
    processes: &Processes<'_>,
    reading: &ReadOptions<'_>,
) -> Result<Collected> {
    let mut files = Vec::new();
    for (number, process) in processes.all().enumerate() {
        for (extension, path) in kept(tool, process)? {
            files.push((of_process(&extension, number), path));
        }
    }
    let stored = ResultFiles { files: results(tool, processes)?, log: processes.log.to_owned() };
    let measurement = (tool.read)(&stored, reading)?;
    Ok(Collected { measurement, files })
}

/// The files that the result is read from. A tool writes them when a process ends.
fn results(tool: &Tool, processes: &Processes<'_>) -> Result<Vec<PathBuf>> {
    let Some(extension) = tool.file else { return Ok(Vec::new()) };
    let result = |process: &Path| {
        let path = process.with_extension(extension);
        let has_content = fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0);
        if has_content { Ok(path) } else { Err(did_not_end(process)) }
    };
    processes.all().map(result).collect()
}

/// The files of this process that are to be kept, with their extensions.
pub(super) fn kept(tool: &Tool, process: &Path) -> Result<Vec<(String, PathBuf)>> {
    let (Some(directory), Some(pid)) = (process.parent(), process.file_name()) else {
        return Ok(Vec::new());
    };
    let prefix = format!("{}.", pid.to_string_lossy());
    let entries = fs::read_dir(directory).map_err(Error::io("read the directory", directory))?;
    let found = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let extension = name.strip_prefix(&prefix)?;
        let mut known = tool.file.iter().chain(tool.extras);
        let is_kept = known.any(|known| is_of(known, extension));
        is_kept.then(|| (extension.to_owned(), entry.path()))
    });
    Ok(found.collect())
}

/// Whether a line of a log tells what was counted.
pub(super) fn is_told(line: &str) -> bool {
    line.starts_with("# ")
}

/// What the processes of a result counted, each read by `parse` from its number, its file and its log.
pub(super) fn read(
    tool: &'static Tool,
    stored: &ResultFiles,
    parse: impl Fn(usize, &Path, &ProcessLog) -> Result<Metrics>,
) -> Result<Measurement> {
    let logs = log::processes(&stored.log, is_told)?;
    if logs.len() != stored.files.len() {
        let (logs, files) = (logs.len(), stored.files.len());
        let what = format!("there are logs of {logs} processes here, and {files} files of them");
        return Err(malformed(tool, &stored.log, 1, what));
    }
    let files = stored.files.iter().zip(logs).enumerate();
    let parts = files.map(|(number, (file, log))| {
        let metrics = parse(number, file, &log)?;
        Ok(ProcessMetrics { pid: log.pid, thread: None, command: log.preamble.command, metrics })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    Measurement::of(parts).map_err(|error| malformed(tool, &stored.log, 1, error.to_string()))
}
