//! Benchmarks that a file makes while it runs, such as those of Criterion.
//!
//! A walk goes once through the code of such a file. It reaches each benchmark, and the visitor of the walk decides
//! about it: the list takes its name, the fork server runs it in a child if the runner asks for it, and test mode runs
//! it in place. All walks of an executable reach the same benchmarks in the same order, whichever of them run.

use std::cell::RefCell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use iai_callgrind_plan::{self as plan, walk::Item};

use crate::message;
use crate::region::{Part, Region};

/// Benchmark that a walk has reached.
#[derive(Debug)]
pub struct Reached<'a> {
    /// Name of the group, any text.
    pub group: &'a str,
    /// Name in the group, any text.
    pub function: &'a str,
    /// Name in the framework that the file is written for.
    pub external_id: &'a str,
    /// Size of the input, if the name contains it.
    pub size: Option<i64>,
    /// Growth curve: the name in the group without the size, any text.
    pub curve: &'a str,
    /// Configuration of the benchmark.
    pub config: plan::Config,
}

impl Reached<'_> {
    /// Returns the identity of this benchmark, the walk's `index`-th.
    pub(crate) fn item(&self, index: usize) -> Item {
        Item::new(self.group, self.function, index)
    }
}

/// Decides about the benchmarks that a walk reaches.
pub(crate) trait Visitor {
    /// Runs the benchmark, or leaves it out. `run` contains the measured call.
    fn visit(&mut self, reached: Reached<'_>, run: &mut dyn FnMut(&mut Region));
}

thread_local! {
    /// Visitor of the walk that this thread is on.
    static VISITOR: RefCell<Option<Rc<RefCell<dyn Visitor>>>> = const { RefCell::new(None) };
}

/// Returns `true` if the visitor came to the end of the walk. Otherwise the code of the file panicked.
pub(crate) fn walk(code: fn(), visitor: &Rc<RefCell<impl Visitor + 'static>>) -> bool {
    let visitor: Rc<RefCell<dyn Visitor>> = Rc::clone(visitor) as _;
    VISITOR.with(|current| *current.borrow_mut() = Some(visitor));
    let ended = catch_unwind(AssertUnwindSafe(code)).is_ok();
    VISITOR.with(|current| *current.borrow_mut() = None);
    ended
}

/// Reaches a benchmark: the visitor of the walk runs it, or leaves it out.
///
/// # Panics
///
/// Panics if there is no walk, which is in the thread of `main`, and if a benchmark runs at this time.
#[track_caller]
pub fn reach(reached: Reached<'_>, run: &mut dyn FnMut(&mut Region)) {
    let visitor = VISITOR.with(|current| current.borrow().clone());
    let Some(visitor) = visitor else { panic!("{}", message::no_walk(reached.external_id)) };
    let Ok(mut visitor) = visitor.try_borrow_mut() else {
        panic!("{}", message::nested(reached.external_id));
    };
    visitor.visit(reached, run);
}

/// Calls a routine as often as the user wants, and counts these calls. `set_up` makes the inputs outside of the count,
/// and the outputs are dropped outside. Calls that only warm up go through `warm_up`, the others through `function`.
pub fn count_calls<R, I, O>(
    region: &mut Region,
    routine: &mut R,
    mut set_up: impl FnMut() -> I,
    mut warm_up: impl FnMut(&mut R, I),
    function: fn(&mut R, I) -> O,
) {
    let (warm_up_calls, calls) = region.calls();
    for _ in 0..warm_up_calls {
        let input = black_box(set_up());
        warm_up(routine, input);
    }
    let function = black_box(function);
    let mut call = |routine: &mut R, part, input: I| {
        let function: fn(_, I) -> O = function;
        black_box(region.measure_part(part, function, (routine, input)))
    };
    // No allocations that a single call could notice
    if calls == 1 {
        let input = black_box(set_up());
        drop(call(routine, Part::WHOLE, input));
        return;
    }
    let inputs: Vec<_> = (0..calls).map(|_| black_box(set_up())).collect();
    let mut outputs = Vec::with_capacity(inputs.len());
    let mut inputs = inputs.into_iter();
    for (index, input) in (0..calls).zip(&mut inputs) {
        outputs.push(call(routine, Part::new(index, calls), input));
    }
}

/// Does the same for a routine that takes references to its inputs. These are dropped outside of the count too.
pub fn count_calls_by_reference<R, I, O>(
    region: &mut Region,
    routine: &mut R,
    mut set_up: impl FnMut() -> I,
    mut warm_up: impl FnMut(&mut R, &mut I),
    function: fn(&mut R, &mut I) -> O,
) {
    let (warm_up_calls, calls) = region.calls();
    for _ in 0..warm_up_calls {
        let mut input = black_box(set_up());
        warm_up(routine, &mut input);
    }
    let function = black_box(function);
    let mut call = |routine: &mut R, part, input: &mut I| {
        let function: fn(_, _) -> O = function;
        black_box(region.measure_part(part, function, (routine, input)))
    };
    if calls == 1 {
        let mut input = black_box(set_up());
        drop(call(routine, Part::WHOLE, &mut input));
        return;
    }
    let mut inputs: Vec<_> = (0..calls).map(|_| black_box(set_up())).collect();
    let mut outputs = Vec::with_capacity(inputs.len());
    for (index, input) in (0..calls).zip(&mut inputs) {
        outputs.push(call(routine, Part::new(index, calls), input));
    }
}

/// The functions that are measured in place of benchmark functions: calls of the routines that a file passes as closures.
#[derive(Debug)]
pub struct Routine;

// Callgrind switches collection at their names, all of which start with `call`, and none contains a closure
impl Routine {
    /// Path of this type in symbols.
    pub(crate) const OWNER: &'static str = "iai_callgrind_harness::walk::Routine";

    /// Pattern of the functions' names.
    pub(crate) const FUNCTION: &'static str = "call*";

    /// Calls a routine.
    #[inline(never)]
    pub fn call<O, R: FnMut() -> O>(routine: &mut R, (): ()) -> O {
        routine()
    }

    /// Calls a routine, and drops the result.
    #[inline(never)]
    pub fn call_and_drop<O, R: FnMut() -> O>(routine: &mut R, (): ()) {
        drop(black_box(routine()));
    }

    /// Calls a routine with an input.
    #[inline(never)]
    pub fn call_with<I, O, R: FnMut(I) -> O>(routine: &mut R, input: I) -> O {
        routine(input)
    }

    /// Calls a routine with a reference to an input.
    #[inline(never)]
    pub fn call_with_reference<I, O, R: FnMut(&mut I) -> O>(routine: &mut R, input: &mut I) -> O {
        routine(input)
    }
}
