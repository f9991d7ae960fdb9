//! Threads of the harness.

use std::thread;

/// Runs a task in a thread of its own. The task is boxed so that users compile the code that starts a thread only
/// once.
pub(crate) fn spawn(task: Box<dyn FnOnce() + Send>) {
    thread::spawn(task);
}
