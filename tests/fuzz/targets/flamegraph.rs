//! The call graph of a profile, and its stacks.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iai_callgrind_runner::fuzzing::flamegraph(data));
