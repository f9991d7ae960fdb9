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

/// Has a thread with real-time priority queue behind those of its priority that are ready to run. A
/// preemptible kernel lets this thread run before the stopped one sleeps, which would then stay first.
///
/// The kernel appends a thread to a queue if its priority rises, but not if only its policy changes. With the usual policy
/// in between, the thread could run for 50 ms: kernels since 6.12 keep a part of each CPU for that policy.
pub(super) fn requeue(thread: libc::pid_t) {
    let mut priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is valid during the call.
    let has_priority = unsafe { libc::sched_getparam(thread, &raw mut priority) == 0 };
    let own = priority.sched_priority;
    if has_priority && schedule(thread, libc::SCHED_FIFO, own - 1) {
        schedule(thread, libc::SCHED_FIFO, own);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::super::start_thread;
    use super::*;

    #[test]
    fn a_thread_that_did_not_sleep_queues_behind_the_others() {
        static STEPS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
        static IS_OVER: AtomicBool = AtomicBool::new(false);
        const LONGEST: Duration = Duration::from_secs(5);
        let run = |cpu: libc::cpu_set_t, own: usize| {
            move || {
                run_on(THIS_THREAD, &cpu);
                let start = Instant::now();
                while !IS_OVER.load(Ordering::Relaxed) && start.elapsed() < LONGEST {
                    STEPS[own].fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        let steps = move || STEPS.each_ref().map(|steps| steps.load(Ordering::Relaxed));
        // Another test can have the CPU
        let next_step = move |before: [u64; 2]| {
            let start = Instant::now();
            while start.elapsed() < LONGEST {
                thread::sleep(Duration::from_millis(1));
                let after = steps();
                if let Some(index) = (0..2).find(|index| after[*index] != before[*index]) {
                    return index;
                }
            }
            panic!("no thread runs");
        };
        // In a thread of its own, whose CPU and priority end with it
        let test = move || {
            let cpu = each_of(&cpus_of(THIS_THREAD).unwrap())[0];
            run_on(THIS_THREAD, &cpu);
            if !schedule(THIS_THREAD, libc::SCHED_FIFO, PRIORITY) {
                return;
            }
            let threads = [0, 1].map(|own| {
                let thread = start_thread(LOWEST, run(cpu, own)).unwrap().0;
                while steps()[own] == 0 {
                    next_step(steps());
                }
                thread
            });
            for _ in 0..2 {
                let running = next_step(steps());
                let before = steps();
                requeue(threads[running]);
                assert_ne!(next_step(before), running);
                assert_eq!(steps()[running], before[running]);
            }
        };
        let result = thread::spawn(test).join();
        IS_OVER.store(true, Ordering::Relaxed);
        result.unwrap();
    }
}
