//! The environment of a result has the dependencies that the benchmark executable contains, and nothing else of the lock
//! file.

use std::fs;

use end_to_end_tests::{FreshCrate, Run, run, runner};

const BENCHMARK: &str = "use iai_callgrind::{library_benchmark, library_benchmark_group, main};
#[library_benchmark]
fn minimum() -> u64 { row_minima::minimum(std::hint::black_box(&[3, 1, 2])) }
library_benchmark_group!(name = group; benchmarks = minimum);
main!(library_benchmark_groups = group);
";

const LIBRARY: &str = "#[inline(never)]
pub fn minimum(row: &[u64]) -> u64 { row.iter().copied().fold(u64::MAX, u64::min) }
";

const FASTER: &str = "#[inline(never)]
pub fn minimum(row: &[u64]) -> u64 { row.iter().copied().min().unwrap_or(u64::MAX) }
";

/// Changes the manifest of the crate.
fn edit(crate_: &FreshCrate, from: &str, to: &str) {
    let manifest = fs::read_to_string(crate_.directory().join("Cargo.toml")).unwrap();
    assert!(manifest.contains(from), "{manifest}");
    crate_.write("Cargo.toml", &manifest.replacen(from, to, 1));
}

fn bench(crate_: &FreshCrate) -> Run {
    let mut cargo = crate_.cargo_bench();
    cargo.args(["--bench", &crate_.file(), "--", "--strict-environment"]);
    run(cargo.env("IAI_CALLGRIND_RUNNER", runner()))
}

#[test]
fn a_release_and_an_unused_dependency_are_the_same_environment_but_an_updated_one_is_not() {
    let mut crate_ = FreshCrate::new("fresh-dependencies", BENCHMARK, "");
    crate_.publish("row-minima", "0.3.1", LIBRARY);
    crate_.publish("row-minima", "0.3.2", FASTER);
    crate_.publish("not-linked", "1.0.0", "pub fn nothing() {}\n");
    let used = "[dev-dependencies]\n\
                row-minima = { version = \"=0.3.1\", registry = \"made-up\" }\n";
    edit(&crate_, "[dev-dependencies]\n", used);
    let first = bench(&crate_).expect(0);
    assert!(first.stdout.contains("minimum"), "{}", first.stdout);

    edit(&crate_, "version = \"0.1.0\"", "version = \"0.2.0\"");
    let unused = "not-linked = { version = \"1\", registry = \"made-up\" }\n\n[[bench]]";
    edit(&crate_, "\n[[bench]]", unused);
    let released = bench(&crate_).expect(0);
    assert!(!released.stdout.contains("Environment differs"), "{}", released.stdout);

    edit(&crate_, "=0.3.1", "=0.3.2");
    let updated = bench(&crate_).expect(1);
    let line = "Environment differs from the old results: dependency row-minima (0.3.1 → 0.3.2)\n";
    assert!(updated.stdout.contains(line), "{}", updated.stdout);
}
