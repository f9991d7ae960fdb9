//! The measured region: only the code between `begin` and `end` of [`Region::measure`] counts.
//!
//! Under callgrind, three measures together make the region exact. Callgrind collects in every thread from
//! the start (`--collect-atstart=yes`), but the thread that makes the call stops collecting right before
//! it. The benchmark function collects while it runs (`--toggle-collect`), so that no instruction of the
//! harness counts. The dumps right before and right after the call separate the costs of other threads
//! during the call from their other costs.
//!
//! Collection does not stop any earlier, because callgrind counts calls without collection too, and a dump
//! only resets the calls of functions with collected costs: the calls by the setup would be in the dump
//! after the region.
//!
//! On `AArch64` callgrind does not know which function runs, so requests delimit the count, as in an executable without
//! symbols. The first one is in the function that [`Region::entry`] returns.
//!
//! Cachegrind only instruments the code between its two requests, of which the first one is there too. The other tools
//! have no such requests.
//!
//! DHAT records the call stack of each allocation. Allocations of the benchmark have [`Region::measure`]
//! among their callers, those of setup and teardown do not.

mod loops;

use std::ffi::c_char;
use std::hint::black_box;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iai_callgrind_plan::protocol::{
    BEGIN, Counting, END, LOG_MARKS, LogMark, Mark, MeasuredRegion, Measuring, Message,
};

#[cfg(target_os = "linux")]
use crate::addresses::AddressTable;
use crate::repetition::Repetition;
use crate::timing::Timing;
use crate::{caches, message, platform};
use iai_callgrind_requests::harness::callgrind::{
    DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT, ZERO_STATS,
};
use iai_callgrind_requests::harness::valgrind::RUNNING_ON_VALGRIND;
use iai_callgrind_requests::harness::{cachegrind, callgrind, request, valgrind};

/// `true` if the region is marked in Valgrind's log.
static MARKS_LOG: AtomicBool = AtomicBool::new(false);

/// The function that [`Region::entry`] returns makes the request that starts to count.
const ENTRY_COUNTS: bool = cfg!(counting_entry);

/// Marks the measured region of the running case.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    measuring: Measuring,
    measured: MeasuredRegion,
    /// The executable's addresses of functions and variables.
    #[cfg(target_os = "linux")]
    addresses: AddressTable,
    /// Times the calls, if they do not count.
    timed: Option<Timed>,
    /// No request has an effect.
    is_rehearsal: bool,
    /// The file of the first dump that this process requests, if it is known.
    first_dump: Option<FirstDump>,
}

/// The path of a file, which lives as long as the process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstDump(pub(crate) NonNull<c_char>);

// SAFETY: only the server writes to it, before its case runs.
unsafe impl Send for FirstDump {}

/// A case whose calls are timed.
#[derive(Debug, Clone, Copy)]
struct Timed {
    /// The times of the batches, which live longer than the region.
    timing: NonNull<Timing>,
    /// The code of the case and its item, if it has to run for each call.
    case: Option<CaseCode>,
}

// SAFETY: a `Timing` has no parts that belong to a thread, and only the region that a benchmark has uses it.
unsafe impl Send for Timed {}

/// The code of a case, with its item.
pub(crate) type CaseCode = (fn(&mut Region, usize), usize);

/// The place of a call among the calls of a region.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    is_first: bool,
    is_last: bool,
}

impl Part {
    /// The only call.
    pub(crate) const WHOLE: Self = Self { is_first: true, is_last: true };

    /// Returns the place of the call with this index among this number of calls.
    pub(crate) fn new(index: u16, number: u16) -> Self {
        Self { is_first: index == 0, is_last: index + 1 == number }
    }
}

impl Region {
    pub(crate) fn new(measuring: Measuring) -> Self {
        Self {
            measuring,
            measured: MeasuredRegion::default(),
            #[cfg(target_os = "linux")]
            addresses: AddressTable::default(),
            timed: None,
            is_rehearsal: false,
            first_dump: None,
        }
    }

    /// Returns a region that knows the file of this process's first dump.
    pub(crate) fn with_first_dump(self, first_dump: FirstDump) -> Self {
        Self { first_dump: Some(first_dump), ..self }
    }

