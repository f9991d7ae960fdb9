//! Groups that a function fills, in the older and in the newer spelling, with what runs around them.

use std::fs;

use iai_callgrind::{
    Arg, Bench, BenchmarkId, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Command,
    ExitWith, Fixtures, Run, binary_benchmark_group, main,
};

const LINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/lines.txt");

/// Writes a line to a file outside of the sandbox, if the test asks for it.
fn hook(name: &str) {
    use std::io::Write;
    if let Ok(path) = std::env::var("HOOKS") {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        writeln!(file, "{name}").unwrap();
    }
}

fn before() {
    hook("before");
    fs::write("of_before.txt", "before").unwrap();
}

fn set_up() {
    hook("setup");
    fs::write("of_setup.txt", "setup").unwrap();
}

fn tear_down() {
    hook("teardown");
    assert!(fs::exists("of_setup.txt").unwrap(), "it runs where the set-up ran");
}

fn after() {
    hook("after");
    assert!(fs::exists("of_before.txt").unwrap(), "it runs where `before` ran");
    assert!(!fs::exists("of_setup.txt").unwrap(), "each command has a sandbox of its own");
}

binary_benchmark_group!(
    name = older;
    before = before;
    setup = set_up;
    teardown = tear_down;
    after = after;
    config = BinaryBenchmarkConfig::default().fixtures(Fixtures::new("fixtures"));
    benchmark = |"benchmark-tests-cat", group: &mut BinaryBenchmarkGroup| {
        group
            .bench(Run::with_arg(Arg::new("fixture, before & setup", [
                "fixtures/test1.txt", "of_before.txt", "of_setup.txt",
            ])))
            .bench(
                Run::with_args([Arg::new("a", ["of_setup.txt"]), Arg::new("b", ["of_before.txt"])])
                    .arg(Arg::empty("nothing")),
            )
            .bench(Run::with_arg(Arg::new("missing", ["missing.txt"])).exit_with(ExitWith::Code(1)))
            .bench(Run::with_cmd("echo", Arg::empty("other command")));
    }
);

binary_benchmark_group!(
    name = measured;
    before = before, bench = true;
    setup = set_up, bench = true;
    teardown = tear_down, bench = true;
    after = after, bench = true;
    benchmark = |"benchmark-tests-cat", group: &mut BinaryBenchmarkGroup| {
        group.bench(Run::with_args([
            Arg::new("first", ["of_before.txt"]),
            Arg::new("second", ["of_setup.txt"]),
        ]));
    }
);

binary_benchmark_group!(
    name = newer;
    setup = hook("group setup");
    teardown = hook("group teardown");
    benchmarks = |group: &mut BinaryBenchmarkGroup| {
        let mut benchmark = BinaryBenchmark::new("printing");
        benchmark
            .setup(set_up)
            .bench(Bench::new("own").teardown(tear_down).command(
                Command::new(env!("CARGO_BIN_EXE_benchmark-tests-echo")).arg("own"),
            ))
            .bench(Bench::new(BenchmarkId::with_parameter("many", 3)).commands(
                ["a", "b"].map(|it| Command::new("echo").arg(it).build()),
            ));
        group.binary_benchmark(benchmark).binary_benchmark(
            BinaryBenchmark::new("lines").bench(
                Bench::new("of file")
                    .file(LINES, |line| Ok(Command::new("echo").arg(line).build()))
                    .unwrap(),
            ),
        )
    }
);

binary_benchmark_group!(
    name = without_a_sandbox;
    before = assert!(fs::exists("Cargo.toml").unwrap());
    setup = assert!(fs::exists("Cargo.toml").unwrap());
    benchmark = |group| {
        group.sandbox(false);
        group.bench(Run::with_cmd("ls", Arg::new("manifest", ["Cargo.toml"])));
    }
);

main!(binary_benchmark_groups = older, measured, newer, without_a_sandbox);
