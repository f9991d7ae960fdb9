//! Tables of attributed costs.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iai_callgrind_runner::fuzzing::table(data));