    /// Returns a region that reads the executable's table of addresses before it counts.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_addresses(self) -> Self {
        Self { addresses: AddressTable::find(), ..self }
    }

    /// Returns a region that reports that the tool does not see allocations.
    pub(crate) fn with_unseen_allocator(mut self, is_unseen: bool) -> Self {
        self.measured.allocator_unseen = is_unseen;
        self
    }

    /// Runs a batch of calls, which are timed and do not count: of a case, or of code that makes them itself. Returns `true` if
    /// the routine measures itself.
    pub(crate) fn run_batch(
        timing: &mut Timing,
        case: Option<CaseCode>,
        run: impl FnOnce(&mut Self),
    ) -> bool {
        let mut region = Self::new(Measuring::DEFAULT);
        region.timed = Some(Timed { timing: timing.into(), case });
        run(&mut region);
        region.measured.measures_itself
    }

    /// Returns what times the calls, if they do not count.
    fn timing(&mut self) -> Option<&mut Timing> {
        // SAFETY: it lives longer than this region. A call that waits has no region, so nothing else reaches it while calls run.
        self.timed.map(|mut timed| unsafe { timed.timing.as_mut() })
    }

    /// Returns the numbers of warm-up and counted calls.
    #[must_use]
    pub fn calls(&self) -> (u16, u16) {
        match self.timed {
            // SAFETY: it lives longer than this region, and nothing else uses it now.
            Some(Timed { timing, .. }) => (0, unsafe { timing.as_ref() }.calls()),
            None => (self.measuring.warm_up_calls, self.measuring.calls.max(1)),
        }
    }

    /// Returns `true` if the calls are timed and do not count.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.timed.is_some()
    }

    /// Returns `true` if the calls are repeated for a profiler, and neither count nor are timed.
    #[must_use]
    pub fn is_repeated(&mut self) -> bool {
        self.timing().is_some_and(|timing| timing.repetition().is_some())
    }

    /// Notes a call. Returns `true` if the calls are repeated, and another one has to follow.
    #[inline]
    pub fn goes_on(&mut self) -> bool {
        self.timing().and_then(Timing::repetition).is_some_and(Repetition::goes_on)
    }

    /// Notes that the routine measures itself.
    pub fn note_own_measurement(&mut self) {
        self.measured.measures_itself = true;
    }

    /// Makes the measured call, the only code between `begin` and `end`. It is a call of a function that
    /// [`Self::entry`] returned.
    ///
    /// A tail call removes the benchmark function from the stack. This function stays on the stack.
    #[inline(never)]
    pub fn measure<R>(&mut self, call: impl FnOnce() -> R) -> R {
        // Short, because Valgrind translates it in each child, a few instructions at a time
        if self.measure_begin() {
            let result = call();
            self.measure_end();
            return result;
        }
        if self.timed.is_some() {
            return self.time(call);
        }
        self.start_count(Part::WHOLE);
        let result = call();
        self.end(Part::WHOLE);
        result
    }

    /// Times the call, together with others of its case.
    ///
    /// It waits here, and the case runs again, one level deeper on the stack, until there are as many calls as in a batch. The
    /// deepest level makes all of them. Then each level has the result of its call, for its teardown.
    #[cold]
    #[inline(never)]
    fn time<R>(&mut self, call: impl FnOnce() -> R) -> R {
        if self.is_repeated() {
            let result = call();
            self.goes_on();
            return result;
        }
        let waits = self.timing().map(|timing| timing.add(call));
        self.complete_batch();
        match waits {
            // SAFETY: the batch is complete, and each of its levels takes its result before the next batch.
            Some(waits) => unsafe { waits.result() },
            None => unreachable!("the calls of this region are timed"),
        }
    }

    /// Adds the other calls of the batch, and makes all of them.
    #[inline(never)]
    fn complete_batch(&mut self) {
        let here = 0_u8;
        let stack = black_box(&raw const here).addr();
        let case = self.timed.and_then(|timed| timed.case);
        let Some(timing) = self.timing() else { return };
        match case {
            Some((code, item)) if timing.has_space(stack) => code(self, item),
            _ => timing.make_calls(),
        }
        let waits = self.timing().is_some_and(|timing| timing.waiting() > 0);
        assert!(!waits, "{}", message::NO_CALL);
    }

    /// Makes one of several calls, see [`Self::measure_call`].
    #[inline(never)]
    pub(crate) fn measure_part<F: Copy, A: Call<F>>(
        &mut self,
        part: Part,
        function: F,
        arguments: A,
    ) -> A::Output {
        if self.timed.is_some() {
            return self.time_part(part, function, arguments);
        }
        let function = self.entry(function);
        self.begin(part);
        let result = arguments.call(function);
        self.end(part);
        result
    }

    /// Makes one of several calls, which are timed together.
    #[cold]
    #[inline(never)]
    fn time_part<F: Copy, A: Call<F>>(
        &mut self,
        part: Part,
        function: F,
        arguments: A,
    ) -> A::Output {
        if part.is_first {
            self.timing().map(Timing::start);
        }
        let result = arguments.call(function);
        if part.is_last {
            self.timing().map(Timing::stop);
        }
        result
    }

    /// Makes the measured call of a function with these arguments, see [`Self::measure`]. Functions with the same
    /// types share the code around the call, because a user's benchmark file has many of them.
    pub fn measure_call<F: Copy, A: Call<F>>(&mut self, function: F, arguments: A) -> A::Output {
        let function = self.entry(function);
        self.measure(move || arguments.call(function))
    }

    /// Returns the function to call in place of the measured one.
    #[must_use]
    pub fn entry<F: Copy>(&self, function: F) -> F {
        // Two cases and a default: more would be a jump table in the constants of the benchmark file
        #[cfg(counting_entry)]
        match self.measuring.counting {
            Counting::Marks => crate::entry::through(TOGGLE_COLLECT, function),
            Counting::Instrumentation => {
                crate::entry::through(cachegrind::CG_START_INSTRUMENTATION, function)
            }
            _ => function,
        }
        #[cfg(not(counting_entry))]
        function
    }

    /// Begins the region, and starts to count.
    #[inline(always)]
    fn begin(&mut self, part: Part) {
        if part.is_first {
            self.measure_begin();
        }
        self.start_count(part);
    }

    /// Starts to count, where a request directly before the call does it.
    #[inline(always)]
    fn start_count(&self, part: Part) {
        match self.measuring.counting {
            // Everything counts from the dump on
            Counting::Free if part.is_first => self.dump(BEGIN, request),
            Counting::Marks if !ENTRY_COUNTS => callgrind::toggle_collect(),
            Counting::Instrumentation if !ENTRY_COUNTS => cachegrind::start_instrumentation(),
            _ => {}
        }
    }

    /// Stops counting.
    #[inline(always)]
    fn end(&mut self, part: Part) {
        match self.measuring.counting {
            Counting::Marks => callgrind::toggle_collect(),
            Counting::Instrumentation => cachegrind::stop_instrumentation(),
            Counting::Free if part.is_last => self.dump(END, request),
            _ => {}
        }
        if part.is_last {
            self.measure_end();
        }
    }

    /// Begins the region, up to the request that makes a call count. Returns `true` if there is no request directly
    /// before or after the call. Calls that are timed have no region.
    ///
    /// All calls share this code, which the fork server runs before it forks.
    #[inline(never)]
    fn measure_begin(&mut self) -> bool {
        if self.timed.is_some() {
            return false;
        }
        wait_until_idle();
        self.read_addresses();
        self.measured.begin = now();
        let is_plain = matches!(self.measuring.counting, Counting::Function | Counting::Process);
        if !self.has_profile() {
            return is_plain;
        }
        if self.measuring.cold_caches {
            self.request(START_INSTRUMENTATION, 0);
        }
        if self.measuring.counting != Counting::Free {
            self.request(TOGGLE_COLLECT, 0);
        }
        self.request(ZERO_STATS, 0);
        // The dump at the end is the first one otherwise, and needs no mark
        if self.measuring.counting != Counting::Free && self.can_have_dumps() {
            // A dump without costs, which is short
            self.dump(BEGIN, |number, argument| self.request(number, argument));
        }
        is_plain
    }

    /// Returns `false` if this process has surely not requested a dump.
    fn can_have_dumps(&self) -> bool {
        let Some(FirstDump(path)) = self.first_dump.filter(|_| !self.measuring.separate_threads)
        else {
            return true;
        };
        // SAFETY: the path ends with a zero byte.
        !unsafe { platform::is_absent(path.as_ptr()) }
    }

    /// Ends the region after the last request of a call.
    #[inline(never)]
    fn measure_end(&mut self) {
        if self.has_profile() {
            if self.measuring.counting != Counting::Free {
                self.dump(END, |number, argument| self.request(number, argument));
            }
            if self.measuring.cold_caches {
                self.request(STOP_INSTRUMENTATION, 0);
            }
        }
        self.note_end();
    }

    /// Dumps the costs, by this function if threads have no files of their own.
    #[inline(always)]
    fn dump(&self, mark: Mark, request: impl Fn(usize, usize)) {
        if self.measuring.separate_threads {
            valgrind::monitor_command(mark.command);
        } else {
            request(DUMP_STATS_AT, mark.label.as_ptr().expose_provenance());
        }
    }

    /// Makes a request of callgrind, which a rehearsal replaces by one without an effect.
    #[inline(always)]
    fn request(&self, number: usize, argument: usize) {
        request(if self.is_rehearsal { RUNNING_ON_VALGRIND } else { number }, argument);
    }

    /// Runs the code around a call without one, for the fork server: Valgrind translates code when it first runs, and children
    /// inherit what their server has translated.
    pub(crate) fn rehearse(&mut self) {
        self.is_rehearsal = true;
        // A command of the monitor would have an effect
        self.measuring.separate_threads = false;
        self.measure_begin();
        self.measure_end();
    }

    /// Returns a region for one call around which no request has an effect, for the rehearsal of a walk.
    pub(crate) fn without_requests(&self) -> Self {
        // In a function that callgrind knows, each request can be replaced
        let counting = match self.measuring.counting {
            Counting::Function => Counting::Function,
            _ => Counting::Process,
        };
        let measuring = Measuring {
            counting,
            warm_up_calls: 0,
            calls: 1,
            // A command of the monitor would have an effect
            separate_threads: false,
            ..self.measuring
        };
        Self { measuring, is_rehearsal: true, ..*self }
    }

    /// Loads the stack into the last-level cache, where the cases of this server find it.
    pub(crate) fn load_stack(&self) {
        if self.has_warm_caches() {
            caches::load_stack();
        }
    }

    /// Gives each case the same simulated caches to start with.
    pub(crate) fn clear_caches(&self) {
        if self.has_warm_caches() {
            caches::clear();
        }
    }

    /// Loads the addresses that code reads into the simulated data cache, whichever of them share a line.
    #[inline(always)]
    fn read_addresses(&self) {
        #[cfg(target_os = "linux")]
        if self.has_warm_caches() {
            self.addresses.read();
        }
    }

    fn has_warm_caches(&self) -> bool {
        self.has_profile() && !self.measuring.cold_caches
    }

    /// Returns `true` if callgrind counts in a region that dumps delimit.
    pub(crate) fn has_profile(&self) -> bool {
        matches!(self.measuring.counting, Counting::Function | Counting::Marks | Counting::Free)
    }

    #[inline(never)]
    fn note_end(&mut self) {
        let [_, end] = LOG_MARKS;
        write_mark(end);
        separate_processes();
        #[cfg(fixed_surroundings)]
        {
            self.measured.clock_leapt = crate::surroundings::has_leapt();
        }
        self.measured.end = now();
        let lag = nanoseconds(platform::time()).saturating_sub(self.measured.end);
        self.measured.end_lag = i32::try_from(lag).unwrap_or(i32::MAX);
    }

    /// Returns the message of the process with this id about its region.
    pub(crate) fn message(&self, pid: i32, is_unordered: bool) -> Message {
        Message::Region { pid, region: self.measured, is_unordered }
    }
}

