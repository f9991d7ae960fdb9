//! The virtual clock of a benchmark, which the harness and the runner share.

/// Seconds of the real-time clocks at the start: the year 2030. No file is newer than this.
pub const DATE: u64 = 1_893_456_000;

/// Seconds of the monotonic clocks at the start: eleven and a half days since the machine started.
pub const UPTIME: u64 = 1_000_000;

/// Nanoseconds of a second.
pub const SECOND: u64 = 1_000_000_000;

/// Maximum time in nanoseconds by which the clock falls behind while the processes wait.
pub const MAXIMUM_LAG: u64 = 10 * SECOND;

/// Time beyond [`MAXIMUM_LAG`] that the clock catches up at once. Otherwise, once a benchmark takes
/// longer, each reading would catch up with the time since the last one, which costs more
/// instructions than other readings.
pub const LEAP: u64 = SECOND;

/// Time that a reading takes in the harness, in nanoseconds.
pub const STEP: u64 = 1_000;

/// Upper half of a clock's number, which the kernel ignores: the harness asks for a value of the
/// system.
pub const OF_SYSTEM: u64 = 0x6961_6963 << 32;

/// Number of no clock. A reading registers the clock of a process, which is at the address for the
/// result. The next argument is the address of a byte that is set when the clock catches up.
pub const ADDRESS: u64 = 0x6961_6963;

/// Seconds of each clock at the start, by its number on Linux.
const STARTS: [u64; 12] =
    [DATE, UPTIME, 0, 0, UPTIME, DATE, UPTIME, UPTIME, DATE, UPTIME, UPTIME, DATE];

/// A second in a packed time.
pub const ONE_SECOND: u64 = 1 << 30;

/// Returns the seconds of a clock at the start: of the date, since the start of the machine, or of
/// a CPU.
#[inline]
#[must_use]
pub fn start_of(clock: i32) -> u64 {
    usize::try_from(clock).ok().and_then(|clock| STARTS.get(clock)).map_or(UPTIME, |start| *start)
}

/// Returns `true` for the number of a clock that counts the CPU time of one process or thread, as
/// `clock_getcpuclockid` and `pthread_getcpuclockid` return it. Clocks of devices have negative
/// numbers as well.
#[inline]
#[must_use]
pub fn is_of_cpu(clock: i32) -> bool {
    const KIND: i32 = 3;
    const DEVICE: i32 = 3;
    clock < 0 && clock & KIND != DEVICE
}

/// Returns the nanoseconds of the clock at the start. Crates make seeds of the time, so another seed is another fraction of
/// a second.
#[must_use]
pub fn fraction(seed: u64) -> u64 {
    const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    seed.wrapping_add(1).wrapping_mul(GOLDEN_RATIO) % SECOND
}

/// Packs a time into nanoseconds, and seconds from [`ONE_SECOND`] on, so that a reading needs no division.
#[inline]
#[must_use]
pub fn packed(nanoseconds: u64) -> u64 {
    nanoseconds / SECOND * ONE_SECOND + nanoseconds % SECOND
}

/// Returns the nanoseconds of a packed time, whose fraction can exceed a second.
#[inline]
#[must_use]
pub fn unpacked(time: u64) -> u64 {
    time / ONE_SECOND * SECOND + time % ONE_SECOND
}

/// Returns this time of the clock, or a later one if the processes have waited more than
/// [`MAXIMUM_LAG`] longer.
#[inline]
#[must_use]
pub fn without_lag(time: u64, waited: u64) -> u64 {
    let earliest = waited.saturating_sub(MAXIMUM_LAG);
    if earliest > time { earliest + LEAP } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_start_at_the_date_or_the_uptime_or_zero() {
        // CLOCK_REALTIME, MONOTONIC, PROCESS_CPUTIME_ID, THREAD_CPUTIME_ID, BOOTTIME, TAI, and one that does not exist
        assert_eq!(
            [0, 1, 2, 3, 7, 11, 12].map(start_of),
            [DATE, UPTIME, 0, 0, UPTIME, DATE, UPTIME]
        );
        assert_ne!(fraction(0), fraction(1));
    }

    #[test]
    fn clocks_of_cpus_have_the_number_of_a_process_or_a_thread() {
        // As Linux makes them: of a process and of a thread with the id 1000, of this process, and of the device 3
        let numbers = [!1000 << 3 | 2, !1000 << 3 | 6, !0 << 3 | 2, !3 << 3 | 3];
        assert_eq!(numbers.map(is_of_cpu), [true, true, true, false]);
        assert!(!is_of_cpu(0) && !is_of_cpu(2));
    }

    #[test]
    fn seconds_and_nanoseconds_are_packed() {
        for time in [0, 1, SECOND - 1, SECOND, 86_400 * SECOND + 7] {
            assert_eq!(unpacked(packed(time)), time);
        }
        // A reading went beyond the second
        assert_eq!(unpacked(packed(SECOND - 1) + STEP), SECOND - 1 + STEP);
    }

    #[test]
    fn a_clock_makes_up_for_a_lag_once_a_second() {
        assert_eq!(without_lag(5, MAXIMUM_LAG), 5);
        let waited = MAXIMUM_LAG + 6;
        let time = without_lag(5, waited);
        assert_eq!(time, 6 + LEAP);
        assert_eq!(without_lag(time, waited + LEAP), time);
        assert!(without_lag(time, waited + LEAP + 1) > time);
    }
}
