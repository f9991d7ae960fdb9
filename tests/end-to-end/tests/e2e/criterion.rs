//! Files of Criterion, unchanged.

#![expect(clippy::float_cmp, reason = "the quotients of counts are always the same")]

use std::collections::BTreeMap;

use serde_json::Value;

use end_to_end_tests::{Report, Suite, objects, run, shared_report, shared_run};

/// Benchmarks of the file with their twins.
const TWINS: [(&str, &str); 7] = [
    ("nothing", "nothing"),
    ("fibonacci/5", "recursion::small"),
    ("fibonacci/10", "recursion::large"),
    ("count up", "counting"),
    ("count up/kept", "counting_kept"),
    ("sort", "sort::ten"),
    ("index", "indexing"),
];

const GROUPS: [&str; 3] = ["first", "second", "third_with.signs"];

#[test]
fn a_benchmark_counts_the_same_at_each_place() {
    let report = shared_report("criterion_file", &[]);
    for (name, _) in TWINS {
        let [first, second, third] =
            GROUPS.map(|group| report.instructions(&format!("{group}::{name}")));
        assert!(first == second && second == third, "{name}: {first}, {second}, {third}");
    }
    assert_eq!(report.instructions("first::nothing"), 1);
    assert_eq!(report.instructions("benches::alone"), report.instructions("first::count up"));
}

/// Fails unless each benchmark counts the same as its twin, within this many instructions.
#[track_caller]
fn assert_equal_to_twins(report: &Report, twins: &Report, tolerance: u64) {
    for (name, twin) in TWINS {
        let counted = report.instructions(&format!("first::{name}"));
        let expected = twins.instructions(&format!("twins::{twin}"));
        let difference = counted.abs_diff(expected);
        assert!(difference <= tolerance, "{name}: {counted}, and {expected} as {twin}");
    }
}

#[test]
fn a_benchmark_counts_as_its_twin_among_library_benchmarks() {
    let report = shared_report("criterion_file", &[]);
    assert_equal_to_twins(&report, &shared_report("criterion_twin", &[]), 5);
}

#[test]
fn a_benchmark_that_is_not_optimized_counts_as_its_twin() {
    let report = Suite::unoptimized("criterion_file").report(&["first"]);
    // An empty routine is its return, without a frame of the library
    assert_eq!(report.instructions("first::nothing"), 1);
    assert_equal_to_twins(&report, &Suite::unoptimized("criterion_twin").report(&[]), 5);
}

#[test]
fn callers_in_the_names_of_functions_change_no_count() {
    let report = shared_report("criterion_file", &[]);
    let arguments = ["first", "--callgrind-args=--separate-callers=2"];
    let separate = Suite::new("criterion_file").report(&arguments);
    for (name, _) in TWINS {
        let name = format!("first::{name}");
        assert_eq!(separate.instructions(&name), report.instructions(&name), "{name}");
    }
}

#[test]
fn neither_filters_nor_parallel_benchmarks_change_a_count() {
    let all = shared_report("criterion_file", &[]).values();
    for arguments in [&["second", "--parallel=1"][..], &["--parallel=8"], &["^third.*/5$"]] {
        let some = Suite::new("criterion_file").report(arguments).values();
        assert!(!some.is_empty());
        for (name, values) in some {
            assert_eq!(values, all[&name], "{name} with {arguments:?}");
        }
    }
}

#[test]
fn other_tools_count_as_for_the_twin() {
    for (tool, metric) in [("dhat", "TotalBlocks"), ("memcheck", "Errors")] {
        let arguments = [&*format!("--default-tool={tool}"), "--output-format=json"];
        let counted = |file, name| {
            let run = shared_run(file, &[&arguments[..], &["--exact", name]].concat()).succeeded();
            let summary = objects(&run.stdout).remove(0);
            summary["tools"][0]["total"][metric]["new"]
                .as_u64()
                .unwrap_or_else(|| panic!("{summary}"))
        };
        let expected = counted("criterion_twin", "criterion_twin::twins::counting");
        for name in ["first/count up", "second/count up"] {
            let found = counted("criterion_file", name);
            assert!(found.abs_diff(expected) <= 5, "{tool}: {found} and {expected}");
        }
    }
}

