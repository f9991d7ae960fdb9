//! What a signal to the benchmark executable means while its runner runs: the runner ends the run and tells
//! what had finished, so this process passes the signal on and waits.

use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI32, Ordering};

/// The signals that end a run.
pub(crate) const SIGNALS: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

/// The runner; 0 before it has started.
static RUNNER: AtomicI32 = AtomicI32::new(0);

/// A signal that came before the runner had started; 0 if there was none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Starts the runner. From here on it gets the signals that end a run, and one of them when this process is
/// killed.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    for signal in SIGNALS {
        pass_on_to_runner(signal);
    }
    end_with_this_process(command);
    let child = command.spawn()?;
    RUNNER.store(libc::pid_t::try_from(child.id()).unwrap_or_default(), Ordering::SeqCst);
    let early = EARLY.load(Ordering::SeqCst);
    if early != 0 {
        handle(early);
    }
    Ok(child)
}

/// Installs the handler, which a program that is started does not have, unless somebody above decided that
/// the signal shall change nothing.
fn pass_on_to_runner(signal: libc::c_int) {
    // SAFETY: zeros are valid for `action`, and the handler makes one system call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut action) != 0
            || action.sa_sigaction == libc::SIG_IGN
        {
            return;
        }
        action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn handle(signal: libc::c_int) {
    match RUNNER.load(Ordering::SeqCst) {
        0 => EARLY.store(signal, Ordering::SeqCst),
        // SAFETY: a system call without pointers.
        runner => unsafe {
            libc::kill(runner, signal);
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
