//! No events of the CPU: this system has another interface for them.

use iai_callgrind_plan::protocol::{CpuEvent, EventCounts};

/// The error number of a system call that is not there.
const NO_SYSTEM_CALL: i32 = 38;

/// The counters of no events.
#[derive(Debug)]
pub(super) struct Events;

impl Events {
    pub(super) fn open() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "the signature of other systems")]
    pub(super) fn start(&self) {}

    #[expect(clippy::unused_self, reason = "the signature of other systems")]
    pub(super) fn stop(&mut self) -> EventCounts {
        [Err(NO_SYSTEM_CALL); CpuEvent::ALL.len()]
    }
}
