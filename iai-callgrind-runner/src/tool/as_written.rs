//! Results that are the tools' files as these wrote them, one of each process.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Counted, Finished, Part, Processes, Reading, Stored, Tool, did_not_end};
use crate::error::{Error, Result};
use crate::lines::{Line, Lines};
use crate::metric::Metrics;
use crate::output::{is_of, of_process};
use crate::valgrind::log::{self, ProcessLog};

/// Reads the files of the processes and keeps them.
pub(super) fn finish(
    tool: &Tool,
    processes: &Processes<'_>,
    reading: &Reading<'_>,
) -> Result<Finished> {
    let mut files = Vec::new();
    for (number, process) in processes.all().enumerate() {
        for (extension, path) in kept(tool, process)? {
            files.push((of_process(&extension, number), path));
        }
    }
    let stored = Stored { files: results(tool, processes)?, log: processes.log.to_owned() };
    let counted = (tool.read)(&stored, reading)?;
    Ok(Finished { counted, files, errors: None })
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
    stored: &Stored,
    parse: impl Fn(usize, &Path, &ProcessLog) -> Result<Metrics>,
) -> Result<Counted> {
    let logs = log::processes(&stored.log, is_told)?;
    if logs.len() != stored.files.len() {
        let (logs, files) = (logs.len(), stored.files.len());
        let what = format!("there are logs of {logs} processes here, and {files} files of them");
        return Err(malformed(tool, &stored.log, 1, what));
    }
    let files = stored.files.iter().zip(logs).enumerate();
    let parts = files.map(|(number, (file, log))| {
        let metrics = parse(number, file, &log)?;
        Ok(Part { pid: log.pid, thread: None, command: log.preamble.command, metrics })
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    Counted::of(parts).map_err(|error| malformed(tool, &stored.log, 1, error.to_string()))
}

/// The lines of a tool's file, which can hold names of any encoding.
pub(super) struct TextLines<'a> {
    tool: &'static Tool,
    path: &'a Path,
    lines: Lines,
    /// The line that was read last, if it is no UTF-8.
    lossy: String,
}

impl<'a> TextLines<'a> {
    pub(super) fn open(tool: &'static Tool, path: &'a Path) -> Result<Self> {
        let lines = Lines::open(path).map_err(Error::io("read", path))?;
        Ok(Self { tool, path, lines, lossy: String::new() })
    }

    /// The next line; `None` after the last. What is no whole line is an error.
    pub(super) fn next(&mut self) -> Result<Option<&str>> {
        match self.lines.next().map_err(Error::io("read", self.path))? {
            None => Ok(None),
            Some(Line { text, flaw: None, .. }) => {
                if let Ok(text) = std::str::from_utf8(text) {
                    return Ok(Some(text));
                }
                self.lossy = String::from_utf8_lossy(text).into_owned();
                Ok(Some(&self.lossy))
            }
            Some(Line { number, flaw: Some(flaw), .. }) => {
                Err(malformed(self.tool, self.path, number, flaw))
            }
        }
    }

    /// What is wrong with the line that was read last.
    pub(super) fn wrong(&self, what: impl Into<String>) -> Error {
        malformed(self.tool, self.path, self.lines.number(), what)
    }
}

/// The error of a file that is not what the tool writes.
pub(super) fn malformed(tool: &Tool, path: &Path, line: usize, what: impl Into<String>) -> Error {
    Error::Malformed { path: path.to_owned(), line, what: what.into(), tool: tool.name }
}
