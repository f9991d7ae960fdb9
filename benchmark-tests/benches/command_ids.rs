//! Ids of the processes of commands, which are the same in each run.

use iai_callgrind::{
    BinaryBenchmarkConfig, Command, Sandbox, binary_benchmark, binary_benchmark_group, main,
};

/// Runs a script.
fn shell(script: &str) -> Command {
    Command::new("/bin/sh").args(["-c", script]).build()
}

#[binary_benchmark(config = BinaryBenchmarkConfig::default().sandbox(Sandbox::new(true)))]
#[bench::ids(
    "echo $$; sh -c 'echo $$'; /bin/true & echo $!; wait; for process in /proc/[0-9]*; do echo $process; done"
)]
#[bench::signals(
    "trap 'echo own' USR1; kill -USR1 $$; trap '' TERM; kill -TERM 0; echo $$ > own.pid; \
     read id < own.pid; kill -0 $id; echo $?"
)]
fn command(script: &str) -> Command {
    shell(script)
}

#[binary_benchmark]
#[bench::daemon("sleep 1000.25 >&- 2>&- & echo left")]
fn leaves(script: &str) -> Command {
    shell(script)
}

binary_benchmark_group!(name = commands; benchmarks = command);
binary_benchmark_group!(name = bad_commands; benchmarks = leaves);

main!(binary_benchmark_groups = commands, bad_commands);
