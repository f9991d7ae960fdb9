//! A virtual clock, which shows the same times in every run.
//!
//! It starts at the same time in each benchmark. Reading it takes a microsecond, and a wait that ends because its time
//! is up takes as long as it was meant to. Nothing else takes time, so that neither the speed nor the load of the
//! machine changes what a benchmark reads.
//!
//! A benchmark that waits for something else, such as another process, must not wait forever for its time to be up. So
//! the clock is never more than [`MAXIMUM_LAG`] behind the time that the process has been waiting. The time in which it or a
//! long setup ran is not a lag: it depends on the machine, and seeds that are made of the time would too.
//!
//! Readings count like other code. So one costs few instructions: an atomic addition without a division, and a look at
//! the CPU's counter, which is the system's clock without a system call.

use std::ffi::c_int;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use iai_callgrind_plan::virtual_clock::{
    ADDRESS, DATE, MAXIMUM_LAG, OF_SYSTEM, ONE_SECOND, STEP, fraction, is_of_cpu, packed, start_of,
    unpacked, without_lag,
};

use super::c_library::functions_of_c_library;
use super::{kernel, threads};

pub(super) use iai_callgrind_plan::virtual_clock::SECOND;

functions_of_c_library!(own: clock_gettime, gettimeofday, time);

type GetTime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;
type GetDate = unsafe extern "C" fn(*mut libc::timeval, usize) -> c_int;
type GetSeconds = unsafe extern "C" fn(*mut libc::time_t) -> libc::time_t;

/// `true` if the clocks of this process are virtual.
static IS_VIRTUAL: AtomicBool = AtomicBool::new(false);

/// The monotonic clock of the system when the virtual clock showed zero, and later by the time in which the process was busy
/// until [`BUSY_TIME`].
static REAL_START: AtomicU64 = AtomicU64::new(0);

/// A [`busy_time`] of the process.
static BUSY_TIME: AtomicU64 = AtomicU64::new(0);

/// The time since the [start](start_of): nanoseconds, and seconds from [`ONE_SECOND`] on. There may be more nanoseconds
/// than those of a second.
static TIME: AtomicU64 = AtomicU64::new(0);

/// The CPU's counter and the system's clock at the start of the process, which relate one to the other.
static COUNTER_START: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Advance of the CPU's counter in 2^16 nanoseconds.
static SPEED: AtomicU64 = AtomicU64::new(0);

/// Fractional bits of [`SPEED`] for a nanosecond.
const SPEED_BITS: u32 = 16;

/// The CPU's counter when the clock may be [`MAXIMUM_LAG`] behind.
static COUNTER_LIMIT: AtomicU64 = AtomicU64::new(0);

/// `true` if the clock has made up for a lag. What a benchmark reads depends on the machine then, also if that was its setup.
static HAS_LEAPT: AtomicBool = AtomicBool::new(false);

/// `true` if the clock may have had a lag in the benchmark or its setup. Finding out takes instructions at a time that
/// depends on the machine, and they change the caches that the region starts with.
static WAS_LATE: AtomicBool = AtomicBool::new(false);

/// Reads the counter and the clock that measure its speed later on.
pub(super) fn prepare() {
    let [count, time] = &COUNTER_START;
    count.store(counter(), Ordering::Relaxed);
    time.store(nanoseconds(real(libc::CLOCK_MONOTONIC)), Ordering::Relaxed);
}

/// Starts the virtual clock of this process.
pub(crate) fn fix(seed: u64) {
    measure_speed();
    let fraction = fraction(seed);
    TIME.store(packed(fraction), Ordering::Relaxed);
    WAS_LATE.store(false, Ordering::Relaxed);
    // A new process has not been busy
    start_at(fraction, 0, ADDRESS);
    IS_VIRTUAL.store(true, Ordering::Relaxed);
}

/// Makes this process read the clocks of the system again.
pub(super) fn release() {
    IS_VIRTUAL.store(false, Ordering::Relaxed);
}

/// Forgives the lag of a clock that shows this time, in a process that was busy for so long. `clock` is [`ADDRESS`] for the
/// runner as well.
fn start_at(time: u64, busy: u64, clock: u64) {
    let real = nanoseconds(real(libc::CLOCK_MONOTONIC));
    REAL_START.store(real.saturating_sub(time), Ordering::Relaxed);
    BUSY_TIME.store(busy, Ordering::Relaxed);
    limit_counter(MAXIMUM_LAG);
    // The runner answers system calls with the same clock, and says if it has leapt. The kernel knows no such clock
    let places = [TIME.as_ptr() as usize, HAS_LEAPT.as_ptr() as usize];
    let arguments = [clock as usize, places[0], places[1], 0, 0, 0];
    // SAFETY: the address is valid for a write.
    unsafe { kernel::call(libc::SYS_clock_gettime, arguments) };
}

