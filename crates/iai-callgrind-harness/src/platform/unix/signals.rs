//! Signals to the benchmark executable while its runner runs.
//!
//! The runner ends the run and reports the finished benchmarks. So this process passes signals on to the
//! runner and waits.

use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::{io, mem, ptr};

#[cfg(any(target_os = "illumos", target_os = "solaris"))]
use libc::___errno as errno_location;
#[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
use libc::__errno as errno_location;
#[cfg(any(target_os = "linux", target_os = "dragonfly"))]
use libc::__errno_location as errno_location;
#[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
use libc::__error as errno_location;

/// Signals that end a run.
pub(crate) const SIGNALS: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

/// Process id of the runner, 0 while none runs.
static RUNNER: AtomicI32 = AtomicI32::new(0);

/// Signal that arrived while no runner ran, 0 if there was none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Makes the system report ends of children, even if the process that started this one ignores
/// `SIGCHLD`.
pub(crate) fn report_ends_of_children() {
    // SAFETY: the default action runs no code.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Starts the runner. From here on the runner receives the signals that end a run, and `SIGTERM` when
/// this process is killed.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    for signal in SIGNALS {
        pass_on_to_runner(signal);
    }
    end_with_this_process(command);
    // A runner that ends early reads no plan. Where `main` is not Rust's, writing it would end this process
    // SAFETY: ignoring a signal runs no code.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    let child = command.spawn()?;
    RUNNER.store(process_id(&child), Ordering::SeqCst);
    end_with_cargo();
    let early = EARLY.load(Ordering::SeqCst);
    if early != 0 {
        handle(early);
    }
    Ok(child)
}

/// Waits for the end of the runner. Afterwards, signals are no longer passed on to it.
///
/// The process id is forgotten before the system can give it to another process: the first wait leaves
/// the ended runner in the process table, the second one removes it.
pub(crate) fn wait(mut child: Child) -> io::Result<ExitStatus> {
    let id = libc::id_t::try_from(child.id()).unwrap_or_default();
    // SAFETY: zeros are valid for `information`, which is valid for the duration of the call.
    let ended = || unsafe {
        let mut information: libc::siginfo_t = mem::zeroed();
        libc::waitid(libc::P_PID, id, &raw mut information, libc::WEXITED | libc::WNOWAIT)
    };
    while ended() != 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {}
    RUNNER.store(0, Ordering::SeqCst);
    child.wait()
}

fn process_id(child: &Child) -> libc::pid_t {
    libc::pid_t::try_from(child.id()).unwrap_or_default()
}

/// Installs the handler, unless the parent process set the signal to be ignored. Programs that this
/// process starts do not inherit the handler.
fn pass_on_to_runner(signal: libc::c_int) {
    // SAFETY: zeros are valid for `action`, and the handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        if libc::sigaction(signal, ptr::null(), &raw mut action) != 0
            || action.sa_sigaction == libc::SIG_IGN
        {
            return;
        }
        action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

/// Passes a signal on to the runner. The interrupted code finds `errno` unchanged.
extern "C" fn handle(signal: libc::c_int) {
    match RUNNER.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: a system call without pointers, and the thread's own `errno`.
        runner => unsafe {
            let errno = errno_location();
            let saved = *errno;
            libc::kill(runner, signal);
            *errno = saved;
        },
    }
}

#[cfg(target_os = "linux")]
fn end_with_this_process(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: the closure makes one system call, which is allowed between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn end_with_this_process(_: &mut Command) {}

/// Ends the run when cargo ends, if cargo started this process. A signal to cargo alone does not reach this process.
#[cfg(target_os = "linux")]
fn end_with_cargo() {
    // SAFETY: a system call without arguments.
    let parent = unsafe { libc::getppid() };
    let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default();
    if name.trim_end() != "cargo" {
        return;
    }
    // SAFETY: a system call without pointers.
    let cargo = unsafe { libc::syscall(libc::SYS_pidfd_open, parent, 0) };
    let cargo = libc::c_int::try_from(cargo).unwrap_or(-1);
    if cargo < 0 {
        // The kernel is older than 5.3
        return;
    }
    crate::background::spawn(Box::new(move || {
        let mut ended = libc::pollfd { fd: cargo, events: libc::POLLIN, revents: 0 };
        // SAFETY: a system call with a pointer to one entry.
        while unsafe { libc::poll(&raw mut ended, 1, -1) } < 1 {}
        handle(libc::SIGTERM);
    }));
}

#[cfg(not(target_os = "linux"))]
fn end_with_cargo() {}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, because the state is the process's
    #[test]
    fn a_signal_reaches_the_runner_and_leaves_errno_unchanged() {
        let child = start(Command::new("sleep").arg("60")).unwrap();
        assert_eq!(RUNNER.load(Ordering::SeqCst), process_id(&child));
        // SAFETY: the thread's own `errno`.
        unsafe {
            *errno_location() = libc::EAGAIN;
            handle(libc::SIGTERM);
            assert_eq!(*errno_location(), libc::EAGAIN);
        }
        let status = wait(child).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGTERM));
        assert_eq!(RUNNER.load(Ordering::SeqCst), 0);

        // No process is named 0, -1 or a reused id: the signal is only stored
        handle(libc::SIGTERM);
        assert_eq!(EARLY.load(Ordering::SeqCst), libc::SIGTERM);
    }
}
