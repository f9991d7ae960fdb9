//! Rounds: in each, a new process of every side times all cases.

use std::process::Command;
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{Counting, Start};
use iai_callgrind_process::{Limit, Orphan, ProcessError, interrupted, orphans};

use super::case::CaseTimes;
use super::error::Error;
use super::options::TimeOptions;
use super::server::{TimeServer, TimedStart};
use super::turn::Turn;

/// A side of the comparison: an executable. Its functions fail with errors of the caller, `E`.
pub struct Side<'a, E> {
    /// Returns a command that starts it.
    pub command: &'a dyn Fn() -> Result<Command, E>,
    /// The directory for the output of its cases, which has the links to their directories.
    pub staging: &'a str,
    /// Makes the directory of the case with this index. Returns `true` if it has one of its own.
    pub make_place: &'a dyn Fn(usize) -> Result<bool, E>,
}

/// A benchmark with its case on each side.
#[derive(Debug)]
pub struct TimedCase {
    /// The start on each side that has it, the new side first.
    pub starts: Vec<Start>,
    /// Number of the files of its output, and of the link to its directory.
    pub number: u32,
}

/// Times cases on all sides.
pub struct Timer<'a, E> {
    /// The new side, and the old one if there is one.
    pub sides: Vec<Side<'a, E>>,
    /// The cases in the order of the file.
    pub cases: &'a [TimedCase],
    /// The time for each case.
    pub options: TimeOptions,
    /// Ends a case that takes too long.
    pub limit: Option<Limit>,
    /// Puts other files at the places of the executables.
    pub renew: &'a dyn Fn() -> Result<(), E>,
}

impl<E: From<Error>> Timer<'_, E> {
    /// Times all cases in rounds, and adds to their times. `progress` is called after each case in a round, with its index and
    /// the time that it took.
    ///
    /// # Errors
    ///
    /// Returns an error if an executable can't start, or if the run is interrupted. The cases keep the times of the rounds
    /// before. A case that fails has its failure.
    pub fn run(
        &self,
        times: &mut [CaseTimes<E>],
        progress: &mut dyn FnMut(usize, Duration),
    ) -> Result<(), E> {
        let mut slice = self.options.slice();
        loop {
            let unfinished =
                times.iter().filter(|times| times.is_unfinished(&self.options)).count();
            if unfinished == 0 {
                return Ok(());
            }
            let start = Instant::now();
            let in_cases = self.round(slice, times, progress)?;
            // The start of the processes, and the code between the benchmarks, take no more time than the benchmarks
            let between = start.elapsed().saturating_sub(in_cases);
            let number = u32::try_from(unfinished).unwrap_or(u32::MAX);
            slice = self.options.slice_after(between / number);
        }
    }

    /// Has a new process of each side time all cases. Returns the time that the cases took.
    fn round(
        &self,
        slice: Duration,
        times: &mut [CaseTimes<E>],
        progress: &mut dyn FnMut(usize, Duration),
    ) -> Result<Duration, E> {
        let cpu = random_cpu();
        let mut servers = self.servers()?;
        let mut in_cases = Duration::ZERO;
        for index in 0..self.cases.len() {
            let times = &mut times[index];
            if !times.is_unfinished(&self.options) {
                continue;
            }
            let spent = match self.starts(index) {
                Ok(starts) => {
                    let mut sample =
                        |side: usize, batches| Ok(servers[side].sample(starts[side], batches)?);
                    Turn { sides: starts.len(), sample: &mut sample, cpu }.time(slice, times)
                }
                Err(failure) => {
                    times.failure = Some(failure);
                    Duration::ZERO
                }
            };
            times.look(&self.options);
            // Such as daemons, which are in no group of a case
            orphans().into_iter().for_each(Orphan::end);
            if times.failure.is_some() {
                if let Some(signal) = interrupted() {
                    let interrupted = Error::from(ProcessError::Interrupted { signal });
                    return Err(interrupted.into());
                }
                // It may have ended the servers, and a walk does not go back
                servers = self.servers()?;
            }
            in_cases += spent;
            progress(index, spent);
        }
        Ok(in_cases)
    }

    /// Starts a process of each side, in random order: the first one finds other memory than the next.
    fn servers(&self) -> Result<Vec<TimeServer>, E> {
        (self.renew)()?;
        let mut order: Vec<_> = self.sides.iter().enumerate().collect();
        fastrand::shuffle(&mut order);
        let start = |(index, side): (usize, &Side<'_, E>)| {
            let server = TimeServer::start(
                &mut (side.command)()?,
                Counting::Time,
                side.staging,
                self.limit,
            )?;
            Ok((index, server))
        };
        let mut servers = order.into_iter().map(start).collect::<Result<Vec<_>, E>>()?;
        servers.sort_by_key(|(index, _)| *index);
        Ok(servers.into_iter().map(|(_, server)| server).collect())
    }

    /// Returns the start of the case with this index on each side that has it. An error comes with its side.
    fn starts(&self, index: usize) -> Result<Vec<TimedStart>, (usize, E)> {
        let TimedCase { starts, number } = &self.cases[index];
        let starts = starts.iter().zip(&self.sides).enumerate().map(|(side, (start, on_side))| {
            let enter = (on_side.make_place)(index).map_err(|error| (side, error))?;
            Ok(TimedStart { start: *start, number: *number, enter })
        });
        starts.collect()
    }
}

/// Returns one of the CPUs that this process may use.
fn random_cpu() -> Option<u16> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: zeros are an empty set, which the call fills.
        let set = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            if libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) != 0 {
                return None;
            }
            set
        };
        let number = u16::try_from(libc::CPU_SETSIZE).unwrap_or(u16::MAX);
        // SAFETY: the numbers are within the set.
        let is_usable = |cpu: &u16| unsafe { libc::CPU_ISSET(usize::from(*cpu), &set) };
        let cpus: Vec<_> = (0..number).filter(is_usable).collect();
        fastrand::choice(cpus)
    }
    #[cfg(not(target_os = "linux"))]
    None
}
