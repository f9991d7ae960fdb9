//! Unix: descriptors and signals.

mod signals;

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

pub(crate) use self::signals::{start, wait};
use super::Stream;

/// `true` if the runner can be built on this platform.
pub(crate) const HAS_RUNNER: bool = true;

/// Stream before it was redirected.
pub(crate) struct Original {
    stream: Stream,
    descriptor: OwnedFd,
}

/// Redirects a stream of this process to a file.
pub(crate) fn redirect(stream: Stream, file: &File) -> io::Result<Original> {
    let number = number(stream);
    // SAFETY: the descriptors are open, and the new one has no other owner.
    let descriptor = unsafe {
        let original = OwnedFd::from_raw_fd(check(libc::dup(number))?);
        check(libc::dup2(file.as_raw_fd(), number))?;
        original
    };
    Ok(Original { stream, descriptor })
}

/// Ends the redirection of a stream.
pub(crate) fn restore(original: Original) -> io::Result<()> {
    let Original { stream, descriptor } = original;
    // SAFETY: both descriptors are open.
    unsafe { check(libc::dup2(descriptor.as_raw_fd(), number(stream)))? };
    Ok(())
}

fn number(stream: Stream) -> libc::c_int {
    match stream {
        Stream::Stdout => libc::STDOUT_FILENO,
        Stream::Stderr => libc::STDERR_FILENO,
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Returns the standard error output as a file, which a later redirection does not change.
pub(crate) fn copy_of_stderr() -> io::Result<File> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}

/// Returns the signal that ended a process, if it is one that ends a run.
pub(crate) fn interruption(status: ExitStatus) -> Option<i32> {
    status.signal().filter(|signal| signals::SIGNALS.contains(signal))
}

/// Returns the time since 1970.
pub(crate) fn time() -> Duration {
    read(libc::CLOCK_REALTIME)
}

/// Returns the time since 1970 by the clock that file systems use.
#[inline]
pub(crate) fn file_time() -> Duration {
    #[cfg(target_os = "linux")]
    const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME_COARSE;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_REALTIME;
    read(CLOCK)
}

fn read(clock: libc::clockid_t) -> Duration {
    #[cfg(fixed_surroundings)]
    let time = crate::surroundings::real_time(clock);
    #[cfg(not(fixed_surroundings))]
    let time = {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is valid for the duration of the call.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        time
    };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}
