//! Benchmarks that a file makes while it runs, such as those of Criterion.
//!
//! A walk goes once through the code of such a file. It reaches each benchmark, and the visitor of the walk decides
//! about it: the list takes its name, the fork server runs it in a child if the runner asks for it, and test mode runs
//! it in place. All walks of an executable reach the same benchmarks in the same order, whichever of them run.

use std::cell::RefCell;
use std::hint::black_box;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Answer of a filter of that framework, which the runner does not know. `None` without one.
    pub is_selected: Option<bool>,
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

/// `true` once a walk has started in this process.
static HAS_STARTED: AtomicBool = AtomicBool::new(false);

/// Returns `true` if no walk has started in this process. The caller starts one.
pub(crate) fn is_first() -> bool {
    !HAS_STARTED.swap(true, Ordering::Relaxed)
}

/// Makes the rest of this thread's code the walk of this visitor.
pub(crate) fn enter(visitor: &Rc<RefCell<impl Visitor + 'static>>) {
    let visitor: Rc<RefCell<dyn Visitor>> = Rc::clone(visitor) as _;
    VISITOR.with(|current| *current.borrow_mut() = Some(visitor));
}

/// Returns `true` if the visitor came to the end of the walk. Otherwise the code of the file panicked.
pub(crate) fn walk(code: fn(), visitor: &Rc<RefCell<impl Visitor + 'static>>) -> bool {
    is_first();
    enter(visitor);
    let ended = catch_unwind(AssertUnwindSafe(code)).is_ok();
    VISITOR.with(|current| *current.borrow_mut() = None);
    ended
}

