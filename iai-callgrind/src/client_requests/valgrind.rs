//! The requests of `valgrind.h`.

use std::ffi::CStr;

use valgrind_headers::core::{GDB_MONITOR_COMMAND, RUNNING_ON_VALGRIND};

use super::{arch, request_with};

/// How many Valgrinds the program runs under: 0 natively.
pub(crate) fn running_on_valgrind() -> usize {
    arch::request(0, &[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0])
}

/// Executes a command as gdb's `monitor` does.
#[inline(always)]
pub(crate) fn monitor_command(command: &'static CStr) {
    request_with(GDB_MONITOR_COMMAND, command.as_ptr().addr());
}
