//! Code that depends on the machine unless it is pinned: functions of the C library that have variants for
//! CPUs, and randomness.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Returns 64 KiB without a zero.
fn bytes() -> Vec<u8> {
    vec![7; 64 * 1024]
}

fn twice() -> (Vec<u8>, Vec<u8>) {
    (bytes(), bytes())
}

fn text() -> CString {
    CString::new(bytes()).unwrap_or_default()
}

#[library_benchmark]
#[bench::kib64(setup = twice)]
fn memcpy((mut to, from): (Vec<u8>, Vec<u8>)) -> Vec<u8> {
    to.copy_from_slice(black_box(&from));
    to
}

#[library_benchmark]
#[bench::kib64(setup = twice)]
fn memcmp((left, right): (Vec<u8>, Vec<u8>)) -> bool {
    left == right
}

#[library_benchmark]
#[bench::kib64(setup = text)]
fn strlen(text: CString) -> (CString, usize) {
    // SAFETY: it ends with a zero byte.
    let length = unsafe { CStr::from_ptr(black_box(text.as_ptr())) }.to_bytes().len();
    (text, length)
}

/// Makes maps of maps, each with keys of its own for the hashes, and sizes that the hashes decide.
#[library_benchmark]
#[bench::thousand(1000)]
fn hash_maps(number: u64) -> HashMap<String, HashMap<u64, usize>> {
    let mut maps: HashMap<String, HashMap<u64, usize>> = HashMap::new();
    for n in 0..number {
        *maps.entry(format!("{}", n % 37)).or_default().entry(n * n % 101).or_default() += 1;
    }
    maps.retain(|key, map| key.len() + map.len() > 2);
    maps
}

library_benchmark_group!(name = libc; benchmarks = memcpy, memcmp, strlen);
library_benchmark_group!(name = random; benchmarks = hash_maps);

main!(library_benchmark_groups = libc, random);
