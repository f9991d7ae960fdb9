//! DHAT: what a benchmark allocates and how it uses it.
//!
//! DHAT tells of the whole process, but of each block by whom it was allocated. So what the benchmark
//! allocated can be told from the rest by the functions on the stack.

mod frames;
mod parser;
#[cfg(test)]
mod parser_tests;
mod recorded;

use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::{self, Metrics};

use self::frames::Owners;
use self::parser::Head;
use self::recorded::Recorded;
use super::as_written::{finish, read};
use super::lines::malformed;
use super::{Execution, Launch, Tool};
use crate::error::Result;
use crate::valgrind::file_argument;

/// DHAT's row in the table of tools.
pub(crate) static DHAT: Tool = Tool {
    kind: ValgrindTool::DHAT,
    name: "dhat",
    valgrind_name: "dhat",
    metrics: &metric::DHAT,
    example: "--mode=ad-hoc",
    file: Some("out"),
    extras: &[recorded::EXTENSION],
    execution: |_, _| Execution::PROCESS,
    arguments,
    exit_code: |_| 0,
    finish: |processes, reading| {
        processes.demand_no_fork(&DHAT)?;
        let mut finished = finish(&DHAT, processes, reading)?;
        let file = Recorded::of(processes.options).write(processes.main)?;
        finished.files.extend(file.map(|path| (recorded::EXTENSION.to_owned(), path)));
        Ok(finished)
    },
    read: |stored, reading| {
        let configured = match (reading.options, stored.files.first()) {
            (Some(options), _) => Recorded::of(options),
            (None, Some(result)) => Recorded::beside(result)?,
            (None, None) => Recorded::default(),
        };
        read(&DHAT, stored, |number, file, _| {
            read_metrics(file, &Owners::of(&configured, number == 0))
        })
    },
};

fn arguments(launch: &Launch<'_>) -> Vec<OsString> {
    vec![
        // As many as Valgrind can: the function that counts may be far down
        "--num-callers=500".into(),
        file_argument("--dhat-out-file=", launch.directory, "out"),
    ]
}

/// What the file tells of the blocks of these owners.
fn read_metrics(file: &Path, owners: &Owners<'_>) -> Result<Metrics> {
    let head = Head::read(file)?;
    owners.check(head.frames())?;
    head.sum(file, |frames| owners.own(frames))
}
