//! Without `--bench`, as `cargo test --benches` starts it, each case runs once and natively.

use benchmark_tests::{Suite, run, tree};

#[test]
fn each_case_runs_without_valgrind() {
    let order = Suite::new("order");
    let run = run(order.bare().env("PATH", order.subdirectory("none"))).expect(0);
    let expected = [
        "test order::numbers::fibonacci::five ... ok",
        "test order::numbers::fibonacci::fifteen ... ok",
        "test order::numbers::bubble_sort::ten ... ok",
        "test order::numbers::bubble_sort::hundred ... ok",
        "test order::numbers::standard_sort::thousand ... ok",
        "test order::texts::string::hundred ... ok",
        "test order::texts::tree::pangram ... ok",
        "test order::texts::copy::kilobyte ... ok",
    ];
    let lines: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("test ")).collect();
    assert_eq!(lines, expected);
    assert_eq!(run.stderr, "");
    assert_eq!(tree(order.root()).into_keys().collect::<Vec<_>>(), ["none/"]);
}

#[test]
fn a_panic_fails_the_test_and_the_others_run() {
    let panics = Suite::new("panics");
    let run = run(&mut panics.bare());
    assert!(run.code.is_some_and(|code| code != 0), "{run:?}");
    for line in [
        "test panics::group::good_before ... ok",
        "test panics::group::panics::always ... FAILED",
        "test panics::group::good_after ... ok",
    ] {
        assert!(run.stdout.contains(line), "no {line:?} in {}", run.stdout);
    }
    assert_eq!(run.stdout.matches("the last benchmark runs").count(), 1, "{}", run.stdout);
    run.complains(&["attempt to divide by zero"]);
}
