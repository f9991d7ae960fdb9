//! Groups that can't be, fixtures that can't be copied, and links that lead out of fixtures: `WRONG` says
//! which.

use std::env;

use iai_callgrind::{
    Arg, Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Command, Run,
    Sandbox, binary_benchmark_group, main,
};

const ECHO: &str = env!("CARGO_BIN_EXE_benchmark-tests-echo");

fn fixtures(paths: &[String], follow: bool) -> BinaryBenchmarkConfig {
    let mut sandbox = Sandbox::new(true);
    let sandbox = sandbox.fixtures(paths).follow_symlinks(follow);
    let mut config = BinaryBenchmarkConfig::default();
    config.sandbox(sandbox);
    config
}

fn fill(group: &mut BinaryBenchmarkGroup) {
    let mut benchmark = BinaryBenchmark::new("benchmark");
    let path = env::var("FIXTURES").unwrap_or_default();
    match env::var("WRONG").as_deref() {
        Ok("twice") => {
            benchmark.bench(Bench::new("id").command(Command::new(ECHO)));
            benchmark.bench(Bench::new("id").command(Command::new(ECHO)));
        }
        Ok("empty") => {
            group.bench(Run::with_cmd(ECHO, Arg::empty("")));
        }
        Ok("no_command") => {
            group.bench(Run::with_arg(Arg::empty("id")));
        }
        Ok("file") => {
            let mut bench = Bench::new("id");
            match bench.file(path, |line| Ok(Command::new(ECHO).arg(line).build())) {
                Ok(bench) => benchmark.bench(bench),
                Err(error) => panic!("{error}"),
            };
        }
        Ok("same_names") => {
            let paths = [format!("{path}/../other/fixtures"), path];
            benchmark.config(fixtures(&paths, false));
            benchmark.bench(Bench::new("id").command(Command::new(ECHO)));
        }
        Ok("links") => {
            benchmark.config(fixtures(std::slice::from_ref(&path), true));
            benchmark
                .bench(Bench::new("followed").command(Command::new("cat").arg("fixtures/out")));
        }
        _ => {}
    }
    group.binary_benchmark(benchmark);
}

binary_benchmark_group!(name = group; benchmarks = |group: &mut BinaryBenchmarkGroup| fill(group));

main!(binary_benchmark_groups = group);
