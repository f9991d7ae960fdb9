//! The timing loops. Here each of them calls the routine once, and that call counts.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use iai_callgrind_harness::__private::{
    Region, count_routine, count_with_drop, count_with_input, count_with_reference,
};

use crate::BatchSize;
use crate::measurement::WallTime;

/// Counts a routine. A benchmark calls one of the methods, once.
#[derive(Debug)]
pub struct Bencher<'a, M = WallTime> {
    counted: Counted<'a>,
    measurement: PhantomData<fn() -> M>,
}

/// The region of a [`Bencher`] and the calls of its methods.
///
/// It has the methods of benchers with any measurement: only with [`WallTime`], the type of what a routine measures is known.
#[doc(hidden)]
#[derive(Debug)]
pub struct Counted<'a> {
    region: &'a mut Region,
    calls: usize,
}

impl<'a, M> Deref for Bencher<'a, M> {
    type Target = Counted<'a>;

    fn deref(&self) -> &Counted<'a> {
        &self.counted
    }
}

impl<'a, M> DerefMut for Bencher<'a, M> {
    fn deref_mut(&mut self) -> &mut Counted<'a> {
        &mut self.counted
    }
}

impl Bencher<'_, WallTime> {
    /// Counts a call of a routine that measures itself. The whole routine counts, with one iteration: there is no way to
    /// know which part of it is meant. A note says so.
    #[track_caller]
    pub fn iter_custom<R: FnMut(u64) -> Duration>(&mut self, routine: R) {
        self.counted.iter_custom(routine);
    }
}

impl Counted<'_> {
    /// Counts a call of a routine that measures itself with another measurement, see [`Bencher::iter_custom`].
    #[track_caller]
    pub fn iter_custom<V, R: FnMut(u64) -> V>(&mut self, routine: R) {
        self.region.note_own_measurement();
        count_with_input(self.begin(), || 1, routine);
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
}

impl<'a, M> Bencher<'a, M> {
    /// Runs the closure of a benchmark.
    ///
    /// # Panics
    ///
    /// Panics unless the closure calls one of the other methods, once.
    pub(crate) fn run(region: &'a mut Region, closure: impl FnOnce(&mut Self)) {
        let counted = Counted { region, calls: 0 };
        let mut bencher = Self { counted, measurement: PhantomData };
        closure(&mut bencher);
        assert!(
            bencher.counted.calls > 0,
            "the benchmark counts nothing: its closure calls no method of `Bencher`"
        );
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
}
