//! The documented example on a command for one run, unchanged.

use iai_callgrind::{Arg, BinaryBenchmarkGroup, Run, binary_benchmark_group, main};

#[rustfmt::skip]
binary_benchmark_group!(
    name = my_exe_group;
    benchmark = |group: &mut BinaryBenchmarkGroup| {
        group.bench(Run::with_cmd(env!("CARGO_BIN_EXE_my-exe"), Arg::empty("some id")));
    });

main!(binary_benchmark_groups = my_exe_group);
