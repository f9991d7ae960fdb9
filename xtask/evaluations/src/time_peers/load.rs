//! Other work on each CPU.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Threads that never wait, as many as there are CPUs.
#[derive(Debug)]
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts them.
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        let spin = |stop: Arc<AtomicBool>| {
            move || {
                while !stop.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            }
        };
        let threads = (0..cpus).map(|_| thread::spawn(spin(Arc::clone(&stop)))).collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that only spins does not panic
            let _ = thread.join();
        }
    }
}
