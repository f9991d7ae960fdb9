//! State of a process that its program inherits, and that the shell of a user sets: limits, the file mode mask, ignored
//! signals, the terminal and open descriptors. Each process of Valgrind starts with the same state, independent of the
//! shell.

use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

/// File mode mask of a benchmark.
pub const MASK: u32 = 0o022;

/// Nanoseconds by which the kernel can delay the end of a wait, to end several waits together.
#[cfg(target_os = "linux")]
const TIMER_SLACK: libc::c_ulong = 50_000;

/// Number of descriptors that Valgrind takes for itself. It lowers the limit that programs see by them, if it can't raise
/// its own.
const RESERVED: u64 = 12;

/// Largest number of a signal.
const MOST_SIGNALS: libc::c_int = 64;

/// A limit with a fixed value.
#[derive(Debug, Clone, Copy)]
pub struct FixedLimit {
    /// The name in messages.
    pub name: &'static str,
    /// The limited resource.
    pub resource: Resource,
    /// The value.
    pub fixed: Rlimit,
}

/// The limits that have fixed values. Others are not lowered, because they apply to all processes of a user together,
/// or were chosen on purpose.
///
/// The hard limit of descriptors is as large as the soft one, so that Valgrind can't raise it: it would do so again in each
/// program that a program starts.
const LIMITS: [FixedLimit; 3] = [
    FixedLimit::new("open files", Resource::Nofile, Some(1024), Some(1024)),
    FixedLimit::new("the stack", Resource::Stack, Some(8 << 20), None),
    FixedLimit::new("core files", Resource::Core, Some(0), Some(0)),
];

impl FixedLimit {
    const fn new(
        name: &'static str,
        resource: Resource,
        current: Option<u64>,
        maximum: Option<u64>,
    ) -> Self {
        Self { name, resource, fixed: Rlimit { current, maximum } }
    }

    /// Sets the limit, as far as this process may. Only the superuser raises a hard limit.
    fn set(self) {
        if setrlimit(self.resource, self.fixed).is_err() {
            let hard = smaller(self.fixed.maximum, getrlimit(self.resource).maximum);
            let nearest = Rlimit { current: smaller(self.fixed.current, hard), maximum: hard };
            let _ = setrlimit(self.resource, nearest);
        }
    }

    /// Returns `true` for a limit that programs ask Valgrind for. Valgrind asks the supervisor, independent of the
    /// limit of the process.
    pub fn is_answered(self) -> bool {
        self.resource == Resource::Stack
    }

    /// Returns the limit that a process under Valgrind has, depending on whether this process may raise its hard limit.
    pub fn at_start(self) -> Rlimit {
        let old = getrlimit(self.resource);
        let is_high_enough = smaller(self.fixed.maximum, old.maximum) == self.fixed.maximum;
        if is_high_enough || self.can_be_raised(old) {
            return self.fixed;
        }
        let maximum = smaller(self.fixed.maximum, old.maximum);
        Rlimit { current: smaller(self.fixed.current, maximum), maximum }
    }

    /// Tries to raise the hard limit of this process, which then has the old one again.
    fn can_be_raised(self, old: Rlimit) -> bool {
        let raised = Rlimit { maximum: self.fixed.maximum, ..old };
        setrlimit(self.resource, raised).is_ok() && setrlimit(self.resource, old).is_ok()
    }
}

/// Returns the limit of descriptors that a program under Valgrind sees, which starts with this one.
pub fn seen_files(limit: Rlimit) -> Option<u64> {
    smaller(limit.current, limit.maximum.map(|maximum| maximum.saturating_sub(RESERVED)))
}

/// Returns the limits that have fixed values.
pub fn limits() -> impl Iterator<Item = FixedLimit> {
    LIMITS.into_iter()
}

/// Returns the smaller one of two limits; `None` is no limit.
fn smaller(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// Makes a command start with fixed values instead of inherited ones.
pub(super) fn fix(command: &mut Command) {
    let fix = || {
        for limit in LIMITS {
            limit.set();
        }
        umask(Mode::from_raw_mode(MASK as _));
        #[cfg(target_os = "linux")]
        // SAFETY: a system call without pointers.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, TIMER_SLACK)
        };
        handle_all_signals();
        leave_terminal();
        close_others();
        Ok(())
    };
    // SAFETY: the function makes system calls only.
    unsafe { command.pre_exec(fix) };
}

/// Restores the default action of each signal that a parent such as `nohup` ignores. The standard library unblocks them
/// all.
fn handle_all_signals() {
    for signal in 1..=MOST_SIGNALS {
        // SAFETY: an action without a function. It fails for numbers that are not signals, and for the two signals that
        // can't have another action.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Returns `true` if the session has a terminal.
pub fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// Leaves the terminal of the session, which `/dev/tty` is.
fn leave_terminal() {
    // SAFETY: the path has an end, and nothing else owns the descriptor.
    unsafe {
        let terminal = libc::open(c"/dev/tty".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if terminal >= 0 {
            libc::ioctl(terminal, libc::TIOCNOTTY);
            libc::close(terminal);
        }
    }
}

/// Closes inherited descriptors, except for the standard streams, at the start of the program.
/// Descriptors of a shell or of make's jobs would change the numbers of its own ones.
fn close_others() {
    #[cfg(target_os = "linux")]
    {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;
        let (first, last) = (libc::STDERR_FILENO + 1, libc::c_uint::MAX);
        // SAFETY: a system call without pointers; before Linux 5.11 it fails.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, CLOSE_RANGE_CLOEXEC) };
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;

    use super::*;

    #[test]
    fn what_a_process_inherits_is_fixed() {
        let script =
            "umask; ulimit -n; ulimit -c; ulimit -s; trap - HUP; kill -HUP $$; echo ignored";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        let shell = || {
            umask(Mode::from_raw_mode(0o077));
            // SAFETY: an action without a function.
            unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
            for (resource, value) in [(Resource::Nofile, 512), (Resource::Stack, 1 << 20)] {
                let _ = setrlimit(resource, Rlimit { current: Some(value), ..getrlimit(resource) });
            }
            Ok(())
        };
        // SAFETY: the function makes system calls only.
        unsafe { command.pre_exec(shell) };
        fix(&mut command);
        let output = command.output().unwrap();
        let at_start = |limit: &FixedLimit| limit.at_start().current.unwrap();
        let [files, stack, core] = [0, 1, 2].map(|index| at_start(&LIMITS[index]));
        let expected = format!("0022\n{files}\n{core}\n{}\n", stack / 1024);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(output.status.signal(), Some(libc::SIGHUP));
    }

    #[test]
    fn the_smaller_limit_is_not_the_one_without_a_number() {
        assert_eq!(smaller(None, Some(3)), Some(3));
        assert_eq!(smaller(Some(5), Some(3)), Some(3));
        assert_eq!(smaller(None, None), None);
    }
}
