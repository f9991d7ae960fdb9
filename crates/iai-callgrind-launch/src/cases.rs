//! The cases of a launch, their events, and the interface of executors.

use std::path::Path;
use std::process::{Command, ExitStatus};

use iai_callgrind_plan::protocol::{MeasuredRegion, Start};
use iai_callgrind_process::{Exceeded, FIRST_ID, Isolation, Limit};
use iai_callgrind_tools::valgrind::ThreadLimit;

use crate::error::{Error, Result};
use crate::namespaces::Isolated;
use crate::places::Places;

/// The cases of a launch.
pub struct LaunchCases<'a> {
    /// Returns a command that starts the benchmark executable under a tool. Its processes can have
    /// this many threads, and the tool writes its files to this directory.
    pub command: &'a (dyn Fn(ThreadLimit, &Path) -> iai_callgrind_tools::Result<Command> + Sync),
    /// The code of each case, with its item and seed.
    pub starts: &'a [Start],
    /// The directories that the cases run in.
    pub places: &'a Places<'a>,
    /// The directory of captured output and of the tool's files.
    pub staging: &'a Path,
    /// Maximum number of parallel cases.
    pub jobs: usize,
    /// Limit of a case, and of the code between two cases.
    pub limit: Option<Limit>,
    /// Each case runs under its own Valgrind.
    pub own_process: bool,
    /// Process ids can be those of a container.
    pub foreign_ids: bool,
    /// Each case has process ids of its own that are the same in each run, if the system allows it.
    pub fixed_ids: bool,
    /// Values of the machine that the cases see.
    pub isolation: Isolation,
}

/// An event of cases. `E` describes the end of a case.
#[derive(Debug)]
pub enum CaseEvent<E = CaseEnd> {
    /// The case with this index started.
    Started(usize),
    /// The case is slow, and has these threads.
    Slow {
        /// The index of the case.
        case: usize,
        /// A line for each thread.
        threads: String,
    },
    /// A case came to its end.
    Ended(E),
    /// The case with this index can't start.
    Failed(usize, Error),
    /// The walk through the file did not reach the case with this index.
    NotReached {
        /// The index of the case.
        case: usize,
        /// The reason why.
        reason: NotReached,
    },
    /// The code of the file before the case `next` is slow.
    SlowCode {
        /// The finished cases.
        finished: Vec<usize>,
        /// The next case.
        next: usize,
    },
}

impl CaseEvent {
    /// Replaces the end of a case by another value made from it.
    pub fn map_end<E>(self, map: impl FnOnce(CaseEnd) -> E) -> CaseEvent<E> {
        match self {
            Self::Started(case) => CaseEvent::Started(case),
            Self::Slow { case, threads } => CaseEvent::Slow { case, threads },
            Self::Ended(end) => CaseEvent::Ended(map(end)),
            Self::Failed(case, error) => CaseEvent::Failed(case, error),
            Self::NotReached { case, reason } => CaseEvent::NotReached { case, reason },
            Self::SlowCode { finished, next } => CaseEvent::SlowCode { finished, next },
        }
    }
}

/// A reason why a walk did not reach a case.
#[derive(Debug)]
pub enum NotReached {
    /// The file does not have it.
    Absent,
    /// The code of the file panicked.
    Panicked,
    /// The code before the case exceeded this limit.
    Exceeded(Exceeded),
    /// The code before an earlier case exceeded its limit.
    Behind,
}

/// The end of a case.
#[derive(Debug)]
pub struct CaseEnd {
    /// The index of the case.
    pub case: usize,
    /// The process id outside of its namespace, 0 if it is not known.
    pub pid: i32,
    /// The processes and files that it left behind, if it had a namespace of processes of its own.
    pub isolated: Option<Isolated>,
    /// The status of its process.
    pub status: ExitStatus,
    /// The reason why the case was killed.
    pub killed: Option<Killed>,
    /// Another case ran at the same time.
    pub in_parallel: bool,
    /// The measured region, if the case reached its end.
    pub region: Option<MeasuredRegion>,
}

impl CaseEnd {
    /// Returns the directory of the tool's files about the case, which ran in this staging directory.
    pub fn files<'a>(&'a self, staging: &'a Path) -> &'a Path {
        self.isolated.as_ref().map_or(staging, |isolated| &isolated.files)
    }

    /// Returns the process id in the files of the tool.
    pub fn id_in_files(&self) -> i32 {
        if self.isolated.is_some() { FIRST_ID } else { self.pid }
    }
}

/// A reason why a case was killed.
#[derive(Debug, Clone)]
pub enum Killed {
    /// The case exceeded this limit.
    Exceeded(Exceeded),
    /// The fork server ended while only this case ran.
    WithServer {
        /// The status of the server.
        status: ExitStatus,
    },
    /// The pipe of its server had bytes that are not a message, while only this case ran.
    ForForeignMessage,
}

/// The end of a launch.
#[derive(Debug)]
pub enum LaunchEnd {
    /// All started cases have ended.
    Complete,
    /// The process ended before its cases did, with this status.
    ServerEnded(Option<ExitStatus>),
}

/// Executes the cases of launches. Tests replace processes by stored files of tools.
pub trait Executor: Sync {
    /// Runs the cases and sends their events. Once `send` returned false, no more cases start.
    fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> Result<LaunchEnd>;
}
