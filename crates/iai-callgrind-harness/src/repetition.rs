//! Calls that are repeated for a while, for a profiler outside of this process.

use std::time::{Duration, Instant};

/// The time between two readings of the clock.
const INTERVAL: Duration = Duration::from_millis(1);

/// The calls of a case until their time is over.
#[derive(Debug)]
pub(crate) struct Repetition {
    start: Instant,
    duration: Duration,
    calls: u64,
    is_over: bool,
    /// Number of the calls at the next reading of the clock.
    next: u64,
    /// Number of the calls between the last reading and the next one.
    step: u64,
    last: Instant,
}

impl Repetition {
    pub(crate) fn new(duration: Duration) -> Self {
        let start = Instant::now();
        Self { start, duration, calls: 0, is_over: false, next: 1, step: 1, last: start }
    }

    /// Notes a call. Returns `true` if another one has to follow.
    #[inline]
    pub(crate) fn goes_on(&mut self) -> bool {
        self.calls += 1;
        if self.calls >= self.next {
            self.read_clock();
        }
        !self.is_over
    }

    /// Reads the clock so often that it takes no part of the time, and that the last call is not late.
    #[cold]
    fn read_clock(&mut self) {
        let now = Instant::now();
        let passed = now - self.last;
        self.step = if passed < INTERVAL / 2 {
            self.step * 2
        } else if passed > INTERVAL * 2 {
            (self.step / 2).max(1)
        } else {
            self.step
        };
        self.last = now;
        self.next = self.calls + self.step;
        self.is_over = now - self.start >= self.duration;
    }

    /// Returns `true` if the time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the number of the calls, and the time until the last reading of the clock.
    pub(crate) fn result(&self) -> (u64, Duration) {
        (self.calls, self.last - self.start)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn calls_take_as_long_as_they_should() {
        let long = || sleep(Duration::from_millis(3));
        for (call, least, most) in [(&(|| ()) as &dyn Fn(), 1000, u64::MAX), (&long, 1, 10)] {
            let mut repetition = Repetition::new(Duration::from_millis(20));
            loop {
                call();
                if !repetition.goes_on() {
                    break;
                }
            }
            let (calls, time) = repetition.result();
            assert!((least..=most).contains(&calls), "{calls}");
            assert!(repetition.is_over() && time >= Duration::from_millis(20), "{time:?}");
        }
    }
}