/// Forgives a lag of the setup, before the region of the benchmark, or of a fork server while children ran.
///
/// The region finds in the caches what ran before it. So this runs the same instructions with and without a lag, and none that
/// depend on a time: the delay of the main thread is not part of the busy time. Only with a lag does the call stop for the
/// runner.
pub(crate) fn forgive_lag() {
    if is_virtual() {
        let is_late = counter() > COUNTER_LIMIT.load(Ordering::Relaxed);
        let unstopped = u64::from(!is_late).wrapping_neg() & OF_SYSTEM;
        let time = unpacked(TIME.load(Ordering::Relaxed));
        start_at(time, cpu_time(), ADDRESS | unstopped);
    }
}

/// Returns `true` if the count depends on the speed of the machine: the clock has made up for a lag, or has looked for one.
pub(crate) fn has_leapt() -> bool {
    HAS_LEAPT.load(Ordering::Relaxed) || WAS_LATE.load(Ordering::Relaxed)
}

/// Returns the nanoseconds that this process has run, and that its main thread has waited for a CPU.
fn busy_time() -> u64 {
    cpu_time().saturating_add(threads::delay_of_main())
}

/// Returns the nanoseconds that this process has run.
fn cpu_time() -> u64 {
    nanoseconds(real(libc::CLOCK_PROCESS_CPUTIME_ID))
}

/// Measures the speed of the CPU's counter. A division of numbers with 128 bits takes another number of instructions for
/// large ones, which is why no reading makes it.
fn measure_speed() {
    let [start, start_time] = COUNTER_START.each_ref().map(|it| it.load(Ordering::Relaxed));
    let passed = nanoseconds(real(libc::CLOCK_MONOTONIC)).saturating_sub(start_time).max(1);
    let ticks = counter().saturating_sub(start);
    SPEED.store(ticks.saturating_mul(1 << SPEED_BITS) / passed, Ordering::Relaxed);
}

/// Sets the limit of the CPU's counter to this many nanoseconds from now on.
fn limit_counter(time: u64) {
    let ticks = time.saturating_mul(SPEED.load(Ordering::Relaxed)) >> SPEED_BITS;
    COUNTER_LIMIT.store(counter().saturating_add(ticks), Ordering::Relaxed);
}

/// Returns a count that goes on with the system's clock.
#[inline(always)]
fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: each CPU has the instruction.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(target_arch = "aarch64")]
    {
        let count;
        // SAFETY: Linux lets programs read this register.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags));
        }
        count
    }
}

/// Returns `true` if the clocks of this process are virtual.
pub(super) fn is_virtual() -> bool {
    IS_VIRTUAL.load(Ordering::Relaxed)
}

/// Returns the time of a clock of the system.
#[inline(always)]
pub(crate) fn real(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let arguments = [clock as usize | OF_SYSTEM as usize, &raw mut time as usize, 0, 0, 0, 0];
    // SAFETY: the pointer is valid during the call.
    unsafe { kernel::call(libc::SYS_clock_gettime, arguments) };
    time
}

/// Returns what the system has counted of the children for which this process has waited.
pub(crate) fn usage_of_children() -> libc::rusage {
    usage(libc::RUSAGE_CHILDREN)
}

/// Returns what the system has counted, as `getrusage(2)` does.
#[inline(always)]
pub(super) fn usage(who: c_int) -> libc::rusage {
    // SAFETY: zeros are values of the structure.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    let who = who as u32 as usize | OF_SYSTEM as usize;
    let arguments = [who, &raw mut usage as usize, 0, 0, 0, 0];
    // SAFETY: the pointer is valid during the call.
    unsafe { kernel::call(libc::SYS_getrusage, arguments) };
    usage
}

/// Returns the time since the [start](start_of) in nanoseconds, after making up for a lag.
fn now() -> u64 {
    let real = nanoseconds(real(libc::CLOCK_MONOTONIC));
    let passed = real.saturating_sub(REAL_START.load(Ordering::Relaxed));
    let time = unpacked(TIME.load(Ordering::Relaxed));
    if without_lag(time, passed) > time {
        return now_after_lag(real);
    }
    advance_to(time);
    let time = unpacked(TIME.load(Ordering::Relaxed));
    limit_counter((time + MAXIMUM_LAG).saturating_sub(passed));
    time
}

