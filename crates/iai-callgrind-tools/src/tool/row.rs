//! A row of the table of tools.

use std::ffi::OsString;

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::MetricSet;

use super::files::{Collected, Processes, ReadOptions, ResultFiles};
use super::launch::{Capabilities, Execution, Launch, LaunchOptions};
use super::measurement::{Measurement, ToolFailure};
use crate::Result;
use crate::executable::Allocator;

/// The extension of the table of attributed costs.
pub const TABLE: &str = "table";

/// A row of the table of tools.
#[derive(Debug)]
pub struct Tool {
    /// The tool in configurations.
    pub kind: ValgrindTool,
    /// Name on the command line, in headlines and in the names of its files.
    pub name: &'static str,
    /// Valgrind's name for it.
    pub valgrind_name: &'static str,
    /// The metrics that it can measure.
    pub metrics: &'static MetricSet,
    /// An argument of its own, for the help.
    pub example: &'static str,
    /// The extension of the files that a result is read from, one of each process; `None` if the log
    /// contains everything.
    pub file: Option<&'static str>,
    /// The extensions of further files that are kept if they exist.
    pub extras: &'static [&'static str],
    /// Returns the way in which the cases of a launch run.
    pub execution: fn(&LaunchOptions, Capabilities) -> Execution,
    /// Returns its own arguments for a launch.
    pub arguments: fn(&Launch<'_>) -> Vec<OsString>,
    /// Returns the exit code of a completed process in which the tool found errors; 0 if errors are
    /// not a failure.
    pub exit_code: fn(&LaunchOptions) -> i32,
    /// Makes the result of a benchmark out of the files of its processes.
    pub finish: fn(&Processes<'_>, &ReadOptions<'_>) -> Result<Collected>,
    /// Reads a result that `finish` made. Both skip costly parts unless requested.
    pub read: fn(&ResultFiles, &ReadOptions<'_>) -> Result<Measurement>,
}

impl Tool {
    /// Returns `true` if its results are about the blocks of the allocator, with these arguments.
    pub fn needs_allocator(&self, arguments: &[String]) -> bool {
        let has = |given: &[&str]| arguments.iter().any(|argument| given.contains(&&**argument));
        match self.kind {
            ValgrindTool::DHAT => !has(&["--mode=ad-hoc", "--mode=copy"]),
            ValgrindTool::Massif => !has(&["--pages-as-heap=yes"]),
            ValgrindTool::Memcheck => true,
            _ => false,
        }
    }

    /// Returns an error, which calls the program by this name, if it does not see the blocks of a program with this allocator.
    pub fn check_allocator(&self, allocator: Allocator, program: &str) -> Result<(), ToolFailure> {
        let (tool, program) = (self.name, program.to_owned());
        match allocator {
            Allocator::Replaceable => Ok(()),
            Allocator::Static => Err(ToolFailure::StaticAllocator { tool, program }),
            Allocator::Own => Err(ToolFailure::OwnAllocator { tool, program }),
            Allocator::OfOtherLibrary => Err(ToolFailure::OtherLibrary { tool, program }),
        }
    }

    /// Returns true if its results have tables of costs by function, from which differences are explained.
    pub fn has_tables(&self) -> bool {
        self.extras.contains(&TABLE)
    }
}
