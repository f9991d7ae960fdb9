//! Threads of the harness.

use std::thread;

/// Runs a task in a thread of its own. The task is boxed so that users compile the code that starts a thread only
/// once.
pub(crate) fn spawn(task: Box<dyn FnOnce() + Send>) {
    // A task that can't run does not end this process
    let _ = thread::Builder::new().spawn(task);
}
