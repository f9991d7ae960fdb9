//! The object that benchmark functions get. Here each of its loops calls the routine once, and that call counts.

use std::fmt;
use std::marker::PhantomData;

use iai_callgrind_harness::__private::{
    Region, count_routine, count_with_input, count_with_reference,
};

use crate::counter::{AsCountUInt, Counter, IntoCounter};
use crate::throughput::Throughput;

/// The measured call of a benchmark.
struct Measured<'b> {
    region: &'b mut Region,
    is_called: bool,
    /// The amounts that a call processes, without the amounts of its input.
    amount: Throughput,
}

/// Counts a routine. A benchmark calls one of the methods that consume the bencher.
pub struct Bencher<'a, 'b, C = Inputs> {
    measured: &'a mut Measured<'b>,
    inputs: C,
}

/// The closures that make the inputs of the routine and count their content.
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

/// A closure that counts what an input consists of, after others.
#[doc(hidden)]
#[derive(Debug)]
pub struct InputCounter<N, F, C> {
    others: N,
    count: F,
    counter: PhantomData<C>,
}

impl<I, N: InputCounters<I>, C: IntoCounter, F: Fn(&I) -> C> InputCounters<I>
    for InputCounter<N, F, C>
{
    fn count(&self, input: &I, amount: &mut Throughput) {
        self.others.count(input, amount);
        amount.insert((self.count)(input));
    }
}

/// A bencher with one more counter of inputs.
type WithCounter<'a, 'b, G, N, F, C> = Bencher<'a, 'b, Inputs<G, InputCounter<N, F, C>>>;

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
    pub fn bench_local<O, B: FnMut() -> O>(self, benched: B) {
        let (region, set_up) = self.measured.start(|| (), ());
        count_routine(region, set_up, benched);
    }

    /// Sets the function that makes the routine's input. The function does not count.
    pub fn with_inputs<G>(self, gen_input: G) -> Bencher<'a, 'b, Inputs<G>> {
        let inputs = Inputs { make: gen_input, counters: () };
        Bencher { measured: self.measured, inputs }
    }
}

impl<G, N> Bencher<'_, '_, Inputs<G, N>> {
    /// Sets an amount that one call processes. It replaces that of an attribute.
    #[must_use]
    pub fn counter<C: IntoCounter>(self, counter: C) -> Self {
        self.measured.amount.insert(counter);
        self
    }
}

impl<'a, 'b, I, G: FnMut() -> I, N: InputCounters<I>> Bencher<'a, 'b, Inputs<G, N>> {
    /// Sets the function that counts what an input consists of. Its own instructions do not count.
    #[must_use]
    pub fn input_counter<C: IntoCounter, F: Fn(&I) -> C + Sync + 'static>(
        self,
        make_counter: F,
    ) -> WithCounter<'a, 'b, G, N, F, C> {
        self.with_counter(make_counter)
    }

    /// Takes the input for a number of what one call processes.
    #[must_use]
    pub fn count_inputs_as<C: Counter>(self) -> WithCounter<'a, 'b, G, N, fn(&I) -> C, C>
    where
        I: AsCountUInt,
    {
        self.with_counter(|input| C::__of(input.as_u64()))
    }

    fn with_counter<C, F: Fn(&I) -> C>(self, count: F) -> WithCounter<'a, 'b, G, N, F, C> {
        let Inputs { make, counters: others } = self.inputs;
        let counters = InputCounter { others, count, counter: PhantomData };
        Bencher { measured: self.measured, inputs: Inputs { make, counters } }
    }

    /// Counts a call of the routine with an input, without the drop of the result.
    pub fn bench_values<O, B: Fn(I) -> O + Sync>(self, benched: B)
    where
        G: Fn() -> I + Sync,
    {
        self.bench_local_values(benched);
    }

    /// Counts a call of the routine with an input, without the drop of the result.
    pub fn bench_local_values<O, B: FnMut(I) -> O>(self, benched: B) {
        let (region, set_up) = self.measured.start(self.inputs.make, self.inputs.counters);
        count_with_input(region, set_up, benched);
    }

    /// Counts a call of the routine with a reference to an input, without the drops of the input and of the result.
    pub fn bench_refs<O, B: Fn(&mut I) -> O + Sync>(self, benched: B)
    where
        G: Fn() -> I + Sync,
    {
        self.bench_local_refs(benched);
    }

    /// Counts a call of the routine with a reference to an input, without the drops of the input and of the result.
    pub fn bench_local_refs<O, B: FnMut(&mut I) -> O>(self, benched: B) {
        let (region, set_up) = self.measured.start(self.inputs.make, self.inputs.counters);
        count_with_reference(region, set_up, benched);
    }
}

impl Measured<'_> {
    /// Returns the region and the function that makes inputs, which reports the amount of data of those that count.
    fn start<I, N: InputCounters<I>>(
        &mut self,
        mut make: impl FnMut() -> I,
        counters: N,
    ) -> (&mut Region, impl FnMut() -> I) {
        self.is_called = true;
        let of_each = self.amount;
        let (warm_up_calls, _) = self.region.calls();
        // The runner knows those of attributes and of the command line
        let is_reported = N::ANY || of_each != Throughput::default();
        let (mut call, mut total) = (0_u16, Throughput::default());
        let set_up = move || {
            let input = make();
            call = call.saturating_add(1);
            if is_reported && call > warm_up_calls {
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
