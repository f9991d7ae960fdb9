//! Repeats the calls of cases, one after the other, for a profiler outside of their processes.

use std::time::Duration;

use iai_callgrind_plan::protocol::Counting;
use iai_callgrind_process::{Limit, Orphan, ProcessError, interrupted, orphans};

use super::error::Error;
use super::rounds::{Side, TimedCase};
use super::server::{TimeServer, TimedStart};

/// The calls of a case in its process.
#[derive(Debug, Clone, Copy)]
pub struct Repeated {
    /// Number of the calls.
    pub calls: u64,
    /// The time that passed, with the setup of the calls.
    pub wall: Duration,
}

/// A change of a case that is repeated.
pub enum ProfileEvent<E> {
    /// A process with this id repeats it.
    Started {
        /// The id.
        process: i32,
    },
    /// The time is over, or the case failed.
    Ended(Result<Repeated, E>),
}

/// Repeats the calls of cases.
pub struct Profiler<'a, E> {
    /// The executable.
    pub side: Side<'a, E>,
    /// The cases in the order of the file.
    pub cases: &'a [TimedCase],
    /// The time for each case.
    pub duration: Duration,
    /// Ends a case that takes longer than its time and this limit.
    pub limit: Option<Limit>,
}

impl<E: From<Error>> Profiler<'_, E> {
    /// Repeats the calls of each case in a process of its own. `observe` is called with its index.
    ///
    /// # Errors
    ///
    /// Returns an error if the executable can't start, or if the run is interrupted. A case that fails leaves the others
    /// running.
    pub fn run(&self, observe: &mut dyn FnMut(usize, ProfileEvent<E>)) -> Result<(), E> {
        let mut idle = None;
        for (index, case) in self.cases.iter().enumerate() {
            let mut server = idle.take().map_or_else(|| self.server(), Ok)?;
            let repeated = self.repeat(&mut server, case, index, observe);
            // Such as daemons, which are in no group of a case
            orphans().into_iter().for_each(Orphan::end);
            if let Some(signal) = interrupted().filter(|_| repeated.is_err()) {
                return Err(Error::from(ProcessError::Interrupted { signal }).into());
            }
            // A case that failed may have ended the server
            idle = repeated.is_ok().then_some(server);
            observe(index, ProfileEvent::Ended(repeated));
        }
        Ok(())
    }

    fn repeat(
        &self,
        server: &mut TimeServer,
        case: &TimedCase,
        index: usize,
        observe: &mut dyn FnMut(usize, ProfileEvent<E>),
    ) -> Result<Repeated, E> {
        let enter = (self.side.make_place)(index)?;
        let start = TimedStart { start: case.starts[0], number: case.number, enter };
        let mut started = |process| observe(index, ProfileEvent::Started { process });
        Ok(server.repeat(start, self.duration, &mut started)?)
    }

    fn server(&self) -> Result<TimeServer, E> {
        let command = &mut (self.side.command)()?;
        Ok(TimeServer::start(command, Counting::Profile, self.side.staging, self.limit)?)
    }
}