/// Returns the new values of a metric by Criterion's names.
fn values(arguments: &[&'static str], metric: &str) -> BTreeMap<String, f64> {
    values_of("criterion_amounts", arguments, metric)
}

fn values_of(file: &'static str, arguments: &[&str], metric: &str) -> BTreeMap<String, f64> {
    let arguments = [&["--output-format=json"], arguments].concat();
    let summaries = objects(&shared_run(file, &arguments).succeeded().stdout);
    let value = |summary: &Value| {
        let name = summary["external_id"].as_str().expect("a name").to_owned();
        Some((name, summary["tools"][0]["total"][metric]["new"].as_f64()?))
    };
    summaries.iter().filter_map(value).collect()
}

#[test]
fn instructions_are_divided_by_the_amount_of_data() {
    let (all, bytes, elements) =
        (values(&[], "Ir"), values(&[], "IrPerByte"), values(&[], "IrPerElement"));
    assert_eq!(bytes.keys().collect::<Vec<_>>(), ["amounts/bytes"]);
    assert_eq!(elements.keys().collect::<Vec<_>>(), ["amounts/elements"]);
    assert_eq!(bytes["amounts/bytes"], all["amounts/bytes"] / 1000.0);
    assert_eq!(elements["amounts/elements"], all["amounts/elements"] / 10.0);
}

#[test]
fn the_code_of_criterions_book_counts() {
    let counts = values_of("criterion_book", &[], "Ir");
    assert_eq!(counts.len(), 28, "{counts:?}");
    for name in ["sample-size-example/my-function", "cycles", "profiled"] {
        assert_eq!(counts[name], 1.0, "an empty routine: {name}");
    }
    let scaled = counts.iter().filter(|(name, _)| name.starts_with("log_scale_example/"));
    let scaled: Vec<_> = scaled.map(|(_, count)| *count).collect();
    assert_eq!(scaled, [scaled[0]; 7]);
    assert!(counts["small/looped"] > 10_000.0 * (counts["small/unlooped"] - 4.0));
    let per_byte = values_of("criterion_book", &[], "IrPerByte");
    assert_eq!(per_byte.len(), 6, "{per_byte:?}");
    assert_eq!(per_byte["from_elem/4096"], counts["from_elem/4096"] / 4096.0);
}

#[test]
fn several_calls_add_up_and_show_their_mean() {
    let once = values(&[], "Ir");
    // The C library keeps seven freed blocks for the next requests
    let calls = ["--calls=5", "--warm-up-calls=2"];
    let (five, elements) = (values(&calls, "Ir"), values(&calls, "IrPerElement"));
    assert_eq!(values(&calls, "IrPerByte")["amounts/bytes"], once["amounts/bytes"] / 1000.0);
    for name in ["amounts/bytes", "amounts/elements", "batched"] {
        assert_eq!(five[name], once[name] * 5.0, "{name}");
    }
    assert_eq!(elements["batched"], once["batched"]);
}

#[test]
fn a_routine_that_measures_itself_has_a_note() {
    let run = shared_run("criterion_amounts", &["--output-format=json"]);
    let note = "note: criterion_amounts::benches::itself: the routine of `iter_custom` measures a part of itself, \
                and all of it counts";
    assert_eq!(run.stderr.matches("note:").count(), 1, "{}", run.stderr);
    run.complains(&[note]);
}

#[test]
fn names_are_those_of_criterion_too() {
    let suite = Suite::new("criterion_file");
    let stdout = suite.run(&["--list", "--format=terse", "--exact", "third/with::signs/sort"]);
    assert_eq!(stdout.expect(0).stdout, "criterion_file::third_with.signs::sort: benchmark\n");
    let stdout = suite.run(&["--list", "--format=terse", "^twice$"]).expect(0).stdout;
    let twice = "criterion_file::others::twice: benchmark\n\
                 criterion_file::others::twice #2: benchmark\n";
    assert_eq!(stdout, twice);

    let stdout = suite.run(&["^first/fib.*/5", "--output-format=json"]).expect(0).stdout;
    let objects = objects(&stdout);
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["external_id"], "first/fibonacci/5");
    assert_eq!(objects[0]["name"], "criterion_file::first::fibonacci/5");
}

