//! Executors of the futures that [`Bencher::to_async`](crate::Bencher::to_async) counts.

use std::future::Future;

/// Runs futures.
pub trait AsyncExecutor {
    /// Runs a future to its end.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T;
}

/// The executor of the crate `futures`.
#[cfg(feature = "async_futures")]
#[derive(Debug, Clone, Copy, Default)]
pub struct FuturesExecutor;

#[cfg(feature = "async_futures")]
impl AsyncExecutor for FuturesExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        futures_executor::block_on(future)
    }
}

/// The executor of the crate `smol`.
#[cfg(feature = "async_smol")]
#[derive(Debug, Clone, Copy, Default)]
pub struct SmolExecutor;

#[cfg(feature = "async_smol")]
impl AsyncExecutor for SmolExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        smol::block_on(future)
    }
}

/// The executor of the crate `async-std`.
#[cfg(feature = "async_std")]
#[derive(Debug, Clone, Copy, Default)]
pub struct AsyncStdExecutor;

#[cfg(feature = "async_std")]
impl AsyncExecutor for AsyncStdExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        async_std::task::block_on(future)
    }
}

#[cfg(feature = "async_tokio")]
impl AsyncExecutor for tokio::runtime::Runtime {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.block_on(future)
    }
}

#[cfg(feature = "async_tokio")]
impl AsyncExecutor for &tokio::runtime::Runtime {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        (*self).block_on(future)
    }
}

#[cfg(feature = "async_tokio")]
impl AsyncExecutor for tokio::runtime::Handle {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.block_on(future)
    }
}

#[cfg(feature = "async_tokio")]
impl AsyncExecutor for &tokio::runtime::Handle {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        (*self).block_on(future)
    }
}
