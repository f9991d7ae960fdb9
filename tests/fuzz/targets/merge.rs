//! The merge of a profile when it is put into its place.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| iai_callgrind_runner::fuzzing::merge(data));
