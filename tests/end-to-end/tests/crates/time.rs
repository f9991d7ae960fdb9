//! The same files with the real Criterion, which measures time.

use end_to_end_tests::{FreshCrate, checkout, run, runner};

const LIBRARY: &str = r#"
#[iai_callgrind::library_benchmark(setup = |n: u64| (0..n).collect::<Vec<_>>())]
#[bench::ten(10)]
#[benches::more(20, 30)]
fn sum(numbers: Vec<u64>) -> u64 {
    numbers.iter().sum()
}

#[cfg(feature = "time")]
iai_callgrind::criterion!();
#[cfg(not(feature = "time"))]
iai_callgrind::main!();
"#;

const CRITERION: &str = r#"
use criterion::{Criterion, black_box, criterion_group, criterion_main};

fn text(criterion: &mut Criterion) {
    criterion.bench_function("text", |bencher| bencher.iter(|| black_box("text").to_owned()));
}

criterion_group!(benches, text);
criterion_main!(benches);
"#;

#[test]
fn a_feature_selects_time_in_place_of_counts() {
    let manifest = format!(
        "\n[[bench]]\nname = \"fresh_time_criterion\"\nharness = false\n\n\
         [dev-dependencies.criterion]\npackage = \"iai-callgrind-criterion\"\npath = \"{}\"\n\n\
         [features]\ntime = [\"criterion/time\", \"iai-callgrind/criterion\"]\n",
        checkout().join("crates/iai-callgrind-criterion").display()
    );
    let crate_ = FreshCrate::new("fresh-time", LIBRARY, &manifest);
    crate_.write("benches/fresh_time_criterion.rs", CRITERION);
    let bench = |arguments: &[&str]| {
        let mut cargo = crate_.cargo_bench();
        cargo
            .args(["--bench=fresh_time_benchmark", "--bench=fresh_time_criterion"])
            .args(arguments);
        run(cargo.env("IAI_CALLGRIND_RUNNER", runner())).expect(0).stdout
    };
    let names = ["functions::sum ten:", "functions::sum more_0:", "functions::sum more_1:"];
    let counted = bench(&[]);
    for name in names.map(|name| format!("fresh_time_benchmark::{name}")) {
        assert!(counted.contains(&name), "{name} is not in\n{counted}");
    }
    assert!(counted.contains("fresh_time_criterion::benches::text\n  Instructions: "), "{counted}");

    let timed = format!(
        "\n{}",
        bench(&[
            // The real Criterion with its plots builds in a third of the time
            "--config=profile.bench.opt-level=0",
            "--features=time",
            "--",
            "--warm-up-time=0.1",
            "--measurement-time=0.1",
            "--sample-size=10",
            "--noplot"
        ])
    );
    assert!(!timed.contains("Instructions"), "{timed}");
    for name in ["functions/sum/ten", "functions/sum/more_0", "functions/sum/more_1", "text"] {
        let start = timed.find(&format!("\n{name} ")).unwrap_or_else(|| panic!("{name}: {timed}"));
        assert!(timed[start..].contains("time:   ["), "{name}: {timed}");
    }
}
