//! A thread that ends the wait of the one that gives turns, if a process keeps its CPU.
//!
//! Some loops of the kernel do not end before another program has run, and programs that Valgrind does not run have no time
//! slices.

use std::mem;
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::neighbour::PRIORITY;
use super::{THIS_THREAD, schedule, start_thread};

/// The longest wait. Time slices are shorter, if the CPU is not emulated.
const PATIENCE: Duration = Duration::from_millis(10);

/// The thread, which looks after each [`PATIENCE`].
#[derive(Debug)]
pub(super) struct Watchdog {
    thread: Thread,
    wait: Arc<Mutex<Wait>>,
}

/// The wait of the thread that gives turns.
#[derive(Debug)]
enum Wait {
    None,
    Since(Instant),
    /// Has ended by a priority above that of the process.
    Ended,
    /// Will not wait again.
    Over,
}

impl Watchdog {
    /// Starts the thread. Returns `None` if the system does not allow one.
    pub(super) fn start() -> Option<Self> {
        let wait = Arc::new(Mutex::new(Wait::None));
        // SAFETY: a system call without arguments.
        let watched = unsafe { libc::gettid() };
        let of_thread = Arc::clone(&wait);
        let (_, thread) = start_thread(PRIORITY + 1, move || watch(watched, &of_thread))?;
        Some(Self { thread, wait })
    }

    /// Has the calling thread queue behind those of its priority. Returns `true` if one of them was interrupted.
    pub(super) fn queue(&self) -> bool {
        *self.wait.lock().unwrap() = Wait::Since(Instant::now());
        // SAFETY: a system call without arguments.
        unsafe { libc::sched_yield() };
        let mut wait = self.wait.lock().unwrap();
        let is_interrupted = matches!(mem::replace(&mut *wait, Wait::None), Wait::Ended);
        if is_interrupted {
            schedule(THIS_THREAD, libc::SCHED_FIFO, PRIORITY);
        }
        is_interrupted
    }
}

/// Ends each long wait of a thread. The process that it waits for stays first in its queue.
fn watch(watched: libc::pid_t, wait: &Mutex<Wait>) {
    loop {
        thread::park_timeout(PATIENCE);
        let mut wait = wait.lock().unwrap();
        match *wait {
            Wait::Since(start) if start.elapsed() >= PATIENCE => {
                schedule(watched, libc::SCHED_FIFO, PRIORITY + 1);
                *wait = Wait::Ended;
            }
            Wait::Over => return,
            Wait::None | Wait::Since(_) | Wait::Ended => {}
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.wait.lock().unwrap() = Wait::Over;
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::super::neighbour::{cpus_of, each_of, run_on};
    use super::*;

    fn priority() -> libc::c_int {
        let mut priority = libc::sched_param { sched_priority: 0 };
        // SAFETY: the pointer is valid during the call.
        unsafe { libc::sched_getparam(THIS_THREAD, &raw mut priority) };
        priority.sched_priority
    }

    #[test]
    fn a_process_that_keeps_the_cpu_is_interrupted() {
        let wait = || {
            // Ends after two seconds of CPU time
            let script = "ulimit -t 2; echo; while :; do :; done";
            let mut command = Command::new("/bin/sh");
            let mut child = command.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
            let _ = child.stdout.as_mut().unwrap().read(&mut [0]);
            let watchdog = Watchdog::start().unwrap();
            let cpu = each_of(&cpus_of(THIS_THREAD).unwrap())[0];
            let has_right = [THIS_THREAD, child.id().cast_signed()].into_iter().all(|thread| {
                run_on(thread, &cpu);
                schedule(thread, libc::SCHED_FIFO, PRIORITY)
            });
            let waits = if has_right { 2 } else { 0 };
            for _ in 0..waits {
                let start = Instant::now();
                assert!(watchdog.queue());
                assert!(start.elapsed() >= PATIENCE, "{:?}", start.elapsed());
                assert!(start.elapsed() <= Duration::from_secs(1), "{:?}", start.elapsed());
                assert_eq!(priority(), PRIORITY);
            }
            child.kill().unwrap();
            child.wait().unwrap();
        };
        thread::spawn(wait).join().unwrap();
    }
}
