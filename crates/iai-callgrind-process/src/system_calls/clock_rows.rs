//! The system calls that read a clock, or wait by one.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constants of the kernel, which are small"
)]

use iai_callgrind_plan::virtual_clock::OF_SYSTEM;

use super::ProcessClock;
use super::filter::Condition::{self, Bits, IsNotZero, LowerIsNot, UpperIsNot};
use super::rows::Row;
use super::waits::FUTEX_COMMAND;

/// Time at which a wait without a limit ends, for a poll in milliseconds.
const NO_LIMIT: u32 = u32::MAX;

/// The harness does not ask for a value of the system.
const IS_NOT_OF_SYSTEM: Condition = UpperIsNot(0, (OF_SYSTEM >> 32) as u32);

/// Calls that read a clock.
const READINGS: &[Row] = &[
    Row::new(libc::SYS_clock_gettime, |state, request| state.clocks.gettime(request))
        .with(IS_NOT_OF_SYSTEM),
    Row::new(libc::SYS_gettimeofday, |state, request| state.clocks.gettimeofday(request)),
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_time, |state, request| state.clocks.time(request)),
    Row::new(libc::SYS_times, |state, request| state.clocks.times(request)),
    Row::new(libc::SYS_getrusage, |state, request| state.clocks.getrusage(request))
        .with(IS_NOT_OF_SYSTEM),
    Row::new(libc::SYS_clock_getres, |state, request| state.clocks.getres(request)),
    Row::new(libc::SYS_rt_sigtimedwait, |state, request| state.clocks.sigtimedwait(request)),
];

/// Calls that wait until a time. The harness itself replaces the times of functions.
const UNTIL: &[Row] = &[
    Row::new(libc::SYS_clock_nanosleep, |state, request| state.clocks.clock_nanosleep(request))
        .with(IS_ABSOLUTE),
    Row::new(libc::SYS_timerfd_settime, |state, request| state.clocks.timerfd_settime(request))
        .with(IS_ABSOLUTE),
    Row::new(libc::SYS_timer_settime, |state, request| state.clocks.timer_settime(request))
        .with(IS_ABSOLUTE),
];

const IS_ABSOLUTE: Condition = Bits { index: 1, mask: 1, value: libc::TIMER_ABSTIME as u32 };

/// Calls that wait.
const WAITS: &[Row] = &[
    Row::new(libc::SYS_nanosleep, |state, request| state.clocks.nanosleep(request)),
    Row::new(libc::SYS_clock_nanosleep, |state, request| state.clocks.clock_nanosleep(request)),
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_poll, |state, request| state.clocks.wait_milliseconds(request, 2))
        .with(LowerIsNot(2, 0))
        .with(LowerIsNot(2, NO_LIMIT)),
    Row::new(libc::SYS_ppoll, |state, request| state.clocks.wait_time(request, 2))
        .with(IsNotZero(2)),
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_select, |state, request| state.clocks.wait_timeval(request, 4))
        .with(IsNotZero(4)),
    Row::new(libc::SYS_pselect6, |state, request| state.clocks.wait_time(request, 4))
        .with(IsNotZero(4)),
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_epoll_wait, |state, request| state.clocks.wait_milliseconds(request, 3))
        .with(LowerIsNot(3, 0))
        .with(LowerIsNot(3, NO_LIMIT)),
    Row::new(libc::SYS_epoll_pwait, |state, request| state.clocks.wait_milliseconds(request, 3))
        .with(LowerIsNot(3, 0))
        .with(LowerIsNot(3, NO_LIMIT)),
    Row::new(libc::SYS_epoll_pwait2, |state, request| state.clocks.wait_time(request, 3))
        .with(IsNotZero(3)),
    Row::new(libc::SYS_semtimedop, |state, request| state.clocks.wait_time(request, 3))
        .with(IsNotZero(3)),
    Row::new(libc::SYS_mq_timedsend, |state, request| state.clocks.wait_until_date(request, 4))
        .with(IsNotZero(4)),
    Row::new(libc::SYS_mq_timedreceive, |state, request| state.clocks.wait_until_date(request, 4))
        .with(IsNotZero(4)),
    futex(libc::FUTEX_WAIT),
    futex(libc::FUTEX_WAIT_BITSET),
    futex(libc::FUTEX_LOCK_PI),
    futex(libc::FUTEX_LOCK_PI2),
    futex(libc::FUTEX_WAIT_REQUEUE_PI),
    Row::new(libc::SYS_futex_waitv, |state, request| state.clocks.futex_waitv(request))
        .with(IsNotZero(3)),
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_alarm, |state, request| state.clocks.alarm(request)),
    Row::new(libc::SYS_setitimer, |state, request| state.clocks.setitimer(request))
        .with(Condition::lower_is(0, libc::ITIMER_REAL as u32)),
    Row::new(libc::SYS_timerfd_settime, |state, request| state.clocks.timerfd_settime(request)),
    Row::new(libc::SYS_timer_settime, |state, request| state.clocks.timer_settime(request)),
];

/// Returns the row of an operation on a futex, with a limit.
const fn futex(operation: libc::c_int) -> Row {
    Row::new(libc::SYS_futex, |state, request| state.clocks.futex(request))
        .with(Bits { index: 1, mask: FUTEX_COMMAND as u32, value: operation as u32 })
        .with(IsNotZero(3))
}

impl ProcessClock {
    /// Returns the rows of the calls with this clock.
    pub(super) fn rows(self) -> [&'static [Row]; 2] {
        match self {
            Self::System => [&[], &[]],
            Self::Command { .. } => [READINGS, WAITS],
            Self::Functions => [READINGS, UNTIL],
        }
    }
}
