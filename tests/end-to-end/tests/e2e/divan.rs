//! Files of divan, unchanged.

#![expect(clippy::float_cmp, reason = "the quotients of counts are always the same")]

use std::collections::BTreeMap;

use serde_json::Value;

use end_to_end_tests::{Suite, objects, run, shared_report, shared_run};

/// Benchmarks of the file with their twins.
const TWINS: [(&str, &str); 6] = [
    ("nothing", "nothing"),
    ("fibonacci/5", "recursion::small"),
    ("fibonacci/10", "recursion::large"),
    ("counting_kept", "counting_kept"),
    ("sort", "sort::ten"),
    ("indexing", "indexing"),
];

const GROUPS: [&str; 3] = ["first", "second_group.inner", "third"];

#[test]
fn a_benchmark_counts_the_same_at_each_place() {
    let report = shared_report("divan_file", &[]);
    for (name, _) in TWINS.into_iter().chain([("sort_refs", "")]) {
        let [first, second, third] =
            GROUPS.map(|group| report.instructions(&format!("{group}::{name}")));
        assert!(first == second && second == third, "{name}: {first}, {second}, {third}");
    }
    assert_eq!(report.instructions("first::nothing"), 1);
    assert_eq!(
        report.instructions("functions::alone"),
        report.instructions("first::counting_kept")
    );
}

#[test]
fn a_benchmark_counts_as_its_twin_among_library_benchmarks() {
    let report = shared_report("divan_file", &[]);
    let twins = shared_report("criterion_twin", &[]);
    let as_twin = |name: &str, twin: &str| {
        let counted = report.instructions(name);
        let expected = twins.instructions(&format!("twins::{twin}"));
        assert!(counted.abs_diff(expected) <= 5, "{name}: {counted}, and {expected} as {twin}");
    };
    for (name, twin) in TWINS {
        as_twin(&format!("first::{name}"), twin);
    }
    as_twin("functions::kinds/Small", "recursion::small");
    as_twin("functions::kinds/Large", "recursion::large");
}

#[test]
fn neither_filters_nor_parallel_benchmarks_change_a_count() {
    let all = shared_report("divan_file", &[]).values();
    let filters =
        [&["second", "--parallel=1"][..], &["--parallel=8"], &["^divan_file::third.*::5$"]];
    for arguments in filters {
        let some = Suite::new("divan_file").report(arguments).values();
        assert!(!some.is_empty());
        for (name, values) in some {
            assert_eq!(values, all[&name], "{name} with {arguments:?}");
        }
    }
}

#[test]
fn each_type_constant_and_argument_is_a_benchmark() {
    let names = shared_report("divan_file", &[]).names();
    let mut expected = Vec::new();
    for type_name in ["Vec<u64>", "BTreeSet<u64>", "VecDeque<u64>"] {
        for constant in [2, 3] {
            for argument in [7, 8] {
                expected.push(format!("functions::combined/{type_name}/{constant}/{argument}"));
            }
        }
    }
    expected.extend(["functions::slices/1".to_owned(), "functions::slices/4".to_owned()]);
    for name in expected {
        assert!(names.iter().any(|other| **other == *name), "{name} in {names:?}");
    }
    let report = shared_report("divan_file", &[]);
    let small = report.instructions("functions::combined/BTreeSet<u64>/2/7");
    assert!(small < report.instructions("functions::combined/BTreeSet<u64>/3/7"));
}

/// Returns the new values of a metric by divan's names.
fn values(arguments: &[&'static str], metric: &str) -> BTreeMap<String, f64> {
    let arguments = [&["--output-format=json"], arguments].concat();
    let summaries = objects(&shared_run("divan_amounts", &arguments).succeeded().stdout);
    let value = |summary: &Value| {
        let name = summary["external_id"].as_str().expect("a name");
        let name = name.strip_prefix("divan_amounts::").expect("the file").to_owned();
        Some((name, summary["tools"][0]["total"][metric]["new"].as_f64()?))
    };
    summaries.iter().filter_map(value).collect()
}

#[test]
fn instructions_are_divided_by_the_counters_of_attributes() {
    let (all, bytes, elements) =
        (values(&[], "Ir"), values(&[], "IrPerByte"), values(&[], "IrPerElement"));
    assert_eq!(all.len(), 5);
    let names = |values: &BTreeMap<String, f64>| values.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&bytes), ["bytes::Input", "group::both", "of_benchers", "of_inputs"]);
    assert_eq!(names(&elements), ["group::both", "group::of_group", "of_benchers", "of_inputs"]);
    assert_eq!(bytes["group::both"], all["group::both"] / 1000.0);
    assert_eq!(elements["group::both"], all["group::both"] / 10.0);
}

