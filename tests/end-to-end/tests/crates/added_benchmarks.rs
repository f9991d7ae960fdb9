//! More benchmarks in a file change no instruction of the others, and next to nothing in the caches.

use end_to_end_tests::{FreshCrate, Report, run, runner};

const LIBRARY: &str = include_str!("../../../../benchmark-tests/benches/workloads.rs");
const BENCHMARK: &str = include_str!("fresh/library.rs");

/// The places in the benchmark file.
const PLACES: [&str; 3] = ["before", "between", "after"];

/// Returns the benchmark file with this many more benchmarks at each of these places, and with groups of theirs.
fn with_more(places: &[&str], number: usize) -> String {
    let mut benchmark = BENCHMARK.to_owned();
    let mut groups = vec!["group".to_owned()];
    for place in places {
        let functions: String = (0..number).map(|number| function(place, number)).collect();
        let names: Vec<_> = (0..number).map(|number| format!("{place}_{number}")).collect();
        let names = names.join(", ");
        let group =
            format!("library_benchmark_group!(name = more_{place}; benchmarks = {names});\n");
        let mark = format!("//+ {place}\n");
        assert!(benchmark.contains(&mark));
        benchmark = benchmark.replace(&mark, &(functions + &group));
        groups.insert(if *place == "before" { 0 } else { groups.len() }, format!("more_{place}"));
    }
    benchmark.replace(
        "library_benchmark_groups = group",
        &format!("library_benchmark_groups = {}", groups.join(", ")),
    )
}

/// Returns one of them: with own code and data, with code of the library, and with generic code of the standard
/// library that no other benchmark has.
fn function(place: &str, number: usize) -> String {
    let attributes = format!("#[library_benchmark]\n#[bench::one({number})]\nfn {place}_{number}");
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

/// Number of accesses by which a cache metric may change: the cost of a constant at another place in its line, and of
/// the lines that the loader leaves in the data cache when it has more addresses to fill in.
const ACCESSES: u64 = 2;

/// Returns the cost of one access that another cache serves.
fn weight(label: &str) -> u64 {
    match label {
        "Instructions" | "Total read+write" => 0,
        "Estimated Cycles" => 35,
        _ => 1,
    }
}

/// Adds benchmarks at each of these lists of places, and compares the others with the file as it was.
fn assert_unchanged(name: &'static str, additions: &[&[&str]], number: usize) {
    // The benchmark file names the library, not the package
    let manifest = "\n[lib]\nname = \"fresh_library\"\n";
    let crate_ = FreshCrate::new(name, BENCHMARK, manifest);
    crate_.write("src/lib.rs", &LIBRARY.replace("pub(crate)", "pub"));
    let plain = report(&crate_);
    for places in additions {
        crate_.write(&format!("benches/{}.rs", crate_.file()), &with_more(places, number));
        let report = report(&crate_);
        assert_eq!(report.benchmarks.len(), plain.benchmarks.len() + places.len() * number);
        for name in plain.names() {
            for (new, old) in report.get(&name).lines.iter().zip(&plain.get(&name).lines) {
                let moved = new.new.abs_diff(old.new);
                assert!(
                    moved <= ACCESSES * weight(&new.label),
                    "{name}, {places:?}: {old:?}, {new:?}"
                );
            }
        }
    }
}

#[test]
fn more_benchmarks_at_all_places_change_no_instruction() {
    // One of each kind
    assert_unchanged("fresh-library", &[&PLACES], 3);
}

#[test]
#[ignore = "long"]
fn fifty_more_benchmarks_at_any_place_change_no_instruction() {
    assert_unchanged("fresh-library-fifty", &PLACES.each_ref().map(std::slice::from_ref), 50);
}
