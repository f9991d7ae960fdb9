//! Counts of callgrind and cachegrind.

use std::hint::black_box;

use iai_callgrind::client_requests::{cachegrind, callgrind};

/// Much more than anything else that the program does
const MANY: u32 = 1_000_000;

/// Much less, and much more than a request needs
const SOME: u32 = 10_000;

/// Counts `SOME`, with `--collect-atstart=no`
pub(crate) fn toggle() {
    work(MANY);
    callgrind::toggle_collect();
    work(SOME);
    callgrind::toggle_collect();
    work(MANY);
}

/// Leaves `SOME` and the end of the program
pub(crate) fn zero() {
    work(MANY);
    callgrind::zero_stats();
    work(SOME);
    callgrind::toggle_collect();
}

/// Makes three parts: `MANY`, `SOME`, and the end of the program
pub(crate) fn dumps() {
    work(MANY);
    callgrind::dump_stats();
    work(SOME);
    callgrind::dump_stats_at(c"some");
}

/// Counts `SOME`, with `--instr-atstart=no`
pub(crate) fn instrumentation() {
    work(MANY);
    callgrind::start_instrumentation();
    work(SOME);
    callgrind::stop_instrumentation();
    work(MANY);
}

/// Counts `SOME`, with `--instr-at-start=no` and a Valgrind that knows it
pub(crate) fn cachegrind() {
    work(MANY);
    cachegrind::start_instrumentation();
    work(SOME);
    cachegrind::stop_instrumentation();
    work(MANY);
}

/// Executes about `turns` times the same few instructions.
#[inline(never)]
fn work(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}
