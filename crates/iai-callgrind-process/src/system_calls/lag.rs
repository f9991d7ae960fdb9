//! The time by which a virtual clock is behind that of the system.
//!
//! A program that waits for something else than a time must not wait forever for a time. So the clock is never
//! more than [`MAXIMUM_LAG`] behind the time that the processes have been waiting. The time in which one of them ran, or waited
//! for a CPU, is no lag: it depends on the machine.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iai_callgrind_plan::virtual_clock::{MAXIMUM_LAG, without_lag};

use super::request::process_file;

/// The time by which a clock is behind from which on the time of its processes is counted.
const COUNTED: u64 = MAXIMUM_LAG / 2;

/// The lag of a clock. All times are in nanoseconds.
#[derive(Debug)]
pub(super) struct Lag {
    /// The clock of the system when the virtual clock showed zero.
    start: u64,
    /// The time in which a process was busy, until `counted`.
    busy: u64,
    counted: u64,
    /// The time in which each thread was busy at the end of its last time slice.
    threads: HashMap<libc::pid_t, u64>,
    /// The clock has made up for a lag.
    pub(super) has_leapt: Arc<AtomicBool>,
}

impl Lag {
    /// Returns the lag of a clock that shows this time.
    pub(super) fn new(time: u64, real: u64) -> Self {
        let start = real.saturating_sub(time);
        Self { start, busy: 0, counted: real, threads: HashMap::new(), has_leapt: Arc::default() }
    }

    /// Returns this time of the clock, or a later one if the processes have been waiting for much longer.
    pub(super) fn make_up(&mut self, time: u64, real: u64) -> u64 {
        let waited = real.saturating_sub(self.start).saturating_sub(self.busy);
        let later = without_lag(time, waited);
        if later > time {
            self.has_leapt.store(true, Ordering::Relaxed);
        }
        later
    }

    /// Returns `true` if the time of threads has to be counted.
    pub(super) fn is_near(&self, time: u64, real: u64) -> bool {
        real.saturating_sub(self.start).saturating_sub(time) >= COUNTED
    }

    /// Counts the time in which a thread was busy until now. That of several threads at the same time is counted once.
    pub(super) fn end_slice(&mut self, thread: libc::pid_t, real: u64) {
        let Some(busy) = busy_time(thread) else { return };
        let before = self.threads.insert(thread, busy).unwrap_or(0);
        self.busy += busy.saturating_sub(before).min(real.saturating_sub(self.counted));
        self.counted = real;
    }
}

/// Returns the time that a thread has run, and waited for a CPU.
fn busy_time(thread: libc::pid_t) -> Option<u64> {
    let times = fs::read_to_string(process_file(thread, "schedstat")).ok()?;
    let mut times = times.split_ascii_whitespace().map(str::parse::<u64>);
    Some(times.next()?.ok()? + times.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_clock_makes_up_for_time_in_which_no_process_was_busy() {
        let mut lag = Lag::new(5, 100 + 5);
        assert_eq!(lag.start, 100);
        assert_eq!(lag.make_up(7, 100 + MAXIMUM_LAG), 7);
        assert!(!lag.has_leapt.load(Ordering::Relaxed));
        lag.busy = 3 * SECOND;
        assert_eq!(lag.make_up(7, 100 + MAXIMUM_LAG + 3 * SECOND), 7);
        assert_eq!(lag.make_up(7, 100 + MAXIMUM_LAG + 4 * SECOND), 2 * SECOND);
        assert!(lag.has_leapt.load(Ordering::Relaxed));
    }

    #[test]
    fn time_of_threads_is_counted_once() {
        // SAFETY: a system call without arguments.
        let this = unsafe { libc::gettid() };
        let mut lag = Lag::new(0, 0);
        assert!(!lag.is_near(0, COUNTED - 1) && lag.is_near(0, COUNTED));
        // The thread has run for longer than a nanosecond
        lag.counted = COUNTED;
        lag.end_slice(this, COUNTED + 1);
        assert_eq!((lag.busy, lag.counted), (1, COUNTED + 1));
        assert!(lag.threads[&this] > 1);
    }
}
