//! DHAT's files.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iai_callgrind_runner::fuzzing::dhat(data));
