//! Threads. A failure to start one is an error: the number of processes and threads of a user can be limited.

use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use super::ProcessError;
use crate::error::Result;

/// Starts a thread.
pub(crate) fn spawn<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    Ok(Builder::new().spawn(run).map_err(ProcessError::Thread)?)
}

/// Starts a thread that ends in this scope.
pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    run: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    Ok(Builder::new().spawn_scoped(scope, run).map_err(ProcessError::Thread)?)
}

/// Has the threads that this thread starts, on one CPU, take turns in the same order in every run, where the user may use
/// real-time priorities. A process can call it between fork and exec.
pub(crate) fn use_fixed_order() {
    #[cfg(target_os = "linux")]
    // SAFETY: the pointer is valid during the call.
    unsafe {
        // Whether it is allowed makes no difference to a single thread
        let lowest = libc::sched_param { sched_priority: 1 };
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const lowest);
    }
}