/// Returns a name of Rust without the prefix of keywords, which is not a part of the name.
#[must_use]
pub fn unraw(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
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

/// Calls a routine as often as the user wants, and counts these calls. `set_up` runs before each call, and the outputs are
/// dropped outside of the count.
pub fn count_routine<O>(region: &mut Region, set_up: impl FnMut(), mut routine: impl FnMut() -> O) {
    let routine: &mut dyn FnMut() -> O = &mut routine;
    count_calls(region, routine, set_up, |routine, ()| routine(), Routine::call_through);
}

/// Does the same, but the drops of the outputs count.
pub fn count_with_drop<O>(
    region: &mut Region,
    set_up: impl FnMut(),
    mut routine: impl FnMut() -> O,
) {
    if !mem::needs_drop::<O>() {
        return count_routine(region, set_up, routine);
    }
    let routine: &mut dyn FnMut() -> O = &mut routine;
    let function = Routine::call_through_and_drop;
    count_calls(region, routine, set_up, |routine, ()| drop(routine()), function);
}

/// Does the same as [`count_routine`] for a routine with an input, which `set_up` makes outside of the count.
pub fn count_with_input<I, O, R: FnMut(I) -> O>(
    region: &mut Region,
    set_up: impl FnMut() -> I,
    mut routine: R,
) {
    if size_of::<I>() > Routine::MOVED {
        let warm_up = |routine: &mut R, input| routine(input);
        return count_calls(region, &mut routine, set_up, warm_up, Routine::call_with);
    }
    let routine: &mut dyn FnMut(I) -> O = &mut routine;
    let function = Routine::call_through_with;
    count_calls(region, routine, set_up, |routine, input| routine(input), function);
}

/// Does the same for a routine that takes references to its inputs. These are dropped outside of the count too.
pub fn count_with_reference<I, O>(
    region: &mut Region,
    set_up: impl FnMut() -> I,
    mut routine: impl FnMut(&mut I) -> O,
) {
    count_calls_by_reference(region, &mut routine, set_up);
}

/// Counts calls of a routine. Calls that only warm up go through `warm_up`, the others through `function`, at which
/// callgrind switches.
fn count_calls<R: ?Sized, I, O>(
    region: &mut Region,
    routine: &mut R,
    mut set_up: impl FnMut() -> I,
    mut warm_up: impl FnMut(&mut R, I) -> O,
    function: fn(&mut R, I) -> O,
) {
    if region.is_repeated() {
        return repeat(region, || drop(black_box(function(routine, black_box(set_up())))));
    }
    let (warm_up_calls, calls) = region.calls();
    for _ in 0..warm_up_calls {
        let input = black_box(set_up());
        drop(warm_up(routine, input));
    }
    let function = black_box(function);
    let mut call = |part, input: I| {
        let function: fn(_, I) -> O = function;
        black_box(region.measure_part(part, function, (&mut *routine, input)))
    };
    // No allocations that a single call could notice
    if calls == 1 {
        let input = black_box(set_up());
        drop(call(Part::WHOLE, input));
        return;
    }
    let mut inputs = Vec::with_capacity(calls.into());
    for _ in 0..calls {
        inputs.push(black_box(set_up()));
    }
    let mut outputs = Vec::with_capacity(calls.into());
    let mut inputs = inputs.into_iter();
    for (index, input) in (0..calls).zip(&mut inputs) {
        outputs.push(call(Part::new(index, calls), input));
    }
}

/// Makes calls for as long as a profiler wants them. Each has its own input, so that no more than one is in memory.
fn repeat(region: &mut Region, mut call: impl FnMut()) {
    loop {
        call();
        if !region.goes_on() {
            return;
        }
    }
}

/// A routine that takes references to its inputs.
type ByReference<'a, I, O> = dyn FnMut(&mut I) -> O + 'a;

/// Does the same for references to inputs.
fn count_calls_by_reference<'a, I, O>(
    region: &mut Region,
    routine: &mut ByReference<'a, I, O>,
    mut set_up: impl FnMut() -> I,
) {
    if region.is_repeated() {
        return repeat(region, || {
            let mut input = black_box(set_up());
            drop(black_box(Routine::call_through_with_reference(routine, &mut input)));
        });
    }
    let (warm_up_calls, calls) = region.calls();
    for _ in 0..warm_up_calls {
        let mut input = black_box(set_up());
        drop(routine(&mut input));
    }
    let function: fn(&mut ByReference<'a, I, O>, &mut I) -> O =
        black_box(Routine::call_through_with_reference);
    let mut call = |part, input: &mut I| {
        let function: fn(_, _) -> O = function;
        black_box(region.measure_part(part, function, (&mut *routine, input)))
    };
    if calls == 1 {
        let mut input = black_box(set_up());
        drop(call(Part::WHOLE, &mut input));
        return;
    }
    let mut inputs = Vec::with_capacity(calls.into());
    for _ in 0..calls {
        inputs.push(black_box(set_up()));
    }
    let mut outputs = Vec::with_capacity(calls.into());
    for (index, input) in (0..calls).zip(&mut inputs) {
        outputs.push(call(Part::new(index, calls), input));
    }
}

/// The functions that are measured in place of benchmark functions: calls of the routines that a file passes as closures.
///
/// The functions whose names start with `call_through` call a routine that was not inlined into them, whatever the profile,
/// because they do not know which one it is. Their own instructions do not count.
#[derive(Debug)]
pub(crate) struct Routine;

// Callgrind switches collection at their names, all of which start with `call`, and none contains a closure
impl Routine {
    /// Path of this type in symbols.
    pub(crate) const OWNER: &'static str = "iai_callgrind_harness::walk::Routine";

    /// Pattern of the functions' names.
    pub(crate) const FUNCTION: &'static str = "call*";

    /// Maximum size of an input that [`Self::call_through_with`] passes on. The instructions that move it are its own,
    /// a larger input is moved by `memcpy`.
    const MOVED: usize = 64;

    /// Calls a routine.
    #[inline(never)]
    fn call_through<'a, O>(routine: &mut (dyn FnMut() -> O + 'a), (): ()) -> O {
        routine()
    }

    /// Calls a routine, and drops the result.
    #[inline(never)]
    fn call_through_and_drop<'a, O>(routine: &mut (dyn FnMut() -> O + 'a), (): ()) {
        drop_result(routine());
    }

    /// Calls a routine with an input.
    #[inline(never)]
    fn call_through_with<'a, I, O>(routine: &mut (dyn FnMut(I) -> O + 'a), input: I) -> O {
        routine(input)
    }

    /// Calls a routine with a reference to an input.
    #[inline(never)]
    fn call_through_with_reference<I, O>(routine: &mut ByReference<'_, I, O>, input: &mut I) -> O {
        routine(input)
    }

    /// Calls a routine with an input. The own instructions count, and so does the routine that is inlined.
    #[inline(never)]
    fn call_with<I, O, R: FnMut(I) -> O>(routine: &mut R, input: I) -> O {
        routine(input)
    }
}

/// Drops the result of a routine. The drop counts.
#[inline(never)]
fn drop_result<O>(_: O) {}
