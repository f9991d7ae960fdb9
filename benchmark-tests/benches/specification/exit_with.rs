//! The documented example on the expected exit code, unchanged.

use iai_callgrind::{
    Arg, BinaryBenchmarkConfig, BinaryBenchmarkGroup, ExitWith, Options, Run,
    binary_benchmark_group, main,
};

#[rustfmt::skip]
binary_benchmark_group!(
    name = my_exe_group;
    benchmark = |"my-exe", group: &mut BinaryBenchmarkGroup| {
        group.bench(
            Run::with_arg(
                Arg::empty("some id")
            )
            .options(Options::default().exit_with(ExitWith::Code(100)))
        );
    });

// `my-exe` ends with the exit code that this variable says
main!(
    config = BinaryBenchmarkConfig::default().env("EXIT", "100");
    binary_benchmark_groups = my_exe_group
);