#[test]
fn instructions_are_divided_by_the_counters_of_benchers() {
    let (all, bytes, elements) =
        (values(&[], "Ir"), values(&[], "IrPerByte"), values(&[], "IrPerElement"));
    assert_eq!(bytes["of_benchers"], all["of_benchers"] / 1000.0, "not that of the attribute");
    assert_eq!(elements["of_benchers"], all["of_benchers"]);
    assert_eq!(bytes["of_inputs"], all["of_inputs"] / 10.0);
    assert_eq!(elements["of_inputs"], all["of_inputs"] / 4.0);
    // Calls 3 and 4
    let arguments = ["--calls=2", "--warm-up-calls=2"];
    let (all, bytes) = (values(&arguments, "Ir"), values(&arguments, "IrPerByte"));
    assert_eq!(bytes["of_inputs"], all["of_inputs"] / 70.0);
    assert_eq!(bytes["of_benchers"], all["of_benchers"] / 2000.0);
}

#[test]
fn the_command_line_sets_counters_and_numbers_of_calls() {
    let once = values(&[], "Ir");
    let arguments = ["--items-count=4", "--calls=10", "--warm-up-calls=2"];
    let (ten, elements) = (values(&arguments, "Ir"), values(&arguments, "IrPerElement"));
    // Those of benchers are not set by the command line
    for (name, once) in once.into_iter().filter(|(name, _)| name != "of_inputs") {
        assert_eq!(ten[&name], once * 10.0, "{name}");
        assert_eq!(elements[&name], once / 4.0, "{name}");
    }
}

#[test]
fn names_are_those_of_divan_too() {
    let suite = Suite::new("divan_file");
    let list = |arguments: &[&str]| {
        let arguments = [&["--list", "--format=terse", "--sample-count=10"], arguments].concat();
        suite.run(&arguments).expect(0).stdout
    };
    let exact = ["--exact", "divan_file::second/group::inner::fibonacci::5"];
    assert_eq!(list(&exact), "divan_file::second_group.inner::fibonacci/5: benchmark\n");
    assert_eq!(
        list(&["kinds", "--skip", "::Small$"]),
        "divan_file::functions::kinds/Large: benchmark\n"
    );

    let stdout = suite.run(&["combined::Vec<.*::2::7$", "--output-format=json"]).expect(0).stdout;
    let objects = objects(&stdout);
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["external_id"], "divan_file::combined::Vec<u64>::2::7");
    assert_eq!(objects[0]["name"], "divan_file::functions::combined/Vec<u64>/2/7");
}

#[test]
fn ignored_benchmarks_run_on_request() {
    let suite = Suite::new("divan_file");
    let ignored = ["functions::ignored", "second_group.ignored::of_module"];
    let report = suite.report(&["--ignored"]);
    assert_eq!(report.names(), ignored);
    assert_eq!(report.instructions("functions::ignored"), 1);
    let names = suite.report(&["--include-ignored", "ignored"]).names().join(" ");
    let contrary = "second_group.ignored::on_the_contrary";
    assert_eq!(names, [ignored[0], ignored[1], contrary].join(" "));
    assert_eq!(suite.report(&["ignored"]).names(), [contrary]);
}

#[test]
fn a_benchmark_that_cannot_be_counted_fails_and_the_others_run() {
    let run = shared_run("divan_failures", &[]).clone().expect(1);
    let counted = run.report().all_instructions();
    let counted: Vec<_> = counted.keys().map(|name| &**name).collect();
    assert_eq!(counted, ["functions::first", "functions::last", "functions::second_one/1"]);
    for (name, cause) in [
        ("none", "the benchmark counts nothing"),
        ("no_routine", "the benchmark counts nothing"),
        ("panic", "not today"),
        ("second_one/2", "no more than one"),
    ] {
        let error = run.error_of(&format!("divan_failures::functions::{name}"));
        assert!(error.contains(cause), "{name}: {error}");
    }
}

#[test]
fn a_test_runs_each_benchmark_once() {
    let suite = Suite::new("divan_failures");
    let test = |arguments: &[&str]| run(suite.bare().args(arguments));
    let stdout = test(&["first", "last", "panic"]).expect(101).stdout;
    assert!(stdout.contains("test divan_failures::functions::first ... ok"), "{stdout}");
    assert!(stdout.contains("2 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out"));
    let stdout = test(&["--bench", "--test", "first"]).expect(0).stdout;
    assert!(stdout.contains("1 passed; 0 failed"), "{stdout}");
}
