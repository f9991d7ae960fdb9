//! The object that benchmark functions get. Here each of its loops calls the routine once, and that call counts.

use std::fmt;

use iai_callgrind_harness::__private::{Region, Routine, count_calls, count_calls_by_reference};

use crate::counter::{AsCountUInt, Counter, IntoCounter};

/// The measured call of a benchmark.
struct Measured<'b> {
    region: &'b mut Region,
    is_called: bool,
}

/// Counts a routine. A benchmark calls one of the methods that consume the bencher.
pub struct Bencher<'a, 'b, C = Inputs> {
    measured: &'a mut Measured<'b>,
    inputs: C,
}

/// The closure that makes the inputs of the routine.
#[derive(Debug)]
pub struct Inputs<G = ()>(G);

impl<C> fmt::Debug for Bencher<'_, '_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bencher").finish_non_exhaustive()
    }
}

/// Runs a benchmark function.
///
/// # Panics
///
/// Panics unless the function calls a method that counts.
pub(crate) fn run(region: &mut Region, function: &dyn Fn(Bencher<'_, '_>)) {
    let mut measured = Measured { region, is_called: false };
    function(Bencher { measured: &mut measured, inputs: Inputs(()) });
    assert!(
        measured.is_called,
        "the benchmark counts nothing: its function calls no method of `Bencher` that runs a routine"
    );
}

impl<'a, 'b> Bencher<'a, 'b> {
    /// Counts a call of the routine without the drop of its result.
    pub fn bench<O, B: Fn() -> O + Sync>(self, benched: B) {
        self.bench_local(benched);
    }

    /// Counts a call of the routine without the drop of its result.
    pub fn bench_local<O, B: FnMut() -> O>(self, mut benched: B) {
        self.measured.is_called = true;
        let warm_up = |benched: &mut B, ()| drop(benched());
        count_calls(self.measured.region, &mut benched, || (), warm_up, Routine::call);
    }

    /// Sets the function that makes the routine's input. The function does not count.
    pub fn with_inputs<G>(self, gen_input: G) -> Bencher<'a, 'b, Inputs<G>> {
        Bencher { measured: self.measured, inputs: Inputs(gen_input) }
    }
}

// The counters of a file's list are those of the attributes: the closures of benchmarks run later
impl<G> Bencher<'_, '_, Inputs<G>> {
    /// Sets a number of what one call processes. Without effect, unlike the options of attributes.
    #[must_use]
    pub fn counter<C: IntoCounter>(self, _: C) -> Self {
        self
    }
}

impl<'a, I, G: FnMut() -> I> Bencher<'a, '_, Inputs<G>> {
    /// Sets the function that counts what an input consists of. Without effect.
    #[must_use]
    pub fn input_counter<C: IntoCounter, F: Fn(&I) -> C + Sync + 'static>(self, _: F) -> Self {
        self
    }

    /// Takes the input for a number of what one call processes. Without effect.
    #[must_use]
    pub fn count_inputs_as<C: Counter>(self) -> Self
    where
        I: AsCountUInt,
    {
        self
    }

    /// Counts a call of the routine with an input, without the drop of the result.
    pub fn bench_values<O, B: Fn(I) -> O + Sync>(self, benched: B)
    where
        G: Fn() -> I + Sync,
    {
        self.bench_local_values(benched);
    }

    /// Counts a call of the routine with an input, without the drop of the result.
    pub fn bench_local_values<O, B: FnMut(I) -> O>(self, mut benched: B) {
        let (region, set_up) = self.start();
        let warm_up = |benched: &mut B, input| drop(benched(input));
        count_calls(region, &mut benched, set_up, warm_up, Routine::call_with);
    }

    /// Counts a call of the routine with a reference to an input, without the drops of the input and of the result.
    pub fn bench_refs<O, B: Fn(&mut I) -> O + Sync>(self, benched: B)
    where
        G: Fn() -> I + Sync,
    {
        self.bench_local_refs(benched);
    }

    /// Counts a call of the routine with a reference to an input, without the drops of the input and of the result.
    pub fn bench_local_refs<O, B: FnMut(&mut I) -> O>(self, mut benched: B) {
        let (region, set_up) = self.start();
        let warm_up = |benched: &mut B, input: &mut I| drop(benched(input));
        let function = Routine::call_with_reference;
        count_calls_by_reference(region, &mut benched, set_up, warm_up, function);
    }

    /// Returns the region and the function that makes inputs.
    fn start(self) -> (&'a mut Region, G) {
        let Measured { region, is_called } = self.measured;
        *is_called = true;
        (region, self.inputs.0)
    }
}
