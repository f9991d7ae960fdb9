//! Functions with the name of a module, and paths to that module.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

mod my_crate {
    pub mod sort {
        pub fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
            numbers.sort_unstable();
            numbers
        }
    }

    pub fn other() -> usize {
        sort::sorted(Vec::new()).len()
    }
}

use my_crate::*;

#[library_benchmark]
#[bench::id(vec![other() as u32])]
fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort();
    my_crate::sort::sorted(numbers)
}

#[library_benchmark]
#[bench::id(3)]
fn recursive<T: Into<i64>>(number: T) -> i64 {
    match number.into() {
        0 => 0,
        number => recursive::<i64>(number - 1),
    }
}

#[library_benchmark]
fn std() -> usize {
    use ::std;
    std::mem::size_of::<u8>()
}

library_benchmark_group!(name = group; benchmarks = sort, recursive, std);
main!(library_benchmark_groups = group);
