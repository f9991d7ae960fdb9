//! A virtual clock, which shows the same times in every run.
//!
//! It starts at the same time in each benchmark. Reading it takes a microsecond, and a wait that ends because its time
//! is up takes as long as it was meant to. Nothing else takes time, so that neither the speed nor the load of the
//! machine changes what a benchmark reads.
//!
//! A benchmark that waits for something else, such as another process, must not wait forever for its time to be up. So
//! the clock is never more than [`MAXIMUM_LAG`] behind the time that has really passed.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::kernel;

/// The real-time clocks at the start of a benchmark: the year 2030. No file is newer than this.
const DATE: u64 = 1_893_456_000 * SECOND;

/// All other clocks at the start of a benchmark: eleven and a half days after the start of the machine.
const UPTIME: u64 = 1_000_000 * SECOND;

/// Time that reading a clock takes.
const STEP: u64 = 1_000;

/// Maximum time by which the clock is behind the time that has really passed.
const MAXIMUM_LAG: u64 = 10 * SECOND;

/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// `true` if the clocks of this process are virtual.
static IS_VIRTUAL: AtomicBool = AtomicBool::new(false);

/// The monotonic clock of the system when the virtual clock started.
static REAL_START: AtomicU64 = AtomicU64::new(0);

/// The time at which the virtual clock started, after [`DATE`] and [`UPTIME`].
static OFFSET: AtomicU64 = AtomicU64::new(0);

/// The time since the virtual clock started.
static ELAPSED: AtomicU64 = AtomicU64::new(0);

/// Starts the virtual clock of this process. Crates make seeds of the time, so another seed is another fraction of a
/// second.
pub(crate) fn fix(seed: u64) {
    const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    OFFSET.store(seed.wrapping_add(1).wrapping_mul(GOLDEN_RATIO) % SECOND, Ordering::Relaxed);
    ELAPSED.store(0, Ordering::Relaxed);
    REAL_START.store(nanoseconds(real(libc::CLOCK_MONOTONIC)), Ordering::Relaxed);
    IS_VIRTUAL.store(true, Ordering::Relaxed);
}

/// Returns `true` if the clocks of this process are virtual.
pub(super) fn is_virtual() -> bool {
    IS_VIRTUAL.load(Ordering::Relaxed)
}

/// Returns the time of a clock of the system.
pub(crate) fn real(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let arguments = [clock as usize, &raw mut time as usize, 0, 0, 0, 0];
    // SAFETY: the pointer is valid during the call.
    unsafe { kernel::call(libc::SYS_clock_gettime, arguments) };
    time
}

/// Lets this much time pass. Returns the time since the virtual clock started.
fn pass(time: u64) -> u64 {
    let real = nanoseconds(real(libc::CLOCK_MONOTONIC)) - REAL_START.load(Ordering::Relaxed);
    advance_to(real.saturating_sub(MAXIMUM_LAG));
    ELAPSED.fetch_add(time, Ordering::Relaxed) + time
}

fn advance_to(elapsed: u64) {
    ELAPSED.fetch_max(elapsed, Ordering::Relaxed);
}

/// Reads a virtual clock.
fn read(clock: libc::clockid_t) -> libc::timespec {
    timespec(start(clock) + pass(STEP))
}

/// Returns the time of a clock when the virtual clock started.
fn start(clock: libc::clockid_t) -> u64 {
    let start = match clock {
        libc::CLOCK_REALTIME
        | libc::CLOCK_REALTIME_COARSE
        | libc::CLOCK_REALTIME_ALARM
        | libc::CLOCK_TAI => DATE,
        _ => UPTIME,
    };
    start + OFFSET.load(Ordering::Relaxed)
}

/// The end of a wait, as the time since the virtual clock started.
#[derive(Clone, Copy)]
pub(super) struct Deadline(u64);

impl Deadline {
    /// The end of a wait of this many nanoseconds.
    pub(super) fn after(time: u64) -> Self {
        Self(pass(0).saturating_add(time))
    }

