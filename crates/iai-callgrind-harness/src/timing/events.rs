//! Events that the CPU counts, as far as the kernel lets this process see them.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};

use iai_callgrind_plan::protocol::{CpuEvent, EventCounts};
use perf_event_open_sys as kernel;
use perf_event_open_sys::bindings;

/// The counters of the events, those of the main thread in the code of the user.
#[derive(Debug)]
pub(super) struct Events([Result<File, i32>; CpuEvent::ALL.len()]);

impl Events {
    /// Opens the counters.
    pub(super) fn open() -> Self {
        Self(CpuEvent::ALL.map(|event| open(event).map_err(|error| error_number(&error))))
    }

    /// Starts to count at zero.
    pub(super) fn start(&self) {
        for counter in self.0.iter().flatten() {
            // SAFETY: system calls with the descriptor of a counter.
            unsafe {
                kernel::ioctls::RESET(counter.as_raw_fd(), 0);
                kernel::ioctls::ENABLE(counter.as_raw_fd(), 0);
            }
        }
    }

    /// Ends to count.
    pub(super) fn stop(&mut self) -> EventCounts {
        for counter in self.0.iter().flatten() {
            // SAFETY: a system call with the descriptor of a counter.
            unsafe { kernel::ioctls::DISABLE(counter.as_raw_fd(), 0) };
        }
        self.0.each_mut().map(|counter| match counter {
            Ok(counter) => read(counter),
            Err(error) => Err(*error),
        })
    }
}

/// Opens the counter of an event, which does not count yet.
fn open(event: CpuEvent) -> io::Result<File> {
    let config = match event {
        CpuEvent::Cycle => bindings::PERF_COUNT_HW_CPU_CYCLES,
        CpuEvent::Instruction => bindings::PERF_COUNT_HW_INSTRUCTIONS,
        CpuEvent::BranchMiss => bindings::PERF_COUNT_HW_BRANCH_MISSES,
        CpuEvent::CacheMiss => bindings::PERF_COUNT_HW_CACHE_MISSES,
    };
    let mut attributes = bindings::perf_event_attr {
        type_: bindings::PERF_TYPE_HARDWARE,
        config: config.into(),
        read_format: u64::from(
            bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING,
        ),
        ..Default::default()
    };
    attributes.size = u32::try_from(size_of_val(&attributes)).unwrap_or(0);
    attributes.set_disabled(1);
    attributes.set_exclude_kernel(1);
    attributes.set_exclude_hv(1);
    let close_on_exec = bindings::PERF_FLAG_FD_CLOEXEC.into();
    // SAFETY: the attributes are valid during the call, and only this file has the new descriptor.
    unsafe {
        match kernel::perf_event_open(&raw mut attributes, 0, -1, -1, close_on_exec) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(File::from_raw_fd(descriptor)),
        }
    }
}

/// Reads a counter. One that had to share the hardware with others has counted a part only.
fn read(counter: &mut File) -> Result<u64, i32> {
    let mut bytes = [0; 24];
    counter.read_exact(&mut bytes).map_err(|error| error_number(&error))?;
    let [count, enabled, running] = std::array::from_fn(|index| {
        u64::from_ne_bytes(std::array::from_fn(|byte| bytes[8 * index + byte]))
    });
    if running < enabled { Err(libc::EBUSY) } else { Ok(count) }
}

/// Returns the error number, which is never zero.
fn error_number(error: &io::Error) -> i32 {
    error.raw_os_error().filter(|number| *number != 0).unwrap_or(libc::EIO)
}
