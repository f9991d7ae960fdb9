//! The loop of a benchmark.

use std::ffi::c_void;

use iai_callgrind_harness::__private::Region;

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
}

impl<'a> Loop<'a> {
    pub(crate) fn new(region: &'a mut Region) -> Self {
        Self { region, phase: Phase::NotEntered }
    }

    /// Panics unless the loop was left.
    pub(crate) fn check(&self) {
        match self.phase {
            Phase::NotEntered => panic!(
                "the benchmark counts nothing: its function never enters the loop over its `State`"
            ),
            Phase::WarmingUp | Phase::Counting { .. } => panic!(
                "the benchmark left the loop over its `State` before the end: only whole iterations can count"
            ),
            Phase::Left => {}
        }
    }

    /// Returns the number of the next iterations, 0 after the last one.
    #[inline(always)]
    fn next(&mut self) -> i64 {
        if let Phase::NotEntered = self.phase {
            let (warm_up_calls, _) = self.region.calls();
            if warm_up_calls > 0 {
                self.phase = Phase::WarmingUp;
                return warm_up_calls.into();
            }
        }
        match self.phase {
            Phase::Counting { is_paused } => {
                if is_paused {
                    self.region.resume_loop();
                }
                self.region.end_loop();
                self.phase = Phase::Left;
                0
            }
            Phase::NotEntered | Phase::WarmingUp => {
                let (_, calls) = self.region.calls();
                self.phase = Phase::Counting { is_paused: false };
                self.region.start_loop();
                calls.into()
            }
            Phase::Left => entered_again(),
        }
    }
}

#[cold]
fn entered_again() -> ! {
    eprintln!(
        "error: the benchmark enters the loop over its `State` twice, and only one loop can count\n\
         help: make a benchmark of each"
    );
    // SAFETY: always allowed. What is registered for the end of the process belongs to the fork server
    unsafe { libc::_exit(101) }
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

/// Returns the number of the calls that count.
///
/// # Safety
///
/// As for [`iai_callgrind_loop_next`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_calls(measured: *mut c_void) -> i64 {
    // SAFETY: the caller guarantees it.
    let (_, calls) = unsafe { &*measured.cast::<Loop<'_>>() }.region.calls();
    calls.into()
}
