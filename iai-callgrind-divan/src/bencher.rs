//! The object that benchmark functions get. Here each of its loops calls the routine once, and that call counts.

use std::fmt;
use std::marker::PhantomData;

use iai_callgrind_harness::__private::{Region, Routine, count_calls, count_calls_by_reference};

use crate::counter::{AsCountUInt, Counter, IntoCounter};
use crate::throughput::Throughput;

/// The measured call of a benchmark.
struct Measured<'b> {
    region: &'b mut Region,
    is_called: bool,
    /// What a call processes, apart from the input.
    amount: Throughput,
}

/// Counts a routine. A benchmark calls one of the methods that consume the bencher.
pub struct Bencher<'a, 'b, C = Inputs> {
    measured: &'a mut Measured<'b>,
    inputs: C,
}

/// The closure that makes the inputs of the routine, and those that count what is in an input.
#[derive(Debug)]
pub struct Inputs<G = (), N = ()> {
    make: G,
    counters: N,
}

/// Closures that count what an input consists of.
#[doc(hidden)]
pub trait InputCounters<I> {
    /// There are any.
    const ANY: bool = true;

    /// Adds the numbers of an input.
    fn count(&self, input: &I, amount: &mut Throughput);
}

impl<I> InputCounters<I> for () {
    const ANY: bool = false;

    fn count(&self, _: &I, _: &mut Throughput) {}
}

impl<I, N: InputCounters<I>, C: IntoCounter, F: Fn(&I) -> C> InputCounters<I>
    for (N, F, PhantomData<C>)
{
    fn count(&self, input: &I, amount: &mut Throughput) {
        self.0.count(input, amount);
        amount.insert((self.1)(input));
    }
}

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
    let mut measured = Measured { region, is_called: false, amount: Throughput::default() };
    function(Bencher { measured: &mut measured, inputs: Inputs { make: (), counters: () } });
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
        let (region, set_up) = self.measured.start(|| (), ());
        let warm_up = |benched: &mut B, ()| drop(benched());
        count_calls(region, &mut benched, set_up, warm_up, Routine::call);
    }

    /// Sets the function that makes the routine's input. The function does not count.
    pub fn with_inputs<G>(self, gen_input: G) -> Bencher<'a, 'b, Inputs<G>> {
        let inputs = Inputs { make: gen_input, counters: () };
        Bencher { measured: self.measured, inputs }
    }
}

impl<G, N> Bencher<'_, '_, Inputs<G, N>> {
    /// Sets a number of what one call processes, in place of that of an attribute.
    #[must_use]
    pub fn counter<C: IntoCounter>(self, counter: C) -> Self {
        self.measured.amount.insert(counter);
        self
    }
}

impl<'a, 'b, I, G: FnMut() -> I, N: InputCounters<I>> Bencher<'a, 'b, Inputs<G, N>> {
    /// Sets the function that counts what an input consists of. It does not count itself.
    #[must_use]
    pub fn input_counter<C: IntoCounter, F: Fn(&I) -> C + Sync + 'static>(
        self,
        make_counter: F,
    ) -> Bencher<'a, 'b, Inputs<G, (N, F, PhantomData<C>)>> {
        let Inputs { make, counters } = self.inputs;
        let inputs = Inputs { make, counters: (counters, make_counter, PhantomData) };
        Bencher { measured: self.measured, inputs }
    }

    /// Takes the input for a number of what one call processes.
    #[must_use]
    pub fn count_inputs_as<C: Counter>(
        self,
    ) -> Bencher<'a, 'b, Inputs<G, (N, fn(&I) -> C, PhantomData<C>)>>
    where
        I: AsCountUInt,
    {
        let Inputs { make, counters } = self.inputs;
        let count: fn(&I) -> C = |input| C::__of(input.as_u64());
        let inputs = Inputs { make, counters: (counters, count, PhantomData) };
        Bencher { measured: self.measured, inputs }
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
        let (region, set_up) = self.measured.start(self.inputs.make, self.inputs.counters);
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
        let (region, set_up) = self.measured.start(self.inputs.make, self.inputs.counters);
        let warm_up = |benched: &mut B, input: &mut I| drop(benched(input));
        let function = Routine::call_with_reference;
        count_calls_by_reference(region, &mut benched, set_up, warm_up, function);
    }
}

impl<'b> Measured<'b> {
    /// Returns the region and the function that makes inputs, which reports the amount of data of those that count.
    fn start<'a, I, N: InputCounters<I>>(
        &'a mut self,
        mut make: impl FnMut() -> I,
        counters: N,
    ) -> (&'a mut Region, impl FnMut() -> I) {
        self.is_called = true;
        let of_each = self.amount;
        let (warm_up_calls, _) = self.region.calls();
        // The runner knows those of attributes and of the command line
        let is_reported = N::ANY || of_each != Throughput::default();
        let (mut made, mut total) = (0_u16, Throughput::default());
        let set_up = move || {
            let input = make();
            made = made.saturating_add(1);
            if is_reported && made > warm_up_calls {
                let mut amount = of_each;
                counters.count(&input, &mut amount);
                total = total.plus(amount);
                total.report();
            }
            input
        };
        (self.region, set_up)
    }
}
