//! More benchmarks in a file change no instruction of the others, and next to nothing in the caches.

use benchmark_tests::{FreshCrate, Report, run, runner};

const LIBRARY: &str = include_str!("../benches/workloads/mod.rs");
const BENCHMARK: &str = include_str!("fresh/library.rs");

/// How many come in.
const MORE: usize = 50;

/// The benchmark file with more benchmarks at this place, and with a group of theirs.
fn with_more(place: &str) -> String {
    let functions: String = (0..MORE).map(function).collect();
    let names = (0..MORE).map(|number| format!("more_{number}")).collect::<Vec<_>>().join(", ");
    let group = format!("library_benchmark_group!(name = more; benchmarks = {names});\n");
    let mark = format!("//+ {place}\n");
    assert!(BENCHMARK.contains(&mark));
    let groups = if place == "before" { "more, group" } else { "group, more" };
    BENCHMARK.replace(&mark, &(functions + &group)).replace(
        "library_benchmark_groups = group",
        &format!("library_benchmark_groups = {groups}"),
    )
}

/// One of them: with own code and data, with code of the library, and with generic code of the
/// standard library that no other benchmark has.
fn function(number: usize) -> String {
    let attributes = format!("#[library_benchmark]\n#[bench::one({number})]\nfn more_{number}");
    match number % 3 {
        0 => format!("{attributes}(n: u64) -> u64 {{ library::fibonacci(n % 7) + {number} }}\n"),
        1 => format!("{attributes}(n: u64) -> String {{ format!(\"{number} texts: {{n}}\") }}\n"),
        _ => format!("{attributes}(n: u64) -> Vec<[u64; {number}]> {{ vec![[n; {number}]; 3] }}\n"),
    }
}

fn report(crate_: &FreshCrate) -> Report {
    let run = run(crate_.cargo_bench().env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
    let start = run.stdout.find(&format!("{}::", crate_.file())).expect("there are results");
    Report::parse(&run.stdout[start..])
}

/// By how many accesses a metric of the caches may move: what a constant costs that begins elsewhere in
/// its line, and what the loader leaves in the caches when it has more addresses to fill in.
const ACCESSES: u64 = 2;

/// What one access costs more or less when another cache serves it.
fn weight(label: &str) -> u64 {
    match label {
        "Instructions" | "Total read+write" => 0,
        "Estimated Cycles" => 35,
        _ => 1,
    }
}

#[test]
fn fifty_more_benchmarks_change_no_instruction() {
    let crate_ = FreshCrate::new("fresh-library", BENCHMARK, "");
    crate_.write("src/lib.rs", &LIBRARY.replace("pub(crate)", "pub"));
    let plain = report(&crate_);
    for place in ["before", "between", "after"] {
        crate_.write(&format!("benches/{}.rs", crate_.file()), &with_more(place));
        let report = report(&crate_);
        assert_eq!(report.benchmarks.len(), plain.benchmarks.len() + MORE);
        for name in plain.names() {
            for (new, old) in report.get(&name).lines.iter().zip(&plain.get(&name).lines) {
                let moved = new.new.abs_diff(old.new);
                assert!(
                    moved <= ACCESSES * weight(&new.label),
                    "{name}, {place}: {old:?}, {new:?}"
                );
            }
        }
    }
}
