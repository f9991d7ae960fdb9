//! System calls of benchmarks that have the same results in each run: values of the machine,
//! [clocks](clock) and [random numbers](random) for functions and commands, and for commands also
//! the CPU, and the list of mappings.
//!
//! A seccomp filter stops a process that asks the kernel for such a value. A thread of the runner
//! writes the value to the memory of the process, or opens a file in memory instead of a file of
//! the kernel. So a program can be written in any language and linked in any way.
//!
//! The kernel also puts 16 random bytes next to the arguments of a program (`AT_RANDOM`), and
//! Valgrind copies its own for the program that it runs. Before it does, it asks for the limit of
//! its data, which other programs hardly do. This stops it as well, and the thread overwrites the
//! bytes. The instruction that makes this call also opens Valgrind's own files, which are not
//! replaced.
//!
//! A process that runs on a single CPU sees the first one, whichever it is: programs count the CPUs
//! by going through the set.
//!
//! Threads take turns by the same filter. At the end of each time slice, and hardly ever else,
//! Valgrind asks for a pending signal (`rt_sigtimedwait`). A thread that is stopped there queues
//! again behind the others that are ready to run, by the policy `SCHED_FIFO`, independent of the
//! time of the answer. Otherwise a thread that spins would never yield. A process also stops before
//! it gets this policy, until it may have it: see [`super::real_time`].

mod auxiliary_vector;
mod clock;
mod clock_rows;
mod cpu_files;
mod cpus;
mod files;
mod filter;
mod lag;
mod machine;
mod machine_files;
mod mappings;
mod ports;
mod process_files;
mod program;
mod random;
mod request;
mod responder;
mod rows;
mod space;
mod waits;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub use self::auxiliary_vector::hide_auxiliary_vector;
use self::responder::Responder;
pub use super::real_time::is_only_cpu;
pub(super) use super::real_time::take_real_time;
use super::{ProcessError, descriptors};
use crate::Result;
use crate::isolation::{Isolation, NativeValue};
use crate::stopped_calls::{StoppedCalls, ThreadOrder};

/// First version of Linux in which a stopped system call can continue.
const OLDEST_KERNEL: (u32, u32) = (5, 5);

impl StoppedCalls {
    fn isolation(self) -> Isolation {
        match self {
            Self::Functions(isolation) | Self::Command { isolation, .. } => isolation,
        }
    }

    fn seed(self) -> u64 {
        match self {
            Self::Functions(_) => 0,
            Self::Command { seed, .. } => seed.unwrap_or(0),
        }
    }

    fn is_command(self) -> bool {
        matches!(self, Self::Command { .. })
    }

    /// Returns the clock with these calls.
    fn clock(self) -> ProcessClock {
        match self {
            _ if self.isolation().is_native(NativeValue::Clock) => ProcessClock::System,
            Self::Functions(_) => ProcessClock::Functions,
            Self::Command { seed, .. } => {
                seed.map_or(ProcessClock::System, |seed| ProcessClock::Command { seed })
            }
        }
    }
}

/// The clock of processes that make system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessClock {
    /// The system's.
    System,
    /// A virtual clock for all processes, which starts at the fraction of a second of this seed.
    Command { seed: u64 },
    /// The virtual clocks of the processes with benchmark functions.
    Functions,
}

/// The fixed system calls of a command that starts.
#[derive(Debug)]
pub struct FixedSystemCalls {
    calls: StoppedCalls,
    clock: ProcessClock,
    order: ThreadOrder,
    /// The connection over which the command sends the descriptor of its filter.
    receiver: UnixStream,
    /// The end of the command.
    sender: UnixStream,
}

/// Answers the system calls of a command until it is dropped.
#[derive(Debug)]
pub struct SystemCallAnswers {
    /// The thread ends when this is closed.
    _stop: UnixStream,
    clock_leapt: Arc<AtomicBool>,
}

impl SystemCallAnswers {
    /// Returns `true` if a virtual clock has caught up with the system's.
    pub fn has_clock_leapt(&self) -> bool {
        self.clock_leapt.load(Ordering::Relaxed)
    }
}

/// Returns `true` if Valgrind's arguments have it measure times, by the clock that its program
/// reads.
fn measures_time(command: &Command) -> bool {
    let is_option = |argument: &&OsStr| argument.as_encoded_bytes().starts_with(b"--");
    let options = command.get_args().take_while(is_option);
    options.filter_map(OsStr::to_str).any(|option| match option.split_once('=') {
        Some(("--collect-systime", value)) => value != "no",
        Some(("--time-stamp", value)) => value == "yes",
        Some(("--time-unit", value)) => value == "ms",
        _ => false,
    })
}

