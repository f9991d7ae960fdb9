//! The lag: the time by which a virtual clock is behind the system's.
//!
//! A program that waits for another event must not wait forever for a time. So the clock is never
//! more than [`MAXIMUM_LAG`] behind the time in which all threads of its processes waited. A thread
//! that runs, waits for a CPU or waits for the runner takes a time that depends on the machine,
//! which is not a lag.
//!
//! The threads are checked in intervals. The kernel's times of threads do not say at which moments
//! nothing else ran, and a runner that is suspended or late adds nothing.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iai_callgrind_plan::virtual_clock::{SECOND, without_lag};

use super::waits::is_waiting;
use crate::limit::{descendants, threads};
use crate::real_time::process_of;

/// Nanoseconds between two looks at the processes.
const INTERVAL: u64 = SECOND / 10;

/// The lag of a clock. All times are in nanoseconds.
#[derive(Debug)]
pub(super) struct Lag {
    /// The time by which the clock was behind when it showed `shown`.
    behind: u64,
    shown: u64,
    /// Time of the next check, by the system's clock.
    pub(super) look: u64,
    processes: Processes,
    /// The clock has made up for a lag.
    pub(super) has_leapt: Arc<AtomicBool>,
}

/// The processes that share a clock.
#[derive(Debug, Default)]
pub(super) struct Processes {
    /// Known processes; others descend from them.
    known: HashSet<libc::pid_t>,
    threads: HashSet<libc::pid_t>,
}

impl Lag {
    /// Returns the lag of a clock of these processes that shows this time.
    pub(super) fn new(time: u64, real: u64, processes: Processes) -> Self {
        let has_leapt = Arc::default();
        Self { behind: 0, shown: time, look: real + INTERVAL, processes, has_leapt }
    }

    /// Resets the lag of a clock that shows this time.
    pub(super) fn forgive(&mut self, time: u64) {
        (self.behind, self.shown) = (0, time);
    }

    /// Adds the process of a thread.
    pub(super) fn add(&mut self, thread: libc::pid_t) {
        self.processes.add(thread);
    }

    /// Checks the processes of a clock that shows this time, once in an interval. `is_served`
    /// returns `false` while one of them waits for the runner.
    pub(super) fn look(&mut self, time: u64, real: u64, is_served: impl Fn() -> bool) {
        if real < self.look {
            return;
        }
        self.look = real + INTERVAL;
        self.advance(time);
        // A thread that waits by now may wait for an answer
        if is_served() && self.processes.are_waiting() && is_served() {
            self.behind += INTERVAL;
        }
    }

    /// Returns this time of the clock, or a later one if the processes have waited for much longer.
    pub(super) fn make_up(&mut self, time: u64) -> u64 {
        self.advance(time);
        let later = without_lag(time, time + self.behind);
        if later > time {
            self.has_leapt.store(true, Ordering::Relaxed);
            self.advance(later);
        }
        later
    }

    /// Subtracts the advance of the clock since the last call from the lag.
    fn advance(&mut self, time: u64) {
        self.behind = self.behind.saturating_sub(time.saturating_sub(self.shown));
        self.shown = time;
    }
}

impl Processes {
    /// Returns a process and its descendants.
    pub(super) fn of(process: libc::pid_t) -> Self {
        Self { known: HashSet::from([process]), threads: HashSet::new() }
    }

    /// Adds the process of a thread.
    pub(super) fn add(&mut self, thread: libc::pid_t) {
        if self.threads.insert(thread) {
            self.known.extend(process_of(thread));
        }
    }

    /// Returns `true` if no thread runs, or is ready to run.
    fn are_waiting(&mut self) -> bool {
        let known = self.known.len();
        self.known.retain(|process| threads(*process).is_some());
        if self.known.len() < known {
            // Another process can get their ids
            self.threads.clear();
        }
        let all: HashSet<_> = self.known.iter().copied().flat_map(descendants).collect();
        let mut threads = all.iter().flat_map(|process| threads(*process).unwrap_or_default());
        !all.is_empty() && threads.all(is_waiting)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::thread;

    use iai_callgrind_plan::virtual_clock::{LEAP, MAXIMUM_LAG};

    use super::*;

    #[test]
    fn a_clock_makes_up_for_time_in_which_all_threads_waited() {
        // The shell waits for its child. `stopped` is as if the machine had no time for it
        let mut command = Command::new("/bin/sh");
        let mut child = command
            .args(["-c", "cat; :"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let shell = child.id().cast_signed();
        while descendants(shell).len() < 2 || !Processes::of(shell).are_waiting() {
            thread::yield_now();
        }
        let mut lag = Lag::new(5, 0, Processes::of(shell));
        let mut real = 0;
        let mut looks = |lag: &mut Lag, time: u64, is_served: bool| {
            for _ in 0..MAXIMUM_LAG / INTERVAL {
                real += INTERVAL;
                lag.look(time, real, || is_served);
                lag.look(time, real, || is_served);
            }
        };
        // The runner has no time for it
        looks(&mut lag, 5, false);
        // SAFETY: a system call without pointers.
        let signal = |process, signal| assert_eq!(unsafe { libc::kill(process, signal) }, 0);
        let cat = descendants(shell)[1];
        signal(cat, libc::SIGSTOP);
        while is_waiting(cat) {
            thread::yield_now();
        }
        looks(&mut lag, 5, true);
        assert_eq!(lag.behind, 0);
        signal(cat, libc::SIGCONT);
        // The kernel wakes the shell, too, which then waits again
        while !Processes::of(shell).are_waiting() {
            thread::yield_now();
        }
        looks(&mut lag, 5, true);
        assert_eq!(lag.make_up(7), 7);
        assert!(!lag.has_leapt.load(Ordering::Relaxed));
        looks(&mut lag, 7, true);
        let later = lag.make_up(7);
        assert_eq!(later, MAXIMUM_LAG + 5 + LEAP);
        assert!(lag.has_leapt.load(Ordering::Relaxed));
        assert_eq!(lag.make_up(later), later);
        lag.forgive(later);
        assert_eq!(lag.behind, 0);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
