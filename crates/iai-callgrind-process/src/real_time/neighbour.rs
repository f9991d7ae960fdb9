//! A thread that answers the processes with real-time priority on their CPU, before all of them.
//!
//! On another CPU, it would answer while one of them runs. Whether a process queues before or after
//! one that is woken up meanwhile would then depend on the time of the answer.

use std::mem;

use super::{LOWEST, THIS_THREAD, give_to, schedule};

/// The priority of this thread.
pub(super) const PRIORITY: libc::c_int = LOWEST + 1;

/// This thread on the CPU of a process.
#[derive(Debug)]
pub(super) struct Neighbour {
    /// The CPUs that this thread may use otherwise.
    pub(super) cpus: libc::cpu_set_t,
}

impl Neighbour {
    /// Moves this thread to the CPU of a process. Returns `None` if the process may use several, or
    /// this user has no right to a higher priority than that of the process.
    pub(super) fn of(process: libc::pid_t) -> Option<Self> {
        let own = cpus_of(process).filter(|cpus| count(cpus) == 1)?;
        let neighbour = Self { cpus: cpus_of(THIS_THREAD)? };
        let is_first = schedule(THIS_THREAD, libc::SCHED_FIFO, PRIORITY);
        (is_first && run_on(THIS_THREAD, &own)).then_some(neighbour)
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        run_on(THIS_THREAD, &self.cpus);
        give_to(THIS_THREAD);
    }
}

/// Has a thread with real-time priority queue behind those that are ready to run, as each change of
/// its policy does.
pub(super) fn requeue(thread: libc::pid_t) {
    let mut priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is valid during the call.
    let has_priority = unsafe { libc::sched_getparam(thread, &raw mut priority) == 0 };
    if has_priority && schedule(thread, libc::SCHED_RR, priority.sched_priority) {
        schedule(thread, libc::SCHED_FIFO, priority.sched_priority);
    }
}

/// Returns the CPUs that a thread may use.
pub(super) fn cpus_of(thread: libc::pid_t) -> Option<libc::cpu_set_t> {
    // SAFETY: a set of zeros is an empty one, and the pointer is valid during the call.
    unsafe {
        let mut cpus: libc::cpu_set_t = mem::zeroed();
        let result = libc::sched_getaffinity(thread, size_of_val(&cpus), &raw mut cpus);
        (result == 0).then_some(cpus)
    }
}

/// Returns the number of CPUs.
pub(super) fn count(cpus: &libc::cpu_set_t) -> libc::c_int {
    // SAFETY: it only reads the set.
    unsafe { libc::CPU_COUNT(cpus) }
}

/// Moves a thread to these CPUs.
pub(super) fn run_on(thread: libc::pid_t, cpus: &libc::cpu_set_t) -> bool {
    // SAFETY: the pointer is valid during the call.
    unsafe { libc::sched_setaffinity(thread, size_of_val(cpus), cpus) == 0 }
}

/// Returns a set with one CPU for each of a set.
pub(super) fn each_of(cpus: &libc::cpu_set_t) -> Vec<libc::cpu_set_t> {
    let all = 0..usize::try_from(libc::CPU_SETSIZE).unwrap_or_default();
    // SAFETY: a set of zeros is an empty one, and the numbers are those of a set.
    unsafe {
        let own = all.filter(|cpu| libc::CPU_ISSET(*cpu, cpus));
        let set = |cpu| {
            let mut set: libc::cpu_set_t = mem::zeroed();
            libc::CPU_SET(cpu, &mut set);
            set
        };
        own.map(set).collect()
    }
}
