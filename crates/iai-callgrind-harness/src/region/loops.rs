//! The marks of a loop in foreign code, such as a C++ benchmark, whose body is not a function of its own.
//!
//! A caller must be a function whose name starts with `iai_callgrind_plan::protocol::LOOP`: the runner leaves out its own
//! instructions.

use iai_callgrind_plan::protocol::Counting;

use super::{ENTRY_COUNTS, Part, Region};
use crate::timing::Timing;
use iai_callgrind_requests::harness::cachegrind;
use iai_callgrind_requests::harness::callgrind::TOGGLE_COLLECT;

impl Region {
    /// Starts to count or to time. The following code counts.
    #[inline(always)]
    pub fn start_loop(&mut self) {
        if self.timed.is_some() {
            self.timing().map(Timing::start);
            return;
        }
        self.begin(Part::WHOLE);
        match self.measuring.counting {
            Counting::Function => self.switch(true),
            Counting::Marks | Counting::Instrumentation if ENTRY_COUNTS => self.switch(true),
            _ => {}
        }
    }

    /// Stops counting or timing.
    #[inline(always)]
    pub fn end_loop(&mut self) {
        if self.measuring.counting == Counting::Function && self.timed.is_none() {
            self.switch(false);
        }
        if self.timed.is_some() {
            self.timing().map(Timing::stop);
            return;
        }
        self.end(Part::WHOLE);
    }

    /// Stops counting or timing in this thread until [`Self::resume_loop`].
    #[inline(always)]
    pub fn pause_loop(&mut self) {
        if self.timed.is_none() {
            self.switch(false);
        } else {
            self.timing().map(Timing::pause);
        }
    }

    /// Counts or times again after [`Self::pause_loop`].
    #[inline(always)]
    pub fn resume_loop(&mut self) {
        if self.timed.is_none() {
            self.switch(true);
        } else {
            self.timing().map(Timing::resume);
        }
    }

    /// Switches the count of this thread.
    #[inline(always)]
    fn switch(&self, counts: bool) {
        match self.measuring.counting {
            Counting::Function | Counting::Marks => self.request(TOGGLE_COLLECT, 0),
            Counting::Instrumentation if counts => cachegrind::start_instrumentation(),
            Counting::Instrumentation => cachegrind::stop_instrumentation(),
            _ => {}
        }
    }
}
