//! Binary benchmarks with features that benchmark files of other harnesses use.

use iai_callgrind::{
    Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Callgrind, Command, Dhat,
    ExitWith, binary_benchmark, binary_benchmark_attribute, binary_benchmark_group, main,
};

const ECHO: &str = env!("CARGO_BIN_EXE_benchmark-tests-echo");
const EXIT_WITH: &str = env!("CARGO_BIN_EXE_benchmark-tests-exit-with");

#[binary_benchmark]
#[bench::one("SIGSEGV", ExitWith::Signal(11))]
#[bench::one_of_two("SIGSEGV", ExitWith::Signals(vec![6, 11]))]
#[bench::other("SIGSEGV", ExitWith::Signals(vec![6, 9]))]
#[bench::none("0", ExitWith::Signal(11))]
fn signals(argument: &str, exit_with: ExitWith) -> Command {
    Command::new(EXIT_WITH).arg(argument).exit_with(exit_with).build()
}

binary_benchmark_group!(name = signal; benchmarks = signals);

#[binary_benchmark(config = BinaryBenchmarkConfig::default().env("LEVEL", "function"))]
#[bench::a("a")]
#[benches::more(args = ["b", "c"])]
fn echo(argument: &str) -> Command {
    Command::new(ECHO).arg(argument).build()
}

binary_benchmark_group!(
    name = attribute;
    benchmarks = |group: &mut BinaryBenchmarkGroup| {
        group.binary_benchmark(binary_benchmark_attribute!(echo)).binary_benchmark(
            BinaryBenchmark::new("other").bench(Bench::new("d").command(Command::new(ECHO).arg("d"))),
        );
    }
);

binary_benchmark_group!(name = twice; compare_by_id = true; benchmarks = echo, echo);

binary_benchmark_group!(
    name = only_dhat;
    config = BinaryBenchmarkConfig::default()
        .tool(Callgrind::default().enable(false))
        .tool(Dhat::default());
    benchmarks = echo
);

/// Returns a command that fails next to another one of its kind.
#[binary_benchmark]
#[benches::command(args = [1, 2, 3])]
fn exclusive(_number: u8) -> Command {
    let lock = std::env::temp_dir().join(format!("iai-callgrind-exclusive-{}", std::process::id()));
    let script = format!("mkdir {0} && sleep 0.2 && rmdir {0}", lock.display());
    Command::new("sh").args(["-c", &script]).build()
}

binary_benchmark_group!(name = limited; max_parallel = 1; benchmarks = exclusive);

main!(binary_benchmark_groups = signal, attribute, twice, only_dhat, limited);
