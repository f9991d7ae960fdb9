//! The CPUs that a process sees.

use std::mem;

use super::request::{Answer, Request};

/// A set with the first CPU, of the length of the kernel's smallest one.
const FIRST: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

/// Answers `sched_getaffinity` of a process that runs on one CPU: the first one, whichever it is.
pub(super) fn affinity(request: &Request<'_>) -> Answer {
    let [process, length, address, ..] = request.arguments;
    let is_own = process == 0 || process == u64::from(request.thread.unsigned_abs());
    let is_long_enough = length >= FIRST.len() as u64;
    if is_own && is_long_enough && has_single_cpu(request.thread) {
        request.write(address, &FIRST).into()
    } else {
        Answer::Continue
    }
}

/// Returns `true` if a process runs on one CPU.
fn has_single_cpu(process: libc::pid_t) -> bool {
    // SAFETY: a set of zeros is an empty one, and the pointer is valid during the calls.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        let result = libc::sched_getaffinity(process, size_of_val(&set), &raw mut set);
        result == 0 && libc::CPU_COUNT(&set) == 1
    }
}
