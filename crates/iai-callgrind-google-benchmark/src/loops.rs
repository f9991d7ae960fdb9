//! The loop of a benchmark.

use std::ffi::c_void;
use std::panic::resume_unwind;
use std::ptr;

use iai_callgrind_harness::__private::Region;
use iai_callgrind_plan::protocol::FAILED;

use crate::{Mode, iai_callgrind_mode};

/// The place of a loop in its course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    NotEntered,
    WarmingUp,
    Counting { is_paused: bool },
    Left,
}

/// The loop of a benchmark, whose iterations count.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    region: &'a mut Region,
    phase: Phase,
    /// Numbers of warm-up and counted iterations.
    iterations: (i64, i64),
}

impl<'a> Loop<'a> {
    /// Creates a loop with at least this number of iterations, of which the last ones count.
    pub(crate) fn new(region: &'a mut Region, least: i64) -> Self {
        let (warm_up, calls) = region.calls();
        let calls = calls.into();
        let iterations = (i64::from(warm_up).max(least.saturating_sub(calls)), calls);
        Self { region, phase: Phase::NotEntered, iterations }
    }

    /// Returns the number of iterations that were started.
    fn started(&self) -> i64 {
        let (warm_up, calls) = self.iterations;
        match self.phase {
            Phase::NotEntered => 0,
            Phase::WarmingUp => warm_up,
            Phase::Counting { .. } | Phase::Left => warm_up + calls,
        }
    }

    /// Fails if the benchmark, which skips itself, should have a time.
    pub(crate) fn skip(&self) {
        if self.region.is_timed() {
            fail("the benchmark has no time: it skips itself");
        }
    }

    /// Fails unless the loop was left.
    pub(crate) fn check(&self) {
        match self.phase {
            Phase::NotEntered => fail(
                "the benchmark counts nothing: its function never enters the loop over its `State`",
            ),
            Phase::WarmingUp | Phase::Counting { .. } => fail(
                "the benchmark left the loop over its `State` before the end: only whole iterations can count",
            ),
            Phase::Left => {}
        }
    }

    /// Returns the number of the next iterations, 0 after the last one.
    #[inline(always)]
    fn next(&mut self) -> i64 {
        let (warm_up, calls) = self.iterations;
        if self.phase == Phase::NotEntered && warm_up > 0 {
            self.phase = Phase::WarmingUp;
            return warm_up;
        }
        match self.phase {
            Phase::Counting { .. } if self.region.goes_on() => calls,
            Phase::Counting { is_paused } => {
                if is_paused {
                    self.region.resume_loop();
                }
                self.region.end_loop();
                self.phase = Phase::Left;
                0
            }
            Phase::NotEntered | Phase::WarmingUp => {
                self.phase = Phase::Counting { is_paused: false };
                self.region.start_loop();
                calls
            }
            Phase::Left => entered_again(),
        }
    }
}

/// Ends the benchmark with an error.
fn fail(error: &str) -> ! {
    eprintln!("error: {error}");
    end()
}

/// Ends the benchmark, whose error is printed. Each has a process of its own, unless it runs natively.
pub(crate) fn end() -> ! {
    if iai_callgrind_mode() == Mode::DryRun {
        // As a panic does, whose message is about Rust
        resume_unwind(Box::new(()));
    }
    iai_callgrind_end_process()
}

#[cold]
fn entered_again() -> ! {
    eprintln!(
        "error: the benchmark enters the loop over its `State` twice, and only one loop can count\n\
         help: make a benchmark of each"
    );
    iai_callgrind_end_process()
}

/// Ends the process of a failed benchmark. Functions that are registered for its end belong to the fork server and do not run.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn iai_callgrind_end_process() -> ! {
    // SAFETY: always allowed; null means all streams.
    unsafe {
        libc::fflush(ptr::null_mut());
        libc::_exit(FAILED)
    }
}

/// Returns the number of the next iterations, 0 after the last one. Counts between the first and the last of those that count.
///
/// # Safety
///
/// The loop is one that [`crate::iai_callgrind_reach`] passed.
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) unsafe extern "C" fn iai_callgrind_loop_next(measured: *mut c_void) -> i64 {
    // SAFETY: the caller guarantees it.
    unsafe { &mut *measured.cast::<Loop<'_>>() }.next()
}

/// Stops counting.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) unsafe extern "C" fn iai_callgrind_loop_pause(measured: *mut c_void) {
    // SAFETY: the caller guarantees it.
    let measured = unsafe { &mut *measured.cast::<Loop<'_>>() };
    if measured.phase == (Phase::Counting { is_paused: false }) {
        measured.region.pause_loop();
        measured.phase = Phase::Counting { is_paused: true };
    }
}

/// Counts again.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) unsafe extern "C" fn iai_callgrind_loop_resume(measured: *mut c_void) {
    // SAFETY: the caller guarantees it.
    let measured = unsafe { &mut *measured.cast::<Loop<'_>>() };
    if measured.phase == (Phase::Counting { is_paused: true }) {
        measured.phase = Phase::Counting { is_paused: false };
        measured.region.resume_loop();
    }
}

/// Returns the number of all iterations.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_loop_iterations(measured: *mut c_void) -> i64 {
    // SAFETY: the caller guarantees it.
    let (warm_up, calls) = unsafe { &*measured.cast::<Loop<'_>>() }.iterations;
    warm_up + calls
}

/// Returns the number of iterations that were started.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) unsafe extern "C" fn iai_callgrind_loop_started(measured: *mut c_void) -> i64 {
    // SAFETY: the caller guarantees it.
    unsafe { &*measured.cast::<Loop<'_>>() }.started()
}

/// Returns the number of the iterations that count.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_calls(measured: *mut c_void) -> i64 {
    // SAFETY: the caller guarantees it.
    let (_, calls) = unsafe { &*measured.cast::<Loop<'_>>() }.iterations;
    calls
}