/// Does the same after a time in which the process was busy, or waited longer than [`MAXIMUM_LAG`].
#[cold]
#[inline(never)]
fn now_after_lag(real: u64) -> u64 {
    WAS_LATE.store(true, Ordering::Relaxed);
    let busy = busy_time();
    let more = busy.saturating_sub(BUSY_TIME.swap(busy, Ordering::Relaxed));
    // The first time, there are delays of the setup in it
    let more = more.min(real.saturating_sub(REAL_START.load(Ordering::Relaxed)));
    let start = REAL_START.fetch_add(more, Ordering::Relaxed) + more;
    let passed = real.saturating_sub(start);
    let time = unpacked(TIME.load(Ordering::Relaxed));
    let caught_up = without_lag(time, passed);
    if caught_up > time {
        HAS_LEAPT.store(true, Ordering::Relaxed);
    }
    advance_to(caught_up);
    let time = unpacked(TIME.load(Ordering::Relaxed));
    limit_counter((time + MAXIMUM_LAG).saturating_sub(passed));
    time
}

/// Advances the clock to this time, unless it shows a later one. Then [`TIME`] has less than a second in nanoseconds.
fn advance_to(nanoseconds: u64) {
    let advanced = |time: u64| Some(packed(unpacked(time).max(nanoseconds)));
    let _ = TIME.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advanced);
}

/// Reads a virtual clock.
#[inline]
fn read(clock: libc::clockid_t) -> libc::timespec {
    let time = TIME.fetch_add(STEP, Ordering::Relaxed) + STEP;
    let rest = time % ONE_SECOND;
    if rest >= SECOND || counter() > COUNTER_LIMIT.load(Ordering::Relaxed) {
        return read_after_advance(clock);
    }
    let seconds = start_of(clock) + time / ONE_SECOND;
    libc::timespec { tv_sec: seconds as libc::time_t, tv_nsec: rest as libc::c_long }
}

/// Reads the virtual clock of a process or a thread, apart from the code for the usual clocks.
#[cold]
#[inline(never)]
fn read_of_cpu() -> libc::timespec {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Reads a virtual clock after making up for a lag.
#[cold]
#[inline(never)]
fn read_after_advance(clock: libc::clockid_t) -> libc::timespec {
    if counter() > COUNTER_LIMIT.load(Ordering::Relaxed) {
        WAS_LATE.store(true, Ordering::Relaxed);
    }
    timespec(start_of(clock) * SECOND + now())
}

/// The end of a wait, as nanoseconds after the [start](start_of).
#[derive(Clone, Copy)]
pub(super) struct Deadline(u64);

impl Deadline {
    /// Returns the end of a wait of this many nanoseconds.
    pub(super) fn after(time: u64) -> Self {
        Self(now().saturating_add(time))
    }

    /// Returns the end of a wait until a time of a virtual clock, and the same time of the system's clock. Only
    /// real-time clocks reach [`DATE`].
    pub(super) fn at(time: libc::timespec) -> (Self, libc::timespec) {
        let time = nanoseconds(time);
        let clock = if time < DATE * SECOND { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
        let end = time.saturating_sub(start_of(clock) * SECOND);
        let remaining = end.saturating_sub(now());
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

/// Reads a clock as `clock_gettime(2)` does. Clocks of devices are the system's.
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
        if is_virtual() && is_of_cpu(clock) {
            time.write(read_of_cpu());
            return 0;
        }
        if let Some(own) = own::clock_gettime.found::<GetTime>() {
            return own(clock, time);
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
        if let Some(own) = own::gettimeofday.found::<GetDate>() {
            return own(time, zone);
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
    // SAFETY: the caller is responsible for the pointer; the C library's function has this type.
    unsafe {
        let now = if is_virtual() {
            read(libc::CLOCK_REALTIME)
        } else if let Some(own) = own::time.found::<GetSeconds>() {
            return own(time);
        } else {
            real(libc::CLOCK_REALTIME)
        };
        if let Some(time) = time.as_mut() {
            *time = now.tv_sec;
        }
        now.tv_sec
    }
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

    #[test]
    fn the_counter_goes_on_with_the_clock() {
        let start = counter();
        std::thread::sleep(Duration::from_millis(3));
        assert!(counter() > start);
    }

    // The clock of this process stays the system's, because other tests run
    #[test]
    fn outside_of_benchmarks_clocks_are_those_of_the_system() {
        let instant = Instant::now();
        let real = || Duration::from_nanos(nanoseconds(real(libc::CLOCK_REALTIME)));
        let before = real();
        let date = SystemTime::UNIX_EPOCH.elapsed().unwrap();
        // SAFETY: a null pointer is valid.
        let seconds = u64::try_from(unsafe { time(std::ptr::null_mut()) }).unwrap();
        let after = real();
        assert!((before..=after).contains(&date));
        assert!((date.as_secs()..=after.as_secs()).contains(&seconds));
        std::thread::sleep(Duration::from_millis(3));
        assert!(instant.elapsed() >= Duration::from_millis(3));
    }
}
