//! Profilers in files of Criterion.

use std::fs;

use end_to_end_tests::{FreshCrate, checkout, run, runner};

/// A profiler that writes when it starts and stops, and a routine that writes at its first call.
const BENCHMARK: &str = r#"
use std::fs::{OpenOptions, create_dir_all};
use std::io::Write;
use std::path::Path;

use criterion::profiler::Profiler;
use criterion::{Criterion, criterion_group, criterion_main};

fn log(text: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/log");
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    writeln!(file, "{text}").unwrap();
}

struct Log;

impl Profiler for Log {
    fn start_profiling(&mut self, id: &str, directory: &Path) {
        create_dir_all(directory).unwrap();
        log(&format!("start {id}"));
    }

    fn stop_profiling(&mut self, id: &str, directory: &Path) {
        std::fs::remove_dir(directory).unwrap();
        log(&format!("stop {id}"));
    }
}

fn benchmarks(criterion: &mut Criterion) {
    let mut calls = 0_u64;
    criterion.bench_function("add", |b| b.iter(|| {
        calls += 1;
        if calls == 2 { log("second call"); }
    }));
    criterion.bench_function("other", |b| b.iter(|| ()));
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_profiler(Log);
    targets = benchmarks
}
criterion_main!(benches);
"#;

#[test]
fn a_profiler_runs_around_the_calls_of_each_benchmark() {
    let manifest = format!(
        "\n[dev-dependencies.criterion]\npackage = \"iai-callgrind-criterion\"\npath = \"{}\"\n\n\
         [features]\nprofilers = [\"criterion/profilers\"]\n",
        checkout().join("crates/iai-callgrind-criterion").display()
    );
    let crate_ = FreshCrate::new("fresh-profilers", BENCHMARK, &manifest);
    let bench = |features: &[&str], arguments: &[&str]| {
        let mut cargo = crate_.cargo_bench();
        cargo.args(["--bench", &crate_.file()]).args(features).arg("--").args(arguments);
        let run = run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
        let log = crate_.directory().join("log");
        let text = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(log);
        (run, text)
    };
    // The form of Criterion's option
    let profile = ["--profile-time", "0.1"];
    let (run, log) = bench(&["--features=profilers"], &profile);
    assert_eq!(log, "start add\nsecond call\nstop add\nstart other\nstop other\n");
    assert!(!run.stderr.contains("note: the profiler"), "{}", run.stderr);
    assert_eq!(bench(&["--features=profilers"], &["other"]).1, "", "it does not run for counts");

    let (run, log) = bench(&[], &profile);
    assert_eq!(log, "second call\n");
    let note =
        "note: the profiler of `with_profiler` does not run\nhelp: enable the feature `profilers`";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
}
