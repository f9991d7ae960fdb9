//! The documented example on environment variables, unchanged.

use iai_callgrind::{Arg, BinaryBenchmarkGroup, Run, binary_benchmark_group, main};

#[rustfmt::skip]
binary_benchmark_group!(
    name = my_exe_group;
    benchmark = |"my-exe", group: &mut BinaryBenchmarkGroup| {
        group.bench(Run::with_arg(Arg::empty("some id")).envs(["KEY=VALUE", "KEY"]));
    });

main!(binary_benchmark_groups = my_exe_group);
