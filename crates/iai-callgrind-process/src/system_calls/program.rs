//! Programs that Valgrind runs.

use std::array;
use std::ptr;

/// Number of resources with a limit.
const RESOURCES: usize = 16;

/// Start of the first program. Files that Valgrind opens itself are not replaced.
#[derive(Debug)]
pub(super) struct Start {
    /// Address of the instruction with which Valgrind makes its own calls, and calls of programs
    /// that can't block: a tool has one in each process.
    valgrind: u64,
    /// The first program's main thread.
    pub(super) process: libc::pid_t,
    limits: [Option<(u64, u64)>; RESOURCES],
    priority: i32,
}

impl Start {
    /// Returns the start of a thread that makes a call of Valgrind's at an address.
    pub(super) fn new(thread: libc::pid_t, valgrind: u64) -> Self {
        let limits = array::from_fn(|resource| limit_in_words(thread, resource as u64));
        Self { valgrind, process: thread, limits, priority: priority_of(thread) }
    }

    /// Returns `true` for the address of a call that can block if Valgrind makes it for itself.
    pub(super) fn is_of_valgrind(&self, address: u64) -> bool {
        address == self.valgrind
    }

    pub(super) fn has_same_limit(&self, thread: libc::pid_t, resource: u64) -> bool {
        let limit = usize::try_from(resource).ok().and_then(|index| self.limits.get(index));
        limit.is_some_and(|limit| *limit == limit_in_words(thread, resource))
    }

    pub(super) fn has_same_priority(&self, thread: libc::pid_t) -> bool {
        self.priority == priority_of(thread)
    }
}

fn priority_of(thread: libc::pid_t) -> i32 {
    // SAFETY: a system call without pointers.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, thread.unsigned_abs()) }
}

fn limit_in_words(thread: libc::pid_t, resource: u64) -> Option<(u64, u64)> {
    let limit = limit_of(thread, resource.try_into().ok()?)?;
    Some((limit.rlim_cur, limit.rlim_max))
}

/// Returns the limit of a thread, as the kernel has it.
pub(super) fn limit_of(thread: libc::pid_t, resource: u32) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid during the call.
    let result = unsafe { libc::prlimit(thread, resource as _, ptr::null(), &raw mut limit) };
    (result == 0).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_a_program_changes_is_seen() {
        let own = std::process::id().try_into().unwrap();
        let start = Start::new(own, 7);
        assert!(start.is_of_valgrind(7) && !start.is_of_valgrind(8));
        assert!(start.has_same_limit(own, libc::RLIMIT_CORE.into()));
        assert!(!start.has_same_limit(own, 99) && start.has_same_priority(own));
    }
}
