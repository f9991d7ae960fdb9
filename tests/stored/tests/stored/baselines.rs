//! Results that are kept under a name.

use end_to_end_tests::{Report, Suite, assert_unchanged, run, tree};

/// Returns the changes in all lines of a report, without the values.
fn changes(report: &Report) -> Vec<&str> {
    let lines = report.benchmarks.iter().flat_map(|benchmark| &benchmark.lines);
    lines.map(|line| &*line.change).collect()
}

fn all(report: &Report, change: &str) -> bool {
    !report.benchmarks.is_empty() && changes(report).iter().all(|it| *it == change)
}

const NEW: &str = "(*********)";
const SAME: &str = "(No change)";

#[test]
fn a_baseline_is_compared_with_itself_before_it_is_overwritten() {
    let (order, first) = Suite::after("order", &["--save-baseline=main"]);
    assert!(all(&first, NEW));
    assert!(all(&order.report(&["--save-baseline=main"]), SAME));
    let files = tree(&order.directory());
    assert!(files.keys().all(|name| name.contains(".base@main.")), "{:?}", files.keys());
    assert!(all(&order.report(&[]), NEW), "the last result is another one");
}

#[test]
fn a_baseline_stays_as_it_is_when_compared_with() {
    let (order, _) = Suite::after("order", &["--save-baseline=main"]);
    let baselines = || {
        let mut files = tree(&order.directory());
        files.retain(|name, _| name.contains(".base@"));
        files
    };
    let before = baselines();
    for _ in 0..2 {
        assert!(all(&order.report(&["--baseline=main"]), SAME));
        assert_unchanged(&before, &baselines());
    }
    assert!(order.result("texts::tree::pangram", "old.out").is_file(), "results are kept too");
    assert!(all(&order.report(&[]), SAME));
    assert_unchanged(&before, &baselines());
}

#[test]
fn results_are_compared_with_one_baseline_and_saved_as_another() {
    let (order, _) = Suite::with_two_baselines();
    let five = "numbers::fibonacci::five";
    order.pretend_in(five, "base@b.out", 1);
    let before = tree(&order.directory());
    let mut command = order.command();
    command.args(["::five", "--save-baseline=a"]).env("IAI_CALLGRIND_BASELINE", "b");
    let report = run(&mut command).expect(0).report();
    assert_eq!(report.benchmarks[0].lines[0].old, Some(1), "{:?}", report.benchmarks[0]);
    let after = tree(&order.directory());
    assert!(before.keys().eq(after.keys()), "{:?}", after.keys());
    let changed = after.iter().filter(|(name, content)| before[*name] != **content);
    let changed: Vec<_> = changed.map(|(name, _)| &**name).collect();
    assert!(changed.iter().all(|name| name.contains("fibonacci.five.base@a.")), "{changed:?}");
    assert!(changed.iter().any(|name| name.ends_with("base@a.log")), "{changed:?}");
}

#[test]
fn baselines_are_compared_without_running_anything() {
    let (order, saved) = Suite::with_two_baselines();
    let before = tree(&order.directory());
    // There is no Valgrind in PATH
    let mut command = order.command();
    command.args(["--load-baseline=a", "--baseline=b"]).env("PATH", order.subdirectory("none"));
    let loaded = run(&mut command).expect(0).report();
    assert!(all(&loaded, SAME));
    assert_eq!(loaded.values(), saved.values());
    assert_unchanged(&before, &tree(&order.directory()));
}

#[test]
fn a_baseline_without_a_name_is_called_default() {
    let (order, _) = Suite::after("order", &["--save-baseline"]);
    assert!(order.result("texts::tree::pangram", "base@default.out").is_file());
    assert!(all(&order.report(&["--baseline"]), SAME));
    assert!(all(&order.report(&["--baseline=default"]), SAME));
    let _ = order.report(&["--save-baseline=other"]);
    assert!(all(&order.report(&["--load-baseline", "--baseline=other"]), SAME));
}

#[test]
fn variables_stand_for_the_flags() {
    let order = Suite::new("order");
    let with = |variable, name| run(order.command().env(variable, name)).expect(0).report();
    assert!(all(&with("IAI_CALLGRIND_SAVE_BASELINE", "main"), NEW));
    assert!(all(&with("IAI_CALLGRIND_BASELINE", "main"), SAME));
}

#[test]
fn a_missing_baseline_is_named() {
    let (order, _) = Suite::after("order", &["--save-baseline=main"]);
    let before = tree(&order.directory());
    for arguments in [&["--baseline=missing"][..], &["--load-baseline=missing", "--baseline=main"]]
    {
        let run = order.run(arguments).expect(1);
        run.complains(&[
            "error: none of these benchmarks has a baseline `missing`",
            "--save-baseline=missing",
        ]);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert_unchanged(&before, &tree(&order.directory()));
    }
}

#[test]
fn a_benchmark_that_is_newer_than_the_baseline_has_nothing_to_compare_with() {
    let order = Suite::new("order");
    let _ = order.report(&["numbers", "--save-baseline=main"]);
    let report = order.report(&["--baseline=main"]);
    assert_eq!(report.benchmarks.len(), 8);
    for benchmark in &report.benchmarks {
        let expected = if benchmark.name().starts_with("numbers") { SAME } else { NEW };
        assert!(benchmark.lines.iter().all(|line| line.change == expected), "{benchmark:?}");
    }
}

#[test]
fn a_baseline_is_not_compared_with_itself() {
    let (order, _) = Suite::after("order", &["--save-baseline=main"]);
    let run = order.run(&["--load-baseline=main", "--baseline=main"]).expect(2);
    run.complains(&["can't compare the baseline `main` with itself"]);
}

#[test]
fn flags_that_contradict_each_other_are_a_wrong_argument() {
    let order = Suite::new("order");
    let all = ["--save-baseline=a", "--load-baseline=b", "--baseline=c"];
    for arguments in [&all[..2], &all, &["--load-baseline=a"]] {
        let run = order.run(arguments).expect(2);
        run.complains(&["error: the ", "-baseline "]);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_name_cannot_leave_the_output_directory() {
    let order = Suite::new("order");
    for name in ["../../../../out", "a/b", "/tmp/x", "..", ".hidden", ""] {
        for flag in ["--save-baseline", "--baseline"] {
            let run = order.run(&[&format!("{flag}={name}")]).expect(2);
            run.complains(&["error: ", &format!("can't use `{name}` as the name of a baseline\n")]);
            assert_eq!(run.stdout, "");
            let files = tree(order.root());
            assert!(files.is_empty(), "{flag}={name}: {files:?}");
        }
    }
}
