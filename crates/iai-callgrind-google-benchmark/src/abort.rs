//! Code after the benchmarks that aborts.
//!
//! The body of a benchmark runs in another process, so a file that checks the calls of its reporter or fixture afterwards finds
//! none. The benchmarks before are complete.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use crate::{Mode, iai_callgrind_mode};

/// Has an abort end the walk like a return from `main`, or the process. Without effect if the file handles the signal.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn iai_callgrind_survive_abort(survives: bool) {
    let own = aborted as extern "C" fn(c_int) as libc::sighandler_t;
    let (from, to) = if survives { (libc::SIG_DFL, own) } else { (own, libc::SIG_DFL) };
    if iai_callgrind_mode() != Mode::Count {
        return;
    }
    // SAFETY: all zero bytes are a valid action, and both pointers are valid during the calls.
    unsafe {
        let mut current: libc::sigaction = MaybeUninit::zeroed().assume_init();
        if libc::sigaction(libc::SIGABRT, ptr::null(), &raw mut current) == 0
            && current.sa_sigaction == from
        {
            current.sa_sigaction = to;
            // The programs of the runner have the signal neither blocked nor ignored
            current.sa_flags = libc::SA_NODEFER | libc::SA_RESETHAND;
            libc::sigaction(libc::SIGABRT, &raw const current, ptr::null_mut());
        }
    }
}

/// Ends the process with its exit handlers, one of which ends the walk.
extern "C" fn aborted(_: c_int) {
    eprintln!(
        "note: the code after the benchmarks aborts: it can check what only a run without Valgrind does"
    );
    std::process::exit(0)
}
