//! Times the calls of a case, without Valgrind.
//!
//! A call can take less time than reading the clock. So calls are timed in batches, each with an input of its own, which is
//! made before. The calls wait in memory for the last one.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{BatchTime, Batches};

use crate::repetition::Repetition;
use crate::{message, platform};

/// Number of readings of the clocks of which the shortest counts.
const READINGS: u8 = 8;

/// Times the batches of a case.
#[derive(Debug)]
pub(crate) struct Timing {
    batches: Batches,
    waiting: Waiting,
    times: Vec<Time>,
    /// The clocks at the start of a batch.
    started: Option<Clocks>,
    /// The clocks at the start of a pause.
    paused: Option<Clocks>,
    /// The times of the batch's pauses, of both clocks.
    pauses: (Duration, Duration),
    /// The first batch only warms up.
    is_cold: bool,
    /// The CPU time of a batch without calls.
    reading: Duration,
    /// The calls are repeated for a while, and have no time of their own.
    repetition: Option<Repetition>,
}

/// The time of both clocks.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    cpu: Duration,
    start: Instant,
}

/// The time of a batch.
#[derive(Debug, Clone, Copy)]
struct Time {
    wall: Duration,
    cpu: Duration,
    calls: u16,
}

/// A call that waits for the others of its batch, and then its result.
#[repr(C)]
union Slot<C, R> {
    call: ManuallyDrop<C>,
    result: ManuallyDrop<R>,
}

/// The place of a result.
pub(crate) struct Waits<R>(*mut R);

/// The calls that wait. All have the same type.
#[derive(Debug)]
struct Waiting {
    /// A [`Slot`] for each, one after the other.
    slots: Option<NonNull<u8>>,
    /// The memory of all slots.
    memory: Layout,
    /// The size of a slot.
    size: usize,
    /// Makes the call in a slot.
    call: unsafe fn(*mut u8),
    number: u16,
    /// The address of the stack at the first one.
    stack: usize,
}

impl Timing {
    pub(crate) fn new(batches: Batches) -> Self {
        let times = Vec::with_capacity(batches.number.into());
        Self {
            batches,
            waiting: Waiting::NONE,
            times,
            started: None,
            paused: None,
            pauses: Default::default(),
            is_cold: batches.warm_up,
            reading: Duration::ZERO,
            repetition: None,
        }
    }

    /// Returns one that repeats calls for this long.
    pub(crate) fn repeating(duration: Duration) -> Self {
        Self { repetition: Some(Repetition::new(duration)), ..Self::new(Batches::CALL) }
    }

    /// Returns the calls that are repeated, if they are.
    pub(crate) fn repetition(&mut self) -> Option<&mut Repetition> {
        self.repetition.as_mut()
    }

    /// Leaves the time that reading the clocks takes out of the CPU time.
    pub(crate) fn without_readings(self) -> Self {
        let readings = (0..READINGS).map(|_| Clocks::now().elapsed().1);
        Self { reading: readings.min().unwrap_or_default(), ..self }
    }

    /// Returns the timing of a single call.
    #[cfg(feature = "criterion")]
    pub(crate) fn of_call() -> Self {
        Self::new(Batches::CALL)
    }

    /// Returns `true` if another batch has to run.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.times.len() < usize::from(self.batches.number)
    }

    /// Returns the number of the calls in a batch.
    pub(crate) fn calls(&self) -> u16 {
        self.batches.calls.max(1)
    }

    /// Starts a batch.
    #[inline(never)]
    pub(crate) fn start(&mut self) {
        self.started = Some(Clocks::now());
    }

    /// Ends a batch with all of its calls.
    #[inline(never)]
    pub(crate) fn stop(&mut self) {
        self.stop_after(self.calls());
    }

    /// Starts a pause, whose time does not belong to the batch.
    #[inline(never)]
    pub(crate) fn pause(&mut self) {
        self.paused = Some(Clocks::now());
    }

    /// Ends a pause.
    #[inline(never)]
    pub(crate) fn resume(&mut self) {
        let Some((wall, cpu)) = self.paused.take().map(Clocks::elapsed) else { return };
        self.pauses.0 += wall;
        self.pauses.1 += cpu;
    }

    /// Ends a batch with this number of calls.
    fn stop_after(&mut self, calls: u16) {
        let Some((wall, cpu)) = self.started.take().map(Clocks::elapsed) else { return };
        let (paused_wall, paused_cpu) = std::mem::take(&mut self.pauses);
        if std::mem::take(&mut self.is_cold) {
            return;
        }
        let wall = wall.saturating_sub(paused_wall);
        let cpu = cpu.saturating_sub(self.reading + paused_cpu);
        self.times.push(Time { wall, cpu, calls });
    }

    /// Returns the shortest times of the batches. What the machine does besides only adds time.
    pub(crate) fn shortest(&self, has_threads: bool, measures_itself: bool) -> BatchTime {
        let shortest = |part: fn(&Time) -> Duration| {
            let shortest = self.times.iter().map(part).min().unwrap_or_default();
            u64::try_from(shortest.as_nanos()).unwrap_or(u64::MAX)
        };
        let (wall, cpu) = (shortest(|time| time.wall), shortest(|time| time.cpu));
        let calls = self.times.first().map_or(0, |time| time.calls);
        BatchTime { calls, wall, cpu, has_threads, measures_itself }
    }

    /// Adds a call to those that wait. Returns the place that has its result after [`Self::make_calls`].
    pub(crate) fn add<C: FnOnce() -> R, R>(&mut self, call: C) -> Waits<R> {
        let layout = Layout::new::<Slot<C, R>>();
        let slot = self.waiting.add(layout, call_in_slot::<C, R>, self.calls());
        // SAFETY: the slot has this layout. A union with representation `C` has its fields at its start.
        unsafe { slot.cast::<Slot<C, R>>().write(Slot { call: ManuallyDrop::new(call) }) };
        Waits(slot.cast())
    }

    /// Returns the number of calls that wait.
    pub(crate) fn waiting(&self) -> u16 {
        self.waiting.number
    }

    /// Returns `true` if another call can wait that uses the stack down to this address.
    pub(crate) fn has_space(&mut self, stack: usize) -> bool {
        if self.waiting.number == 1 {
            self.waiting.stack = stack;
        }
        let depth = self.waiting.stack.abs_diff(stack);
        self.waiting.number < self.calls() && depth <= platform::stack_size() / 2
    }

    /// Makes the calls that wait.
    pub(crate) fn make_calls(&mut self) {
        let Waiting { slots: Some(slots), size, call, number, .. } = self.waiting else { return };
        self.waiting.number = 0;
        self.start();
        for index in 0..usize::from(number) {
            // SAFETY: as many slots have a call of this type.
            unsafe { call(slots.as_ptr().add(index * size)) };
        }
        self.stop_after(number);
    }
}

