//! Executors of the futures that [`Bencher::to_async`](crate::Bencher::to_async) counts.

use std::future::Future;

/// Runs futures.
pub trait AsyncExecutor {
    /// Runs a future to its end.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T;
}

/// Declares executors, each with the function of its crate.
macro_rules! executors {
    ($($(#[doc = $about:literal])+ #[cfg($condition:meta)] $name:ident = $block_on:path;)+) => {$(
        $(#[doc = $about])+
        #[cfg($condition)]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $name;

        #[cfg($condition)]
        impl AsyncExecutor for $name {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                $block_on(future)
            }
        }
    )+};
}

executors! {
    /// The executor of the crate `futures`.
    #[cfg(feature = "async_futures")]
    FuturesExecutor = futures_executor::block_on;
    /// The executor of the crate `smol`.
    #[cfg(feature = "async_smol")]
    SmolExecutor = smol::block_on;
    /// The executor of the crate `async-std`.
    #[cfg(feature = "async_std")]
    AsyncStdExecutor = async_std::task::block_on;
}

/// Implements [`AsyncExecutor`] for types of tokio, and for references to them.
#[cfg(feature = "async_tokio")]
macro_rules! tokio_executors {
    ($($type:ident)+) => {$(
        impl AsyncExecutor for tokio::runtime::$type {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                self.block_on(future)
            }
        }

        impl AsyncExecutor for &tokio::runtime::$type {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                (*self).block_on(future)
            }
        }
    )+};
}

#[cfg(feature = "async_tokio")]
tokio_executors! { Runtime Handle }
