//! The timing loops of routines that return a future.

use std::future::Future;
use std::hint::black_box;
use std::mem;

use crate::async_executor::AsyncExecutor;
use crate::measurement::WallTime;
use crate::{BatchSize, Bencher};

impl<'a, M> Bencher<'a, M> {
    /// Returns a bencher for routines that return a future, which this executor runs.
    pub fn to_async<'b, A: AsyncExecutor>(&'b mut self, runner: A) -> AsyncBencher<'a, 'b, A, M> {
        AsyncBencher { bencher: self, runner }
    }
}

/// Counts a routine that returns a future: the call of [`AsyncExecutor::block_on`] with it. A benchmark calls one of the
/// methods, once.
///
/// The setup, the routine and the drops run in calls of `block_on`, so that they can use the runtime.
#[derive(Debug)]
pub struct AsyncBencher<'a, 'b, A: AsyncExecutor, M = WallTime> {
    bencher: &'b mut Bencher<'a, M>,
    runner: A,
}

/// Value that is dropped in a call of the executor.
struct InRuntime<'a, A: AsyncExecutor, T> {
    runner: &'a A,
    value: Option<T>,
}

impl<'a, A: AsyncExecutor, T> InRuntime<'a, A, T> {
    /// Makes the value in a call of the executor.
    fn new(runner: &'a A, value: impl AsyncFnOnce() -> T) -> Self {
        Self { runner, value: Some(runner.block_on(value())) }
    }
}

impl<A: AsyncExecutor, T> Drop for InRuntime<'_, A, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take().filter(|_| mem::needs_drop::<T>()) {
            self.runner.block_on(async { drop(value) });
        }
    }
}

/// Runs the routine with the input, if it is there, in a call of the executor.
#[inline(always)]
fn run_with<'a, A: AsyncExecutor, I, F: Future>(
    runner: &'a A,
    input: Option<I>,
    routine: &mut impl FnMut(I) -> F,
) -> InRuntime<'a, A, Option<F::Output>> {
    InRuntime::new(runner, async || match input {
        Some(input) => Some(routine(input).await),
        None => None,
    })
}

impl<A: AsyncExecutor, M> AsyncBencher<'_, '_, A, M> {
    /// Runs like [`Bencher::iter`].
    #[track_caller]
    pub fn iter<O, R: FnMut() -> F, F: Future<Output = O>>(&mut self, mut routine: R) {
        let Self { bencher, runner } = self;
        bencher.iter(|| runner.block_on(async { drop(black_box(routine().await)) }));
    }

    /// Runs like [`Bencher::iter_with_large_drop`].
    #[track_caller]
    pub fn iter_with_large_drop<O, R: FnMut() -> F, F: Future<Output = O>>(
        &mut self,
        mut routine: R,
    ) {
        let Self { bencher, runner } = self;
        let runner = &*runner;
        bencher.iter_with_large_drop(|| InRuntime::new(runner, async || routine().await));
    }

    /// Runs like [`Bencher::iter_custom`].
    #[track_caller]
    pub fn iter_custom<V, R: FnMut(u64) -> F, F: Future<Output = V>>(&mut self, mut routine: R) {
        let Self { bencher, runner } = self;
        let routine = |iterations| runner.block_on(async { routine(iterations).await });
        (**bencher).iter_custom(routine);
    }

    /// Runs like [`Bencher::iter_batched`].
    #[track_caller]
    pub fn iter_batched<I, O, S: FnMut() -> I, R: FnMut(I) -> F, F: Future<Output = O>>(
        &mut self,
        mut setup: S,
        mut routine: R,
        size: BatchSize,
    ) {
        let Self { bencher, runner } = self;
        let runner = &*runner;
        let routine =
            |mut input: InRuntime<'_, A, I>| run_with(runner, input.value.take(), &mut routine);
        bencher.iter_batched(|| InRuntime::new(runner, async || setup()), routine, size);
    }

    /// Runs like [`Bencher::iter_batched_ref`].
    #[track_caller]
    pub fn iter_batched_ref<I, O, S: FnMut() -> I, R: FnMut(&mut I) -> F, F: Future<Output = O>>(
        &mut self,
        mut setup: S,
        mut routine: R,
        size: BatchSize,
    ) {
        let Self { bencher, runner } = self;
        let runner = &*runner;
        let routine =
            |input: &mut InRuntime<'_, A, I>| run_with(runner, input.value.as_mut(), &mut routine);
        bencher.iter_batched_ref(|| InRuntime::new(runner, async || setup()), routine, size);
    }

    /// Does the same as [`Self::iter_batched`].
    #[track_caller]
    pub fn iter_with_setup<I, O, S: FnMut() -> I, R: FnMut(I) -> F, F: Future<Output = O>>(
        &mut self,
        setup: S,
        routine: R,
    ) {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    /// Does the same as [`Self::iter_batched`].
    #[track_caller]
    pub fn iter_with_large_setup<I, O, S: FnMut() -> I, R: FnMut(I) -> F, F: Future<Output = O>>(
        &mut self,
        setup: S,
        routine: R,
    ) {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }
}
