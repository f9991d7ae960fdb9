//! Fixed surroundings can't be lost by accident.

use end_to_end_tests::{FreshCrate, Run, checkout, run, runner};

/// A file of Criterion whose counts depend on random numbers.
const CRITERION: &str = "
use std::collections::HashMap;

use criterion::{Criterion, criterion_group, criterion_main};

fn maps(criterion: &mut Criterion) {
    criterion.bench_function(\"map\", |bencher| {
        bencher.iter(|| (0..1000).map(|n| (n, n)).collect::<HashMap<u64, u64>>());
    });
}

criterion_group!(benches, maps);
criterion_main!(benches);
";

const OWN: &str = "
use std::collections::HashMap;

use iai_callgrind::{library_benchmark, main};

#[library_benchmark]
fn map() -> HashMap<u64, u64> {
    (0..1000).map(|n| (n, n)).collect()
}

main!();
";

const NOTE: &str = "note: counts can differ from run to run: random numbers, clocks and the order of \
     threads are the system's\nhelp: remove the cargo feature `system_surroundings`";

/// Returns a crate whose only dependency is `package` with these features, without the default ones. The harness is built
/// with them for few tests, so without optimizations.
fn crate_of(name: &'static str, benchmark: &str, dependency: &str, features: &str) -> FreshCrate {
    let crate_ = FreshCrate::new(name, benchmark, "");
    let (key, package) = dependency.split_once('=').unwrap_or((dependency, dependency));
    let directory =
        if package == "iai-callgrind" { package.to_owned() } else { format!("crates/{package}") };
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dev-dependencies]\n\
         {key} = {{ package = {package:?}, path = \"{}\", default-features = false, features = [{features}] }}\n\n\
         [[bench]]\nname = {:?}\nharness = false\n\n\
         [profile.bench.package.iai-callgrind-harness]\nopt-level = 0\n",
        checkout().join(directory).display(),
        crate_.file()
    );
    crate_.write("Cargo.toml", &manifest);
    crate_
}

fn bench(crate_: &FreshCrate) -> Run {
    let mut cargo = crate_.cargo_bench();
    let run = run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
    let start = run.stdout.find(&format!("{}::", crate_.file())).expect("there are results");
    Run { stdout: run.stdout[start..].to_owned(), ..run }
}

#[test]
fn a_file_without_default_features_counts_the_same_in_every_run() {
    let dependency = "criterion=iai-callgrind-criterion";
    let crate_ = crate_of("fresh-no-defaults", CRITERION, dependency, "\"fixed_surroundings\"");
    let runs = [(); 2].map(|()| bench(&crate_));
    let [first, second] = [&runs[0], &runs[1]].map(|run| run.report().all_instructions());
    assert_eq!(first.len(), 1);
    assert_eq!(first, second);
    assert!(!runs[1].stderr.contains("counts can differ"), "{}", runs[1].stderr);
}

#[test]
fn a_run_with_the_surroundings_of_the_system_prints_a_note() {
    let features = "\"benchmark\", \"system_surroundings\"";
    let crate_ = crate_of("fresh-system", OWN, "iai-callgrind", features);
    for _ in 0..2 {
        let run = bench(&crate_);
        assert_eq!(run.stderr.matches(NOTE).count(), 1, "{}", run.stderr);
    }
}
