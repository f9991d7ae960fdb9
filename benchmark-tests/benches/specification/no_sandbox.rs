//! The documented example on switching off the sandbox, unchanged.

use iai_callgrind::{BinaryBenchmarkGroup, binary_benchmark_group, main};

#[rustfmt::skip]
binary_benchmark_group!(
    name = my_exe_group;
    benchmark = |group: &mut BinaryBenchmarkGroup| {
        group.sandbox(false);
    });

main!(binary_benchmark_groups = my_exe_group);
