//! A thread that keeps a CPU while the processes of a command and the thread that gives them their turns move there.
//!
//! Otherwise those that arrive first would run, or those that leave last.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::neighbour::{PRIORITY, run_on};
use super::{THIS_THREAD, start_thread};

/// The longest time until the thread runs: other programs can have a higher priority.
const PATIENCE: Duration = Duration::from_millis(10);

/// The thread, which sleeps until it is needed.
#[derive(Debug)]
pub(super) struct Keeper {
    id: libc::pid_t,
    thread: Thread,
    state: Arc<AtomicU8>,
}

/// The states of the thread.
const SLEEPS: u8 = 0;
const NEEDED: u8 = 1;
const KEEPS: u8 = 2;
const OVER: u8 = 3;

impl Keeper {
    /// Starts the thread. Returns `None` if the system does not allow one.
    pub(super) fn start() -> Option<Self> {
        let state = Arc::new(AtomicU8::new(SLEEPS));
        let of_thread = Arc::clone(&state);
        let (id, thread) = start_thread(PRIORITY, move || keep(&of_thread))?;
        Some(Self { id, thread, state })
    }

    /// Moves threads to a CPU, the calling one as the last. Meanwhile, none of the others runs. Returns `false` if the CPU
    /// is taken.
    pub(super) fn move_to(
        &self,
        cpu: &libc::cpu_set_t,
        threads: impl Iterator<Item = libc::pid_t>,
    ) -> bool {
        run_on(self.id, cpu);
        self.state.store(NEEDED, Ordering::SeqCst);
        self.thread.unpark();
        let start = Instant::now();
        let is_kept = || self.state.load(Ordering::SeqCst) == KEEPS;
        while !is_kept() && start.elapsed() < PATIENCE {
            hint::spin_loop();
        }
        let is_kept = is_kept();
        if is_kept {
            for thread in threads.chain([THIS_THREAD]) {
                run_on(thread, cpu);
            }
        }
        self.state.store(SLEEPS, Ordering::SeqCst);
        is_kept
    }
}

/// Keeps the CPU whenever it is needed.
fn keep(state: &AtomicU8) {
    while state.load(Ordering::SeqCst) != OVER {
        thread::park();
        let _ = state.compare_exchange(NEEDED, KEEPS, Ordering::SeqCst, Ordering::SeqCst);
        while state.load(Ordering::SeqCst) == KEEPS {
            // SAFETY: a system call without arguments.
            unsafe { libc::sched_yield() };
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.state.store(OVER, Ordering::SeqCst);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::super::neighbour::{cpus_of, each_of};
    use super::*;

    #[test]
    fn threads_move_to_each_cpu() {
        let moves = || {
            let keeper = Keeper::start().unwrap();
            for cpu in each_of(&cpus_of(std::process::id().cast_signed()).unwrap()) {
                // A busy machine can have others before it
                while !keeper.move_to(&cpu, std::iter::empty()) {}
                // SAFETY: it only reads the sets.
                assert!(unsafe { libc::CPU_EQUAL(&cpus_of(THIS_THREAD).unwrap(), &cpu) });
            }
        };
        thread::spawn(moves).join().unwrap();
    }
}
