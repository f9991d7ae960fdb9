//! Documented examples of library benchmarks do what the documentation says. The modules `quickstart`,
//! `compare_by_id`, `captured_output` and `limits` test the examples that have a file of their own.

use end_to_end_tests::{Suite, run};

/// Returns the lines that the benchmarks with these names print, in test mode.
fn printed(filter: &str) -> Vec<String> {
    let run = run(Suite::new("specification").bare().arg(filter)).expect(0);
    let lines = run.stdout.lines().filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("test ") && !line.starts_with("running "));
    lines.map(ToOwned::to_owned).collect()
}

#[test]
fn every_block_runs() {
    let report = Suite::new("specification").run(&[]).expect(0);
    let titles: Vec<_> =
        report.stdout.lines().filter(|line| line.starts_with("specification::")).collect();
    assert_eq!(
        titles,
        [
            "specification::setup_in_the_arguments::bench_fibonacci long:some_setup_func(30)",
            "specification::my_group::my_bench first:21",
            "specification::setup::my_bench first:21",
            "specification::setup::my_bench multiple_0:42",
            "specification::setup::my_bench multiple_1:84",
            "specification::setup::my_bench last:102",
            "specification::teardown::my_bench first:\"1\"",
            "specification::teardown::my_bench multiple_0:\"42\"",
            "specification::teardown::my_bench multiple_1:\"84\"",
            "specification::teardown::my_bench last:\"104\"",
            "specification::short_form::bench_bubble_sort_with_benches_attribute multiple_0:vec! [1]",
            "specification::short_form::bench_bubble_sort_with_benches_attribute multiple_1:vec! [5]",
            "specification::short_form::bench_bubble_sort_with_benches_attribute with_setup_0:1",
            "specification::short_form::bench_bubble_sort_with_benches_attribute with_setup_1:5",
            "specification::written_out::bench_bubble_sort_with_benches_attribute multiple_0:vec! [1]",
            "specification::written_out::bench_bubble_sort_with_benches_attribute multiple_1:vec! [5]",
            "specification::written_out::bench_bubble_sort_with_benches_attribute with_setup_0:setup_worst_case_array(1)",
            "specification::written_out::bench_bubble_sort_with_benches_attribute with_setup_1:setup_worst_case_array(5)",
            "specification::some_name::of_function",
            "specification::some_name::of_bench some_id:1, 2",
            "specification::no_cache_simulation::only_instructions",
        ]
    );
}

#[test]
fn a_set_up_of_a_case_takes_the_place_of_the_functions() {
    assert_eq!(printed("::setup::")[..4], ["21", "42", "84", "112"]);
}

#[test]
fn a_tear_down_gets_what_the_function_returns() {
    let lengths = [1, 2, 2].map(|length| format!("The length of the input string was: {length}"));
    assert_eq!(printed("::teardown::")[..3], lengths, "and `my_other_teardown` got a 3");
}

#[test]
fn the_short_form_is_the_same_as_the_one_written_out() {
    let specification = Suite::new("specification");
    let counts = |group: &str| -> Vec<u64> {
        let report = specification.report(&[&format!("::{group}::")]);
        report.benchmarks.iter().map(|benchmark| benchmark.lines[0].new).collect()
    };
    assert_eq!(counts("short_form"), counts("written_out"));
}

#[test]
fn without_cache_simulation_there_are_only_instructions() {
    let run = Suite::new("specification").run(&["no_cache_simulation"]).expect(0);
    let lines: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(matches!(lines[..], [line] if line.starts_with("  Instructions:")), "{lines:?}");
}

#[test]
fn results_are_in_the_documented_place() {
    let suite = Suite::new("bench_file");
    let _ = suite.report(&[]);
    let directory = "benchmark-tests/bench_file/bench_group/bench_function.short";
    assert!(suite.home().join(directory).is_dir());
}
