//! Clocks of the system that processes share, which `Instant` does not show.

use std::time::Duration;

/// Returns the time of the clock that all processes share.
pub(super) fn monotonic() -> Duration {
    read(libc::CLOCK_MONOTONIC)
}

/// Returns the time of this clock. A process can call it between fork and exec.
pub(super) fn read(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid during the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let parts = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    Duration::from_secs(parts[0]) + Duration::from_nanos(parts[1])
}
