//! Metrics: the shown ones, their order, and their values.

use end_to_end_tests::lines::{blocks, labels, only, value};
use end_to_end_tests::{LOADED, Suite, run};

const TEN: &str = "numbers::bubble_sort::ten";

#[test]
fn the_option_chooses_and_orders() {
    let (order, _) = Suite::with_two_baselines();
    let shown = |metrics: &str| {
        let stdout = order.load(&[&format!("--callgrind-metrics={metrics}"), TEN]).expect(0).stdout;
        labels(&only(&stdout)).into_iter().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown("DR,ir"), ["Dr", "Instructions"]);
    assert_eq!(shown("l2hits,@cachehits,LLhits"), ["L2 Hits", "L1 Hits", "RAM Hits"]);
    assert_eq!(shown("bc,ir,@branchsim"), ["Instructions"], "what was not counted is left out");
    assert!(shown("none").is_empty());

    let mut command = order.command();
    command.args(LOADED).arg(TEN).env("IAI_CALLGRIND_CALLGRIND_METRICS", "dw");
    assert_eq!(labels(&only(&run(&mut command).expect(0).stdout)), ["Dw"]);
}

#[test]
fn none_leaves_the_titles() {
    let (order, _) = Suite::with_two_baselines();
    let stdout = order.load(&["--callgrind-metrics=none", TEN]).expect(0).stdout;
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines[..2], ["order::numbers::bubble_sort ten:10", ""], "{stdout}");
}

#[test]
fn comparisons_by_id_show_the_same() {
    let compare = Suite::new("compare");
    let stdout = compare.run(&["--callgrind-metrics=dw,ir", "case_3"]).expect(0).stdout;
    let third = "compare::bench_bubble_sort::bench_standard_sort case_3:vec! [3, 2, 1]";
    assert_eq!(labels(&blocks(&stdout)[third]), ["Dw", "Instructions"].repeat(3), "{stdout}");
}

#[test]
fn a_meaningless_metric_is_a_wrong_argument() {
    let order = Suite::new("order");
    for (metrics, message) in [
        ("cycles", "unknown metric `cycles`"),
        (
            "ir,@hits",
            "unknown group `@hits` of metrics\nhelp: use one of @all, @default, @cachemisses (@ms)",
        ),
        ("", "unknown metric ``"),
    ] {
        order.run(&[&format!("--callgrind-metrics={metrics}")]).expect(2).complains(&[message]);
    }
    assert!(!order.home().exists(), "nothing ran");
}

#[test]
fn rates_have_limits() {
    let (order, _) = Suite::with_two_baselines();
    let metrics = "--callgrind-metrics=l1hitrate";
    let stdout = order.load(&[metrics, TEN]).expect(0).stdout;
    let rate = value(&only(&stdout), "L1 Hit Rate");
    assert!((90.0..100.0).contains(&rate), "{rate}");

    let hard = order.load(&[metrics, "--callgrind-limits=l1hitrate=12.5", TEN]).expect(3).stdout;
    let message = format!("L1 Hit Rate {rate} (limit 12.5000)");
    assert!(hard.contains(&message), "{hard}\n{message}");
    let _ = order.load(&["--callgrind-limits=l1hitrate=100,@mr=100", TEN]).expect(0);

    // Hits that must not become fewer than they were
    order.pretend_in(TEN, "base@a.out", 100);
    let soft = order.load(&["--callgrind-limits=l1hitrate=-0.1%", TEN]).expect(3).stdout;
    let message = format!(" % (limit -0.1 %): 100.000 → {rate}\n");
    assert!(soft.contains("L1 Hit Rate -") && soft.contains(&message), "{soft}");
    order.run(&["--callgrind-limits=ir=99.5"]).expect(2).complains(&["a whole number"]);
}

#[test]
fn a_tolerance_hides_no_number() {
    let (order, first) = Suite::with_two_baselines();
    let counted = first.instructions(TEN);
    for (old, tolerance, change) in [
        (counted + 1, "--tolerance=5", "(Tolerance)"),
        (counted * 2, "--tolerance=5", "(-50.0000%) [-2.00000x]"),
        (counted * 2, "--tolerance=50", "(Tolerance)"),
    ] {
        order.pretend_in(TEN, "base@a.out", old);
        let report = order.load(&[tolerance, TEN]).expect(0).report();
        let line = &report.get(TEN).lines[0];
        assert_eq!((line.new, line.old), (counted, Some(old)));
        assert!(line.change.starts_with(change), "{old} {tolerance}: {}", line.change);
    }
    order.pretend_in(TEN, "base@a.out", 100);
    let mut command = order.command();
    command.args(LOADED);
    command.args(["--callgrind-limits=ir=5%", TEN]).env("IAI_CALLGRIND_TOLERANCE", "1000000");
    let report = run(&mut command).expect(3).report();
    assert_eq!(report.get(TEN).lines[0].change, "(Tolerance)");
    assert_eq!(report.get(TEN).regressions.len(), 1, "limits know of no tolerance");
    order.run(&["--tolerance=-1"]).expect(2).complains(&["--tolerance"]);
}

#[test]
fn old_results_tell_of_allocations_too() {
    let suite = Suite::new("allocations");
    let _ = suite.report(&["growth"]);
    let _ = suite.report(&["--save-baseline=first", "growth"]);
    let stdout = suite.run(&["--callgrind-metrics=allocations", "growth"]).expect(0).stdout;
    assert_eq!(only(&stdout), [["Allocations", "6", "6", "No change)"]]);
    let load = ["--load-baseline=first", "--baseline=second", "--callgrind-metrics=frees"];
    let _ = suite.report(&["--save-baseline=second", "growth"]);
    let stdout = suite.run(&[&load[..], &["growth"]].concat()).expect(0).stdout;
    assert_eq!(only(&stdout), [["Frees", "6", "6", "No change)"]]);
}

#[test]
fn allocations_have_limits_whether_they_are_shown_or_not() {
    let suite = Suite::new("allocations");
    let report = suite.run(&["--callgrind-limits=allocations=5", "growth"]).expect(3).report();
    let broken = &report.get("heap::growth::hundred").regressions;
    assert_eq!(*broken, ["Allocations 6 (limit 5)"]);
    let _ = suite.run(&["--callgrind-limits=allocations=0", "nothing"]).expect(0);
}