/// Parses a version of Linux such as `5.10.0-28-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Returns `true` if this process can stop the system calls of a command. An old kernel can't, and
/// a container can forbid it.
///
/// # Errors
///
/// Returns an error if the thread that finds out can't start.
pub fn can_stop_calls() -> Result<bool> {
    static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
    if let Some(is_possible) = IS_POSSIBLE.get() {
        return Ok(*is_possible);
    }
    let is_possible = probe()?;
    Ok(*IS_POSSIBLE.get_or_init(|| {
        if !is_possible {
            log::info!("commands have the system calls of the kernel, which allows no others");
        }
        is_possible
    }))
}

/// Finds out if the system allows a filter.
fn probe() -> Result<bool> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // The filter stays with the thread
    Ok(version(&release) >= Some(OLDEST_KERNEL)
        && super::spawn(responder::can_filter)?.join().unwrap())
}

impl FixedSystemCalls {
    /// Has a command stop at these calls, which this process answers. Returns `None` if the system does not allow it.
    pub fn prepare(
        command: &mut Command,
        calls: StoppedCalls,
        order: ThreadOrder,
    ) -> Result<Option<Self>> {
        if !can_stop_calls()? {
            return Ok(None);
        }
        let clock = if measures_time(command) { ProcessClock::System } else { calls.clock() };
        let (receiver, sender) = UnixStream::pair().map_err(ProcessError::Connection)?;
        responder::filter(command, calls, clock, order, &sender);
        Ok(Some(Self { calls, clock, order, receiver, sender }))
    }

    /// Answers the command, which has started. Returns `None` if the system does not allow it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no thread that answers. The command's calls would then fail.
    pub fn answer(self) -> Result<Option<SystemCallAnswers>> {
        // The command has closed the other copy
        drop(self.sender);
        let listener = descriptors::receive(&self.receiver);
        let Some(listener) = listener else {
            log::info!("the command has the system calls of the kernel, which allows no filter");
            return Ok(None);
        };
        let (stop, stopped) = UnixStream::pair().map_err(ProcessError::Connection)?;
        let responder = Responder::new(listener, self.calls, self.clock, self.order);
        let clock_leapt = responder.clock_leapt();
        super::spawn(move || responder.run(&stopped))?;
        Ok(Some(SystemCallAnswers { _stop: stop, clock_leapt }))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn versions_of_linux() {
        for (release, expected) in [
            ("5.10.0-28-amd64\n", Some((5, 10))),
            ("6.18.44-fc-v769", Some((6, 18))),
            ("5.4", Some((5, 4))),
            ("5", None),
            ("", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
        assert!(version("5.4.0") < Some(OLDEST_KERNEL) && version("") < Some(OLDEST_KERNEL));
    }

    #[test]
    fn valgrind_measures_times_by_the_clock_of_the_system() {
        let measures = |arguments: &[&str]| measures_time(Command::new("valgrind").args(arguments));
        for option in ["--collect-systime=msec", "--time-stamp=yes", "--time-unit=ms"] {
            assert!(measures(&["--tool=callgrind", option, "ls"]), "{option}");
            assert!(!measures(&["--tool=callgrind", "ls", option]), "{option}");
        }
        assert!(!measures(&["--collect-systime=no", "--time-stamp=no", "--time-unit=i", "ls"]));
    }

    #[test]
    fn a_thread_that_cannot_be_started_is_not_a_system_without_filters() {
        if !probe().unwrap() {
            return;
        }
        let mut child = Command::new("/bin/true");
        let probe = || {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: system calls; `none` is valid for the duration of the call. The limit does not hold for the superuser.
            unsafe {
                libc::setrlimit(libc::RLIMIT_NPROC, &raw const none);
                libc::setuid(54_321);
            }
            match probe() {
                Ok(_) => Ok(()),
                Err(_) => Err(io::Error::from_raw_os_error(libc::EAGAIN)),
            }
        };
        // SAFETY: the memory of this process is copied, and allocations have room in it.
        unsafe { child.pre_exec(probe) };
        assert_eq!(child.status().unwrap_err().raw_os_error(), Some(libc::EAGAIN));
    }
}
