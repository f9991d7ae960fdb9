//! DHAT: the benchmark's allocations and their use.
//!
//! DHAT reports on the whole process, with the stack that allocated each block. The functions on the stack
//! select the blocks of the benchmark.

mod filter;
mod parser;

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::{self, Metrics};

use self::filter::{BlockFilter, EXTENSION, ProcessFilter};
use self::parser::{Head, TOOL};
use super::launch::{Execution, Launch};
use super::results::{keep_files, read_files};
use super::row::Tool;
use crate::error::Result;
use crate::valgrind::file_argument;

/// DHAT's row in the table of tools.
pub(crate) static DHAT: Tool = Tool {
    kind: ValgrindTool::DHAT,
    name: TOOL,
    valgrind_name: TOOL,
    metrics: &metric::DHAT,
    example: "--mode=ad-hoc",
    file: Some("out"),
    extras: &[EXTENSION],
    execution: |_, _| Execution::PROCESS,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(DHAT.name)?;
        let mut finished = keep_files(&DHAT, processes, reading)?;
        let file = BlockFilter::from_options(processes.options).write(processes.main)?;
        finished.files.extend(file.map(|path| (EXTENSION.to_owned(), path)));
        Ok(finished)
    },
    read: |stored, reading| {
        let filter = match (reading.options, stored.files.first()) {
            (Some(options), _) => BlockFilter::from_options(options),
            (None, Some(result)) => BlockFilter::read(result)?,
            (None, None) => BlockFilter::default(),
        };
        read_files(&DHAT, stored, |number, file, _| {
            read_metrics(file, &filter.of_process(number == 0))
        })
    },
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        // Valgrind's maximum, because the selected function may be far down
        "--num-callers=500".into(),
        file_argument("--dhat-out-file=", launch.directory, "out"),
    ]
}

/// Reads the metrics of the selected blocks.
fn read_metrics(file: &Path, filter: &ProcessFilter<'_>) -> Result<Metrics> {
    let head = Head::read(file)?;
    filter.check(head.frames())?;
    head.sum(file, |frames| filter.selects(frames))
}
