//! DHAT: the benchmark's allocations and their use.
//!
//! DHAT reports on the whole process, with the stack that allocated each block. The functions on
//! the stack select the blocks of the benchmark. The file is reduced to these unless the
//! configuration keeps it.

mod cut;
mod filter;
mod parser;
mod trace;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::{self, Metrics};
use iai_callgrind_plan::{SanitizeOutput, ValgrindTool};

use self::cut::cut;
use self::filter::{BlockFilter, EXTENSION, ProcessFilter};
use self::parser::{Head, TOOL};
use self::trace::{Peak, TracedRegion, read_peak, remove_trace};
use super::files::{Processes, process_extension};
use super::launch::{Execution, Launch};
use super::results::{keep_files, read_files};
use super::row::Tool;
use crate::valgrind::file_argument;
use crate::{Error, Result};

/// The extension of the original of a file that was cut down.
const ORIGINAL: &str = "out.orig";

/// DHAT's row in the table of tools.
pub static DHAT: Tool = Tool {
    kind: ValgrindTool::DHAT,
    name: TOOL,
    valgrind_name: TOOL,
    metrics: &metric::DHAT,
    example: "--mode=ad-hoc",
    file: Some("out"),
    extras: &[EXTENSION, ORIGINAL, trace::EXTENSION],
    execution: |_, _| Execution::PROCESS,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(DHAT.name)?;
        if processes.options.traces_heap {
            write_peaks(processes)?;
        }
        let mut finished = keep_files(&DHAT, processes, reading)?;
        let filter = BlockFilter::from_options(processes.options);
        let is_whole = processes.options.sanitize_output == SanitizeOutput::No
            || filter.of_process(true).selects_all();
        if is_whole {
            let file = filter.write(processes.main)?;
            finished.files.extend(file.map(|path| (EXTENSION.to_owned(), path)));
            return Ok(finished);
        }
        let keeps_original = processes.options.sanitize_output == SanitizeOutput::KeepOrig;
        for (number, process) in processes.all().enumerate() {
            let original = cut_file(process, &filter.of_process(number == 0), keeps_original)?;
            let extension = process_extension(ORIGINAL, number);
            finished.files.extend(original.map(|path| (extension, path)));
        }
        Ok(finished)
    },
    read: |stored, reading| {
        let filter = match (reading.options, stored.files.first()) {
            (Some(options), _) => BlockFilter::from_options(options),
            (None, Some(result)) => BlockFilter::read(result)?,
            (None, None) => BlockFilter::default(),
        };
        read_files(&DHAT, stored, |number, file, _| {
            let mut metrics = read_metrics(file, &filter.of_process(number == 0))?;
            if let Some(peak) = Peak::read(file)? {
                peak.add_to(&mut metrics);
            }
            Ok(metrics)
        })
    },
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    let mut arguments = vec![
        // Valgrind's maximum, because the selected function may be far down
        "--num-callers=500".into(),
        file_argument("--dhat-out-file=", launch.directory, "out"),
    ];
    arguments.extend(launch.options.traces_heap.then(|| trace::ARGUMENT.into()));
    arguments
}

/// Writes the peaks of each process next to its file, and removes the trace from the log.
fn write_peaks(processes: &Processes<'_>) -> Result<()> {
    for process in processes.all() {
        // A command, and a program that the benchmark starts, counts as a whole
        let is_marked = process == processes.main && !processes.is_command;
        let region = if is_marked { TracedRegion::Marked } else { TracedRegion::Process };
        read_peak(&process.with_extension("log"), region)?.write(&process.with_extension("out"))?;
    }
    remove_trace(processes.log)
}

/// Cuts the file of a process down to the selected blocks. Returns a copy of the original, if it is kept.
fn cut_file(
    process: &Path,
    filter: &ProcessFilter<'_>,
    keeps_original: bool,
) -> Result<Option<PathBuf>> {
    if filter.selects_all() {
        return Ok(None);
    }
    let file = process.with_extension("out");
    let original = process.with_extension(ORIGINAL);
    if keeps_original {
        fs::copy(&file, &original).map_err(Error::io("copy", &file))?;
    }
    cut(&file, &Head::read(&file)?, filter)?;
    Ok(keeps_original.then_some(original))
}

/// Reads the metrics of the selected blocks. Files of earlier versions contain the whole process.
fn read_metrics(file: &Path, filter: &ProcessFilter<'_>) -> Result<Metrics> {
    let head = Head::read(file)?;
    let filter = if head.is_cut { &ProcessFilter::ALL } else { filter };
    filter.check(head.frames())?;
    head.sum(file, |frames| filter.selects(frames))
}