impl<R> Waits<R> {
    /// Takes the result.
    ///
    /// # Safety
    ///
    /// The calls of the batch have been made, and no call of the next one waits.
    pub(crate) unsafe fn result(self) -> R {
        // SAFETY: the caller guarantees it.
        unsafe { self.0.read() }
    }
}

impl Waiting {
    const NONE: Self = Self {
        slots: None,
        memory: Layout::new::<()>(),
        size: 0,
        call: |_| (),
        number: 0,
        stack: 0,
    };

    /// Adds a slot with this layout.
    fn add(&mut self, layout: Layout, call: unsafe fn(*mut u8), most: u16) -> *mut u8 {
        // Without it, a result without size could be at any address
        let size = layout.pad_to_align().size().max(1);
        let slots = *self.slots.get_or_insert_with(|| {
            let size = size.saturating_mul(most.into());
            let memory = Layout::from_size_align(size, layout.align());
            self.memory = memory.unwrap_or_else(|_| panic!("{}", message::BATCH_TOO_LARGE));
            // SAFETY: the size is not zero.
            let memory = unsafe { alloc(self.memory) };
            NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(self.memory))
        });
        (self.size, self.call) = (size, call);
        // SAFETY: a batch has no more calls than slots.
        let slot = unsafe { slots.as_ptr().add(usize::from(self.number) * size) };
        self.number += 1;
        slot
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(slots) = self.slots {
            // SAFETY: the memory was allocated with this layout.
            unsafe { dealloc(slots.as_ptr(), self.memory) };
        }
    }
}

impl Clocks {
    fn now() -> Self {
        // A system call, outside of the time that passes
        let cpu = platform::cpu_time();
        Self { cpu, start: Instant::now() }
    }

    /// Returns the time that has passed and the CPU time of this process.
    fn elapsed(self) -> (Duration, Duration) {
        let wall = self.start.elapsed();
        (wall, platform::cpu_time().saturating_sub(self.cpu))
    }
}

/// Makes the call in a slot, which has the result then.
///
/// # Safety
///
/// The slot has a call of this type.
unsafe fn call_in_slot<C: FnOnce() -> R, R>(slot: *mut u8) {
    let slot = slot.cast::<Slot<C, R>>();
    // SAFETY: the caller guarantees it. The call is taken once.
    unsafe {
        let call = ManuallyDrop::into_inner(ptr::read(&raw const (*slot).call));
        let result = black_box(call());
        slot.write(Slot { result: ManuallyDrop::new(result) });
    }
}

/// Runs code with the stack and the heap at other places. The units are 16 bytes.
pub(crate) fn with_layout<R>(layout: u8, run: &mut dyn FnMut() -> R) -> R {
    let heap = Vec::<u8>::with_capacity(usize::from(layout) * 16 + 1);
    let result = deeper(layout / 4, run);
    drop(black_box(heap));
    result
}

/// Calls the function this many levels deeper on the stack. A level takes a few more than 64 bytes.
#[inline(never)]
fn deeper<R>(levels: u8, run: &mut dyn FnMut() -> R) -> R {
    let mut level = [0_u8; 64];
    black_box(&mut level);
    let result = match levels {
        0 => run(),
        _ => deeper(levels - 1, run),
    };
    black_box(&mut level);
    result
}
