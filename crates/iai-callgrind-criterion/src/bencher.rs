//! The timing loops. Here each of them calls the routine once, and that call counts.

#[cfg(feature = "async")]
use std::future::Future;
use std::marker::PhantomData;

use iai_callgrind_harness::__private::{
    Region, count_routine, count_with_drop, count_with_input, count_with_reference,
};

use crate::BatchSize;
#[cfg(feature = "async")]
use crate::async_executor::AsyncExecutor;
use crate::measurement::{Measurement, WallTime};

/// Counts a routine. A benchmark calls one of the methods, once.
#[derive(Debug)]
pub struct Bencher<'a, M: Measurement = WallTime> {
    region: &'a mut Region,
    calls: usize,
    measurement: PhantomData<M>,
}

impl<'a, M: Measurement> Bencher<'a, M> {
    /// Runs the closure of a benchmark.
    ///
    /// # Panics
    ///
    /// Panics unless the closure calls one of the other methods, once.
    pub(crate) fn run(region: &'a mut Region, closure: impl FnOnce(&mut Self)) {
        let mut bencher = Self { region, calls: 0, measurement: PhantomData };
        closure(&mut bencher);
        assert!(
            bencher.calls > 0,
            "the benchmark counts nothing: its closure calls no method of `Bencher`"
        );
    }

    /// Notes the only call of a method.
    #[track_caller]
    fn begin(&mut self) -> &mut Region {
        assert!(
            self.calls == 0,
            "the benchmark calls several methods of `Bencher`, and only one call can count: make a \
             benchmark of each"
        );
        self.calls += 1;
        self.region
    }

    /// Counts a call of the routine, and the drop of what it returns.
    #[track_caller]
    pub fn iter<O, R: FnMut() -> O>(&mut self, routine: R) {
        count_with_drop(self.begin(), || (), routine);
    }

    /// Counts a call of the routine without the drop of what it returns.
    #[track_caller]
    pub fn iter_with_large_drop<O, R: FnMut() -> O>(&mut self, routine: R) {
        count_routine(self.begin(), || (), routine);
    }

    /// Counts a call of a routine that measures itself. The whole routine counts, with one iteration: there is no way to
    /// know which part of it is meant. A note says so.
    #[track_caller]
    pub fn iter_custom<R: FnMut(u64) -> M::Value>(&mut self, routine: R) {
        self.region.note_own_measurement();
        self.iter_batched(|| 1, routine, BatchSize::PerIteration);
    }

    /// Counts a call of the routine with an input that `setup` returns. Neither the setup counts nor the drop of what the
    /// routine returns.
    #[track_caller]
    pub fn iter_batched<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(
        &mut self,
        setup: S,
        routine: R,
        _: BatchSize,
    ) {
        count_with_input(self.begin(), setup, routine);
    }

    /// Counts a call of the routine with a reference to an input that `setup` returns. Neither the setup counts nor the
    /// drops of the input and of what the routine returns.
    #[track_caller]
    pub fn iter_batched_ref<I, O, S: FnMut() -> I, R: FnMut(&mut I) -> O>(
        &mut self,
        setup: S,
        routine: R,
        _: BatchSize,
    ) {
        count_with_reference(self.begin(), setup, routine);
    }

    /// Does the same as [`Self::iter_batched`].
    #[track_caller]
    pub fn iter_with_setup<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(
        &mut self,
        setup: S,
        routine: R,
    ) {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    /// Does the same as [`Self::iter_batched`].
    #[track_caller]
    pub fn iter_with_large_setup<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(
        &mut self,
        setup: S,
        routine: R,
    ) {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }

    /// Returns a bencher for routines that return a future, which this executor runs.
    #[cfg(feature = "async")]
    pub fn to_async<'b, A: AsyncExecutor>(&'b mut self, runner: A) -> AsyncBencher<'a, 'b, A, M> {
        AsyncBencher { bencher: self, runner }
    }
}

/// Counts a routine that returns a future: the call of [`AsyncExecutor::block_on`] with it. A benchmark calls one of the
/// methods, once.
#[cfg(feature = "async")]
#[derive(Debug)]
pub struct AsyncBencher<'a, 'b, A: AsyncExecutor, M: Measurement = WallTime> {
    bencher: &'b mut Bencher<'a, M>,
    runner: A,
}

#[cfg(feature = "async")]
impl<A: AsyncExecutor, M: Measurement> AsyncBencher<'_, '_, A, M> {
    /// Runs like [`Bencher::iter`].
    #[track_caller]
    pub fn iter<O, R: FnMut() -> F, F: Future<Output = O>>(&mut self, mut routine: R) {
        let Self { bencher, runner } = self;
        bencher.iter(|| runner.block_on(routine()));
    }

    /// Runs like [`Bencher::iter_with_large_drop`].
    #[track_caller]
    pub fn iter_with_large_drop<O, R: FnMut() -> F, F: Future<Output = O>>(
        &mut self,
        mut routine: R,
    ) {
        let Self { bencher, runner } = self;
        bencher.iter_with_large_drop(|| runner.block_on(routine()));
    }

    /// Runs like [`Bencher::iter_custom`].
    #[track_caller]
    pub fn iter_custom<R: FnMut(u64) -> F, F: Future<Output = M::Value>>(
        &mut self,
        mut routine: R,
    ) {
        let Self { bencher, runner } = self;
        bencher.iter_custom(|iterations| runner.block_on(routine(iterations)));
    }

    /// Runs like [`Bencher::iter_batched`].
    #[track_caller]
    pub fn iter_batched<I, O, S: FnMut() -> I, R: FnMut(I) -> F, F: Future<Output = O>>(
        &mut self,
        setup: S,
        mut routine: R,
        size: BatchSize,
    ) {
        let Self { bencher, runner } = self;
        bencher.iter_batched(setup, |input| runner.block_on(routine(input)), size);
    }

    /// Runs like [`Bencher::iter_batched_ref`].
    #[track_caller]
    pub fn iter_batched_ref<I, O, S: FnMut() -> I, R: FnMut(&mut I) -> F, F: Future<Output = O>>(
        &mut self,
        setup: S,
        mut routine: R,
        size: BatchSize,
    ) {
        let Self { bencher, runner } = self;
        bencher.iter_batched_ref(setup, |input| runner.block_on(routine(input)), size);
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