/// Arguments of functions of the type `F`.
pub trait Call<F> {
    /// Result of the functions.
    type Output;

    /// Calls the function.
    fn call(self, function: F) -> Self::Output;
}

/// Implements [`Call`] for tuples.
macro_rules! calls {
    ($(($($argument:ident)*))+) => {$(
        impl<R, $($argument),*> Call<fn($($argument),*) -> R> for ($($argument,)*) {
            type Output = R;

            #[inline(always)]
            #[allow(non_snake_case)]
            fn call(self, function: fn($($argument),*) -> R) -> R {
                let ($($argument,)*) = self;
                function($($argument),*)
            }
        }
    )+};
}

calls! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

/// Waits until the threads that setup started are idle, so that their start does not count, and for a tick after its processes.
/// This is the last function before the region that can be longer for some tools without any effect on the code of benchmarks.
#[inline(never)]
fn wait_until_idle() {
    separate_processes();
    #[cfg(fixed_surroundings)]
    {
        crate::surroundings::forgive_lag();
        crate::surroundings::wait_until_idle();
    }
    let [begin, _] = LOG_MARKS;
    write_mark(begin);
}

/// Marks the region in Valgrind's log from now on, or does not.
pub(crate) fn mark_log(is_marked: bool) {
    MARKS_LOG.store(is_marked, Ordering::Relaxed);
}

/// Writes a mark into Valgrind's log, if the runner wants it.
fn write_mark(mark: LogMark) {
    if MARKS_LOG.load(Ordering::Relaxed) {
        valgrind::monitor_command(mark.command);
    }
}

/// Waits for a tick of the clock that file systems use, if this process has started others: the logs of those before and of
/// those after this place then have different times. A forked child can start and end within a tick.
fn separate_processes() {
    if platform::has_started_processes() {
        platform::wait_for_tick();
    }
}

/// Returns the time of the clock that file systems use, in nanoseconds since 1970.
#[inline(never)]
fn now() -> u64 {
    nanoseconds(platform::file_time())
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
