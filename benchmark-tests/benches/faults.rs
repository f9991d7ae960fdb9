//! Benchmarks of the fault suite: functions whose counts depend on the variable `SIZE`, one of them with a process
//! of its own.

use std::process::Command;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn numbers(factor: u32) -> Vec<u32> {
    let size: u32 = std::env::var("SIZE").ok().and_then(|size| size.parse().ok()).unwrap_or(10);
    (0..size * factor).rev().collect()
}

#[library_benchmark(setup = numbers)]
#[bench::once(1)]
#[bench::twice(2)]
fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

#[library_benchmark(setup = numbers)]
#[bench::once(1)]
fn copy(numbers: Vec<u32>) -> Vec<Vec<u32>> {
    vec![numbers; 3]
}

#[library_benchmark(setup = numbers)]
#[bench::once(1)]
fn start(numbers: Vec<u32>) -> Vec<u32> {
    let status = Command::new("/bin/true").status().unwrap();
    assert!(status.success());
    numbers.into_iter().rev().collect()
}

library_benchmark_group!(name = group; benchmarks = sort, copy, start);

main!(library_benchmark_groups = group);