#[test]
fn baselines_work_as_with_criterion() {
    let (suite, _) = Suite::after("criterion_file", &["^second", "--save-baseline", "main"]);
    let compared =
        suite.report(&["^second/sort$", "--baseline", "main", "--noplot", "--sample-size", "10"]);
    assert_eq!(compared.names(), ["second::sort"]);
    assert_eq!(compared.benchmarks[0].lines[0].change, "(No change)");
    let _ = suite.run(&["^second/sort$", "--baseline", "none"]).expect(1);
    let lenient = suite.report(&["^second/sort$", "--baseline-lenient", "none"]);
    assert_eq!(lenient.names(), ["second::sort"]);
    let _ = suite.report(&["^second", "--save-baseline", "other"]);
    let loaded = suite.report(&["^second/sort$", "--load-baseline", "other", "--baseline", "main"]);
    assert_eq!(loaded.benchmarks[0].lines[0].change, "(No change)");
}

#[test]
fn a_benchmark_that_cannot_be_counted_fails_and_the_others_run() {
    let run = shared_run("criterion_failures", &[]);
    let run = run.clone().expect(1);
    let counted: BTreeMap<_, _> = run.report().all_instructions();
    assert_eq!(counted.keys().collect::<Vec<_>>(), ["benches::first", "benches::last"]);
    for (name, cause) in [
        ("several", "the benchmark calls several methods of `Bencher`"),
        ("none", "the benchmark counts nothing"),
        ("panic", "not today"),
        ("native", "the file panicked under Valgrind before it came to the benchmark"),
        ("behind", "no PATH"),
    ] {
        let error = run.error_of(&format!("criterion_failures::benches::{name}"));
        assert!(error.contains(cause), "{name}: {error}");
    }
}

#[test]
fn threads_of_the_file_run_in_its_benchmarks() {
    let report = shared_report("criterion_threads", &[]);
    let counts = ["before", "with", "after", "sent"];
    let counts = counts.map(|name| report.instructions(&format!("benches::{name}")));
    let before = counts[0];
    assert_eq!(counts, [before; 4]);
    assert!(report.instructions("benches::in") > before);
}

#[test]
fn a_test_runs_each_benchmark_once() {
    let suite = Suite::new("criterion_failures");
    let mut tests = suite.bare();
    let tests = tests.env("PATH", "/usr/bin").args(["first", "last", "panic"]);
    let stdout = run(tests).expect(101).stdout;
    assert!(stdout.contains("test criterion_failures::benches::first ... ok"), "{stdout}");
    assert!(stdout.contains("2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out"));
    let mut tests = suite.bare();
    let as_with_cargo_bench = ["--bench", "--test", "first"];
    let stdout = run(tests.env("PATH", "/usr/bin").args(as_with_cargo_bench)).expect(0).stdout;
    assert!(stdout.contains("1 passed; 0 failed"), "{stdout}");
}

#[test]
fn with_cold_caches_setups_are_not_simulated_and_instructions_are_the_same() {
    let warm = shared_report("criterion_file", &[]);
    let cold = Suite::new("criterion_file").report(&["first", "--cold-caches"]);
    for (name, _) in TWINS {
        let name = format!("first::{name}");
        assert_eq!(cold.instructions(&name), warm.instructions(&name), "{name}");
    }
    let ram = |report: &Report| report.values()["first::sort"][3];
    assert!(ram(&cold) > ram(&warm), "{} and {}", ram(&cold), ram(&warm));
}
