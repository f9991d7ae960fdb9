//! The measured region: what is between [`Region::begin`] and [`Region::end`] counts, nothing else.
//!
//! Three things together make it exact. Callgrind collects in every thread from the start
//! (`--collect-atstart=yes`), but right before the call that is switched off for the thread that makes
//! it. There the benchmark function switches it on for as long as it runs (`--toggle-collect`), so that
//! not one of our instructions counts. And the dumps right before and right after the call separate
//! what other threads do during the call from what they do else.
//!
//! It isn't switched off any earlier, because callgrind counts calls even then, and a dump takes back
//! to zero only the calls of functions in which something was collected: the calls that set-up made
//! would stand in the dump after the region.

use std::time::Duration;

use iai_callgrind_runner::protocol::{BEGIN, Counting, END, Mark, Measuring};

use crate::own_requests::{callgrind, valgrind};

/// Marks the measured region of the running case.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    measuring: Measuring,
    begin: u64,
    end: u64,
}

impl Region {
    pub(crate) fn new(measuring: Measuring) -> Self {
        Self { measuring, begin: 0, end: 0 }
    }

    /// Starts to count.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.begin = now();
        if self.measuring.cold_caches {
            callgrind::start_instrumentation();
        }
        if self.measuring.counting != Counting::Free {
            callgrind::toggle_collect();
        }
        self.dump(BEGIN);
        if self.measuring.counting == Counting::Marks {
            callgrind::toggle_collect();
        }
    }

    /// Stops counting.
    #[inline(always)]
    pub fn end(&mut self) {
        if self.measuring.counting == Counting::Marks {
            callgrind::toggle_collect();
        }
        self.dump(END);
        if self.measuring.cold_caches {
            callgrind::stop_instrumentation();
        }
        self.end = now();
    }

    #[inline(always)]
    fn dump(&self, mark: Mark) {
        if self.measuring.separate_threads {
            valgrind::monitor_command(mark.command);
        } else {
            callgrind::dump_stats_at(mark.label);
        }
    }

    /// Runs what does not mark anything; see the fork server's warm-up.
    pub(crate) fn rehearse(&mut self) {
        self.begin = now();
        self.end = now();
    }

    /// When the region began and when it ended, see
    /// [`Message::Region`](iai_callgrind_runner::protocol::Message::Region).
    pub(crate) fn times(&self) -> (u64, u64) {
        (self.begin, self.end)
    }
}

/// The time on the clock that file systems use, in nanoseconds since 1970.
#[inline(never)]
fn now() -> u64 {
    #[cfg(target_os = "linux")]
    const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME_COARSE;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME;

    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the duration of the call.
    unsafe { libc::clock_gettime(CLOCK, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let since = Duration::from_secs(seconds)
        + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0));
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
