//! Threads. A failure to start one is an error, because the number of processes and threads of a
//! user can be limited.

use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use super::ProcessError;
use crate::Result;

/// Starts a thread.
pub fn spawn<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>> {
    Builder::new().spawn(run).map_err(ProcessError::Thread)
}

/// Starts a thread that ends in this scope.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    run: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, run).map_err(ProcessError::Thread)
}
