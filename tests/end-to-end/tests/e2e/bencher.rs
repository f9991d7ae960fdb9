//! Files of bencher, unchanged, and of libtest with the lines that the guide changes.

#![expect(clippy::float_cmp, reason = "the quotients of counts are always the same")]

use std::collections::BTreeMap;

use end_to_end_tests::{objects, shared_run};

/// Returns the new values of a metric by the names of bencher.
fn values(file: &'static str, metric: &str) -> BTreeMap<String, f64> {
    let run = shared_run(file, &["--output-format=json"]);
    let value = |summary: serde_json::Value| {
        let name = summary["external_id"].as_str().expect("a name").to_owned();
        Some((name, summary["tools"][0]["total"][metric]["new"].as_f64()?))
    };
    objects(&run.stdout).into_iter().filter_map(value).collect()
}

#[test]
fn a_file_of_bencher_counts_unchanged() {
    let counts = values("bencher_file", "Ir");
    let names: Vec<_> = counts.keys().collect();
    assert_eq!(names, ["a", "b", "nothing", "up to 10", "up to 20"]);
    assert_eq!(counts["nothing"], 1.0, "an empty closure");
    assert!(counts["a"] > 1000.0 && counts["up to 20"] > counts["up to 10"], "{counts:?}");
    let per_byte = values("bencher_file", "IrPerByte");
    assert_eq!(per_byte, BTreeMap::from([("b".to_owned(), counts["b"] / 1024.0)]));
}

#[test]
fn benchmarks_that_count_nothing_or_twice_fail_and_the_others_run() {
    let run = shared_run("bencher_file", &["--output-format=json"]).clone().expect(1);
    for (name, reason) in [
        ("counts_nothing", "its function does not call `Bencher::iter`"),
        ("counts_twice", "the benchmark calls `iter` several times"),
    ] {
        run.complains(&[&format!("error: bencher_file::failures::inner::{name}: "), reason]);
    }
}

#[test]
fn a_file_of_libtest_counts_the_same() {
    let (libtest, bencher) = (values("libtest_file", "Ir"), values("bencher_file", "Ir"));
    let names: Vec<_> = libtest.keys().collect();
    assert_eq!(names, ["a", "b", "inner::nothing"], "ignored ones are left out");
    assert_eq!([libtest["a"], libtest["b"]], [bencher["a"], bencher["b"]]);
    assert_eq!(libtest["inner::nothing"], 1.0);
    assert_eq!(values("libtest_file", "IrPerByte").len(), 1);
    let run = shared_run("libtest_file", &["--output-format=json"]).clone().expect(1);
    run.complains(&["error: libtest_file::inner::fails: ", "the benchmark returned an error"]);
}
