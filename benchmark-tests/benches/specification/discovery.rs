//! The documented example on finding a binary by its name, unchanged.

use iai_callgrind::{BinaryBenchmarkGroup, binary_benchmark_group, main};

#[rustfmt::skip]
binary_benchmark_group!(
    name = my_exe_group;
    benchmark = |"my-exe", group: &mut BinaryBenchmarkGroup| {});

main!(binary_benchmark_groups = my_exe_group);
