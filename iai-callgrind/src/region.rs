//! The measured region: what is between `begin` and `end` of [`Region::measure`] counts, nothing else.
//!
//! Under callgrind three things together make it exact. It collects in every thread from the start
//! (`--collect-atstart=yes`), but right before the call that is switched off for the thread that makes
//! it. There the benchmark function switches it on for as long as it runs (`--toggle-collect`), so that
//! not one of our instructions counts. And the dumps right before and right after the call separate
//! what other threads do during the call from what they do else.
//!
//! It isn't switched off any earlier, because callgrind counts calls even then, and a dump takes back
//! to zero only the calls of functions in which something was collected: the calls that set-up made
//! would stand in the dump after the region.

//!
//! Cachegrind instruments nothing but what is between its two requests. The other tools have no such
//! requests. DHAT tells of each block who allocated it, and what the benchmark allocated is what has
//! [`Region::measure`] among its callers, which set-up and tear-down don't have.

use std::time::Duration;

use iai_callgrind_plan::protocol::{BEGIN, Counting, END, Mark, Measuring};

use crate::own_requests::{cachegrind, callgrind, valgrind};

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

    /// Makes the measured call. Nothing else may stand between `begin` and `end`.
    ///
    /// The benchmark function can be gone from the stack while a function runs that it called last, this
    /// one can't.
    #[inline(never)]
    pub fn measure<R>(&mut self, call: impl FnOnce() -> R) -> R {
        self.begin();
        let result = call();
        self.end();
        result
    }

    /// Starts to count.
    #[inline(always)]
    fn begin(&mut self) {
        self.begin = now();
        match self.measuring.counting {
            Counting::Function | Counting::Marks | Counting::Free => self.begin_profile(),
            Counting::Instrumentation => cachegrind::start_instrumentation(),
            Counting::Process => {}
        }
    }

    #[inline(always)]
    fn begin_profile(&mut self) {
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
    fn end(&mut self) {
        match self.measuring.counting {
            Counting::Function | Counting::Marks | Counting::Free => self.end_profile(),
            Counting::Instrumentation => cachegrind::stop_instrumentation(),
            Counting::Process => {}
        }
        self.end = now();
    }

    #[inline(always)]
    fn end_profile(&mut self) {
        if self.measuring.counting == Counting::Marks {
            callgrind::toggle_collect();
        }
        self.dump(END);
        if self.measuring.cold_caches {
            callgrind::stop_instrumentation();
        }
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
    /// [`Message::Region`](iai_callgrind_plan::protocol::Message::Region).
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
