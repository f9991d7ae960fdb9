//! Requests of `callgrind.h`: collection of costs, and dumps.
//!
//! In a benchmark of this crate, callgrind only counts the benchmark function. To count a part of the
//! function, switch collection off and on again with [`toggle_collect`].
//!
//! Other tools ignore these requests.

use core::ffi::CStr;

use valgrind_headers::callgrind::{
    DUMP_STATS, DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT,
    ZERO_STATS,
};

use super::request;

/// Writes the costs to a new file, and sets them to zero.
#[inline(always)]
pub fn dump_stats() {
    request(0, DUMP_STATS, []);
}

/// Dumps like [`dump_stats`], with a label for the file's `desc: Trigger:` line.
///
/// ```
/// iai_callgrind::client_requests::callgrind::dump_stats_at(c"after the first pass");
/// ```
#[inline(always)]
pub fn dump_stats_at<T: AsRef<CStr>>(label: T) {
    request(0, DUMP_STATS_AT, [label.as_ref().as_ptr().expose_provenance()]);
}

/// Sets all costs to zero.
#[inline(always)]
pub fn zero_stats() {
    request(0, ZERO_STATS, []);
}

/// Switches collection on if it is off in this thread, and off if it is on.
///
/// Without collection, events are simulated but not counted, so the simulated caches stay warm.
///
/// ```
/// use iai_callgrind::client_requests::callgrind;
///
/// fn parse(text: &str) -> Vec<u64> {
///     // A benchmark of `parse` does not count this part
///     callgrind::toggle_collect();
///     println!("{} bytes", text.len());
///     callgrind::toggle_collect();
///     text.split(' ').flat_map(str::parse).collect()
/// }
/// # assert_eq!(parse("1 2"), [1, 2]);
/// ```
#[inline(always)]
pub fn toggle_collect() {
    request(0, TOGGLE_COLLECT, []);
}

/// Starts the instrumentation of all threads, unless it is on already.
///
/// The simulated caches are empty then, so the following code has more misses.
#[inline(always)]
pub fn start_instrumentation() {
    request(0, START_INSTRUMENTATION, []);
}

/// Stops the instrumentation of all threads, unless it is off already. Code without instrumentation is
/// not counted, and is much faster.
///
/// With the option `--instr-atstart=no` callgrind starts without instrumentation.
#[inline(always)]
pub fn stop_instrumentation() {
    request(0, STOP_INSTRUMENTATION, []);
}