    /// The end of a wait until a time of a virtual clock, and the same time of the system's clock. Only real-time
    /// clocks reach [`DATE`].
    pub(super) fn at(time: libc::timespec) -> (Self, libc::timespec) {
        let time = nanoseconds(time);
        let clock = if time < DATE { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
        let end = time.saturating_sub(start(clock));
        let remaining = end.saturating_sub(pass(0));
        (Self(end), timespec(nanoseconds(real(clock)).saturating_add(remaining)))
    }

    /// Advances the virtual clock to the deadline.
    pub(super) fn reach(self) {
        advance_to(self.0);
    }
}

/// Returns the time in nanoseconds; 0 for a negative one.
pub(super) fn nanoseconds(time: libc::timespec) -> u64 {
    let [seconds, rest] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(SECOND).saturating_add(rest)
}

pub(super) fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (nanoseconds / SECOND) as libc::time_t,
        tv_nsec: (nanoseconds % SECOND) as libc::c_long,
    }
}

/// Reads a clock as `clock_gettime(2)` does. Clocks of other processes and devices, whose numbers are negative, are
/// the system's.
///
/// # Safety
///
/// The pointer is valid for a write.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn clock_gettime(
    clock: libc::clockid_t,
    time: *mut libc::timespec,
) -> c_int {
    // SAFETY: the caller is responsible for the pointer.
    unsafe {
        if is_virtual() && clock >= 0 {
            time.write(read(clock));
            return 0;
        }
        let arguments = [clock as usize, time as usize, 0, 0, 0, 0];
        kernel::result(kernel::call(libc::SYS_clock_gettime, arguments)) as c_int
    }
}

/// Returns the date as `gettimeofday(2)` does.
///
/// # Safety
///
/// The pointers are null or valid for writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut libc::timeval, zone: usize) -> c_int {
    // SAFETY: the caller is responsible for the pointers.
    unsafe {
        if is_virtual() && !time.is_null() {
            let libc::timespec { tv_sec, tv_nsec } = read(libc::CLOCK_REALTIME);
            time.write(libc::timeval { tv_sec, tv_usec: tv_nsec / 1000 });
            return 0;
        }
        let arguments = [time as usize, zone, 0, 0, 0, 0];
        kernel::result(kernel::call(libc::SYS_gettimeofday, arguments)) as c_int
    }
}

/// Returns the date as `time(2)` does.
///
/// # Safety
///
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
unsafe extern "C" fn time(time: *mut libc::time_t) -> libc::time_t {
    let clock = libc::CLOCK_REALTIME;
    let now = if is_virtual() { read(clock) } else { real(clock) };
    // SAFETY: the caller is responsible for the pointer.
    if let Some(time) = unsafe { time.as_mut() } {
        *time = now.tv_sec;
    }
    now.tv_sec
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, SystemTime};

    use super::*;

    #[test]
    fn times_convert_to_nanoseconds_and_back() {
        let time = libc::timespec { tv_sec: 3, tv_nsec: 5 };
        assert_eq!(nanoseconds(time), 3_000_000_005);
        assert_eq!(timespec(3_000_000_005).tv_nsec, 5);
        assert_eq!(nanoseconds(libc::timespec { tv_sec: -1, tv_nsec: 0 }), 0);
    }

    // The clock of this process stays the system's, because other tests run
    #[test]
    fn outside_of_benchmarks_clocks_are_those_of_the_system() {
        let (instant, date) = (Instant::now(), SystemTime::UNIX_EPOCH.elapsed().unwrap());
        let real = Duration::from_nanos(nanoseconds(real(libc::CLOCK_REALTIME)));
        assert!(real.abs_diff(date) < Duration::from_secs(5));
        // SAFETY: a null pointer is valid.
        let seconds = u64::try_from(unsafe { time(std::ptr::null_mut()) }).unwrap();
        assert!(seconds.abs_diff(real.as_secs()) < 5);
        std::thread::sleep(Duration::from_millis(3));
        assert!(instant.elapsed() >= Duration::from_millis(3));
    }
}
