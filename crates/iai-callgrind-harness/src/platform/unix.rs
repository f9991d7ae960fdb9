//! Unix: descriptors and signals.

mod signals;

use std::ffi::c_char;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::time::Duration;

pub(crate) use self::signals::{report_ends_of_children, start, wait};
use super::Stream;
#[cfg(fixed_surroundings)]
use crate::surroundings::usage_of_children;

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
    let descriptor = copy_beyond_limit(number)?;
    // SAFETY: both descriptors are open.
    unsafe { check(libc::dup2(file.as_raw_fd(), number))? };
    Ok(Original { stream, descriptor })
}

/// Moves a file to a descriptor beyond the limit of open files, if the system permits it.
pub(crate) fn beyond_limit(file: &File) -> io::Result<File> {
    copy_beyond_limit(file.as_raw_fd()).map(File::from)
}

/// Ends the redirection of a stream.
pub(crate) fn restore(original: Original) -> io::Result<()> {
    let Original { stream, descriptor } = original;
    // SAFETY: the function takes any number.
    let restored = check(unsafe { libc::dup2(descriptor.as_raw_fd(), number(stream)) });
    if restored.is_err() {
        // Code of the user closed it, and the standard library aborts if it is closed again
        mem::forget(descriptor);
    }
    restored.map(drop)
}

/// A number of open files that few programs reach.
const MANY: libc::c_int = 4096;

/// Maximum number of descriptors beyond the limit: three streams, and those of two that are redirected with their files.
const COPIES: libc::rlim_t = 7;

/// Copies of the standard streams that were open.
#[derive(Default)]
pub(crate) struct StandardStreams(Vec<(libc::c_int, OwnedFd)>);

impl StandardStreams {
    /// Copies the streams of this process.
    pub(crate) fn of_this_process() -> Self {
        let copy = |number| Some((number, copy_beyond_limit(number).ok()?));
        Self((0..=2).filter_map(copy).collect())
    }

    /// Opens the streams again that code of the user closed, so that no file of the user gets their
    /// numbers.
    pub(crate) fn reopen(&self) -> io::Result<()> {
        let is_closed = |number| {
            // SAFETY: the function takes any number.
            unsafe { libc::fcntl(number, libc::F_GETFD) < 0 }
        };
        let mut closed = self.0.iter().filter(|(number, _)| is_closed(*number));
        closed.try_for_each(|(number, copy)| {
            // SAFETY: the function takes any number, and this one belongs to the stream.
            unsafe { check(libc::dup2(copy.as_raw_fd(), *number)).map(drop) }
        })
    }
}

/// Copies a descriptor to one beyond the limit of open files of this process, or beyond [`MANY`]: code that closes all
/// descriptors up to there does not close the copy.
fn copy_beyond_limit(number: libc::c_int) -> io::Result<OwnedFd> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the function writes to the value.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    let raised = limit.rlim_max.min(limit.rlim_cur.saturating_add(COPIES));
    set_limit_of_files(&libc::rlimit { rlim_cur: raised, ..limit });
    let beyond = libc::c_int::try_from(limit.rlim_cur).unwrap_or(MANY).min(MANY);
    // SAFETY: the function takes any number.
    let copy =
        |lowest: libc::c_int| check(unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, lowest) });
    let copied = copy(beyond).or_else(|_| copy(3));
    set_limit_of_files(&limit);
    // SAFETY: the new descriptor has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(copied?) })
}

/// Sets the limit of open files of this process.
fn set_limit_of_files(limit: &libc::rlimit) {
    #[cfg(target_os = "linux")]
    {
        // Each function of the C library that the harness needs moves addresses in executables of benchmarks
        let limit = [limit.rlim_cur, limit.rlim_max].map(u64::from);
        let limits = libc::RLIMIT_NOFILE;
        let old = ptr::null_mut::<[u64; 2]>();
        // SAFETY: the call reads two numbers, and writes to no place that is null.
        unsafe { libc::syscall(libc::SYS_prlimit64, 0, limits, &raw const limit, old) };
    }
    #[cfg(not(target_os = "linux"))]
    // SAFETY: the function reads the value.
    unsafe {
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const *limit);
    }
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

/// The clock that file systems use.
const FILE_CLOCK: libc::clockid_t = {
    #[cfg(target_os = "linux")]
    let clock = libc::CLOCK_REALTIME_COARSE;
    #[cfg(not(target_os = "linux"))]
    let clock = libc::CLOCK_REALTIME;
    clock
};

/// Returns the time since 1970 by the clock that file systems use.
#[inline]
pub(crate) fn file_time() -> Duration {
    read(FILE_CLOCK)
}

/// Sleeps until that clock has ticked, which takes one sleep of a tick unless the machine holds up the CPU that keeps
/// the clock. A loop that only reads it would execute a different number of instructions in each run, and DHAT and
/// massif measure time in instructions.
pub(crate) fn wait_for_tick() {
    const MARGIN: libc::c_long = 1_000_000;
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `tick` is valid for the duration of the call.
    unsafe { libc::clock_getres(FILE_CLOCK, &raw mut tick) };
    tick.tv_nsec += MARGIN;
    let start = file_time();
    // It sleeps even if the clock ticks at once, so that the number of instructions is the same
    loop {
        sleep(&tick);
        if file_time() != start {
            break;
        }
    }
}

fn sleep(time: &libc::timespec) {
    #[cfg(fixed_surroundings)]
    crate::surroundings::sleep(time);
    #[cfg(not(fixed_surroundings))]
    // SAFETY: `time` is valid for the duration of the call.
    unsafe {
        libc::nanosleep(time, ptr::null_mut());
    }
}

/// Returns `true` if this process has started others, which it may have waited for.
#[inline(never)]
pub(crate) fn has_started_processes() -> bool {
    const LOOK: libc::c_int = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: zeros are a value of the structure, which is valid during the call.
    unsafe {
        let mut child: libc::siginfo_t = mem::zeroed();
        usage_of_children().ru_minflt != 0
            || libc::waitid(libc::P_ALL, 0, &raw mut child, LOOK) == 0
    }
}

/// Returns what the system has counted of the children for which this process has waited.
#[cfg(not(fixed_surroundings))]
fn usage_of_children() -> libc::rusage {
    // SAFETY: zeros are a value of the structure, which is valid during the call.
    unsafe {
        let mut usage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    }
}

/// Returns the time of all threads of this process on a CPU.
#[inline]
pub(crate) fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the duration of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    duration(time)
}

/// Makes this process run on one CPU. Without effect if it may not.
pub(crate) fn run_on(cpu: u16) {
    #[cfg(target_os = "linux")]
    // SAFETY: the set is valid during the calls; zeros are an empty one.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(cpu.into(), &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = cpu;
}

/// Returns the largest size of the main thread's stack in bytes.
pub(crate) fn stack_size() -> usize {
    /// A size for stacks without a limit.
    const LARGE: usize = 64 * 1024 * 1024;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for the duration of the call.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(LARGE).min(LARGE)
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
    duration(time)
}

fn duration(time: libc::timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Returns `true` if there surely is no file of this path. Reads nothing that the simulated caches would keep.
///
/// # Safety
///
/// The path ends with a zero byte.
pub(crate) unsafe fn is_absent(path: *const c_char) -> bool {
    // SAFETY: the caller guarantees it.
    let is_there = unsafe { libc::access(path, libc::F_OK) } == 0;
    !is_there && io::Error::last_os_error().kind() == io::ErrorKind::NotFound
}
