//! The plan that a benchmark file hands over.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iai_callgrind_runner::fuzzing::plan(data));
