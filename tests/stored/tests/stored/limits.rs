//! Limits: when they are broken, the message, and the exit code.

use end_to_end_tests::{LOADED, Suite, grouped, names_of_results, run};

/// A benchmark that counts several hundred instructions.
const TEN: &str = "numbers::bubble_sort::ten";

#[test]
fn there_are_no_limits_by_default() {
    let (order, _) = Suite::with_two_baselines();
    order.pretend_in(TEN, "base@a.out", 1);
    let report = order.load(&["bubble_sort"]).expect(0).report();
    assert!(report.get(TEN).lines[0].change.starts_with("(+"));
    assert!(report.get(TEN).regressions.is_empty());
    assert!(report.summary.starts_with("Ok, 1 worse. 2 benchmarks ran, 0 regressed, in "));
}

#[test]
fn a_soft_limit_fails_the_run_with_exit_code_3() {
    let (order, first) = Suite::after("order", &["bubble_sort"]);
    let counted = first.instructions(TEN);
    order.pretend(TEN, 100);
    let report = order.run(&["--callgrind-limits=ir=5%", "bubble_sort"]).expect(3).report();

    let [message] = &*report.get(TEN).regressions else { panic!("{report:?}") };
    let end = format!(" % (limit +5 %): 100 → {}", grouped(counted));
    assert!(message.starts_with("Instructions +") && message.ends_with(&end), "{message}");
    assert_eq!(report.regressions, [&*report.get(TEN).title, &**message], "again at the end");
    assert!(report.get("numbers::bubble_sort::hundred").regressions.is_empty());
    assert!(report.summary.starts_with("Regressed. 2 benchmarks ran, 1 regressed, in "));

    // The result is kept like any other
    let next = order.report(&["--callgrind-limits=ir=5%", "bubble_sort"]);
    assert!(next.get(TEN).lines.iter().all(|line| line.change == "(No change)"));
}

#[test]
fn the_older_spelling_works_too() {
    let (order, _) = Suite::with_two_baselines();
    order.pretend_in(TEN, "base@a.out", 100);
    let mut command = order.command();
    command.args(LOADED).arg("bubble_sort").env("IAI_CALLGRIND_REGRESSION", "ir=5");
    assert_eq!(run(&mut command).expect(3).report().get(TEN).regressions.len(), 1);
    let both = ["--regression=ir=5", "--callgrind-limits=ir=10000%", "bubble_sort"];
    let _ = order.load(&both).expect(0);
}

#[test]
fn a_hard_limit_needs_no_earlier_run() {
    let order = Suite::new("order");
    let mut command = order.command();
    command.arg("bubble_sort").env("IAI_CALLGRIND_CALLGRIND_LIMITS", "@default=0%,ir=1000");
    let report = run(&mut command).expect(3).report();
    let name = "numbers::bubble_sort::hundred";
    let counted = report.instructions(name);
    let message = format!("Instructions {} (limit 1,000)", grouped(counted));
    assert_eq!(report.get(name).regressions, [message]);
    assert!(report.get(TEN).regressions.is_empty());
}

#[test]
fn a_limit_for_improvements() {
    let (order, first) = Suite::with_two_baselines();
    let counted = first.instructions(TEN);
    order.pretend_in(TEN, "base@a.out", 2 * counted);
    let report = order.load(&["--callgrind-limits=ir=-10%", "bubble_sort"]).expect(3).report();
    let [old, new] = [2 * counted, counted].map(grouped);
    let message = format!("Instructions -50 % (limit -10 %): {old} → {new}");
    assert_eq!(report.get(TEN).regressions, [message]);
}

#[test]
fn baselines_are_held_against_limits_without_running() {
    let (order, _) = Suite::with_two_baselines();
    let load = ["--callgrind-limits=ir=1", "bubble_sort"];
    assert_eq!(order.load(&load).expect(3).report().get(TEN).regressions.len(), 1);
}

#[test]
fn the_first_broken_limit_can_end_the_run() {
    let order = Suite::new("order");
    for how in ["--regression-fail-fast", "--regression-fail-fast=yes"] {
        let report = order.run(&["--callgrind-limits=ir=1", how]).expect(3).report();
        assert_eq!(report.names(), ["numbers::fibonacci::five"]);
        assert!(report.summary.starts_with("Regressed. 1 benchmark ran, 1 regressed, in "));
        let mut stored = names_of_results(&order.home());
        stored.retain(|name| name.contains("order"));
        assert!(
            !stored.is_empty() && stored.iter().all(|name| name.contains("five")),
            "{stored:?}"
        );
    }
    let all =
        order.run(&["--callgrind-limits=ir=1", "--regression-fail-fast=no"]).expect(3).report();
    assert_eq!(all.names().len(), 8);
}

#[test]
fn a_meaningless_limit_is_a_wrong_argument() {
    let order = Suite::new("order");
    for (limits, message) in [
        ("ir", "write `ir=5%`"),
        ("cycles=5%", "unknown metric `cycles`"),
        ("@hits=5%", "unknown group `@hits` of metrics"),
        ("ir=5.5", "a percentage like `5%`"),
    ] {
        order.run(&[&format!("--callgrind-limits={limits}")]).expect(2).complains(&[message]);
    }
    assert!(!order.home().exists(), "nothing ran");
}
