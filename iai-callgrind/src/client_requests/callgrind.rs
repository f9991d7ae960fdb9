//! The requests of `callgrind.h`: what callgrind counts, and when it writes it down.
//!
//! In a benchmark of this crate callgrind counts the benchmark function and nothing else. To count a
//! part of it only, switch collection off and on again with [`toggle_collect`].
//!
//! The tools other than callgrind ignore these requests.

use core::ffi::CStr;

use valgrind_headers::callgrind::{
    DUMP_STATS, DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT,
    ZERO_STATS,
};

use super::request;

/// Writes what was counted up to now to a file of its own, and starts from zero.
#[inline(always)]
pub fn dump_stats() {
    request(0, DUMP_STATS, []);
}

/// Like [`dump_stats`], with a label that the file's `desc: Trigger:` line names.
///
/// ```
/// iai_callgrind::client_requests::callgrind::dump_stats_at(c"after the first pass");
/// ```
#[inline(always)]
pub fn dump_stats_at<T: AsRef<CStr>>(label: T) {
    request(0, DUMP_STATS_AT, [label.as_ref().as_ptr().expose_provenance()]);
}

/// Sets what was counted up to now to zero.
#[inline(always)]
pub fn zero_stats() {
    request(0, ZERO_STATS, []);
}

/// Switches collection on if it is off in this thread, and off if it is on.
///
/// Collection off means that events happen but are not counted: the simulated caches stay warm.
///
/// ```
/// use iai_callgrind::client_requests::callgrind;
///
/// fn parse(text: &str) -> Vec<u64> {
///     // In a benchmark of `parse`, this part shall not count
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
/// Callgrind forgets the contents of the simulated caches then, so what follows has more misses than
/// it would have otherwise.
#[inline(always)]
pub fn start_instrumentation() {
    request(0, START_INSTRUMENTATION, []);
}

/// Stops the instrumentation of all threads, unless it is off already. What runs without it is not
/// counted, and is much faster.
///
/// With the option `--instr-atstart=no` callgrind starts in that state.
#[inline(always)]
pub fn stop_instrumentation() {
    request(0, STOP_INSTRUMENTATION, []);
}
