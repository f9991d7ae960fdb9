//! Options that change where results go, what is printed, and what benchmarks find.

use std::fs;

use end_to_end_tests::{Run, Suite, run};

const TEN: &str = "numbers::bubble_sort::ten";

#[test]
fn results_of_targets_can_be_kept_apart() {
    let order = Suite::new("order");
    let _ = order.report(&["--separate-targets", TEN]);
    let entries = fs::read_dir(order.home()).unwrap().map(|it| it.unwrap());
    let targets: Vec<_> = entries.filter(|it| it.path().is_dir()).collect();
    assert_eq!(targets.len(), 1);
    let target = targets[0].file_name().into_string().unwrap();
    assert!(target.starts_with(std::env::consts::ARCH), "{target}");
    assert!(target.contains("-linux-"), "{target}");
    assert!(targets[0].path().join("benchmark-tests/order/numbers/bubble_sort.ten").is_dir());

    let by_variable = run(order.command().arg(TEN).env("IAI_CALLGRIND_SEPARATE_TARGETS", "yes"));
    assert_eq!(by_variable.expect(0).report().get(TEN).lines[0].change, "(No change)");
}

#[test]
fn the_closing_line_can_be_left_out() {
    let (order, _) = Suite::with_two_baselines();
    assert!(order.load(&[TEN]).expect(0).stdout.contains("Iai-Callgrind result"));
    let stdout = order.load(&["--nosummary", TEN]).expect(0).stdout;
    assert!(!stdout.contains("result") && stdout.ends_with(")\n"), "{stdout}");
}

#[test]
fn titles_can_be_longer_or_shorter() {
    let prints = Suite::new("prints");
    let first = |run: Run| run.stdout.lines().next().unwrap_or_default().to_owned();
    // An argument that leaves no room for the dots is shortened
    let cut = first(prints.run(&["--truncate-description=4"]).expect(0));
    assert_eq!(cut, "prints::my_bench_group::my_bench some_id:1...");
    for whole in ["--truncate-description=no", "--truncate-description=5"] {
        let title = first(prints.run(&[whole]).expect(0));
        assert_eq!(title, "prints::my_bench_group::my_bench some_id:10");
    }
    prints.run(&["--truncate-description=x"]).expect(2).complains(&["a number of characters"]);
}

#[test]
fn only_comparisons_are_shown_if_that_is_wanted() {
    let compare = Suite::new("compare");
    let stdout = compare
        .run(&["--show-only-comparison", "compare::bench_bubble_sort::*case_3"])
        .expect(0)
        .stdout;
    let titles = stdout.lines().filter(|line| line.starts_with("compare::")).count();
    let comparisons = stdout.matches("  Comparison with ").count();
    // Three functions: the first one is compared with none, the others with one and two
    assert_eq!((titles, comparisons), (2, 3), "{stdout}");
    assert_eq!(stdout.matches("  Instructions:").count(), 3, "{stdout}");
}

#[test]
fn a_mistyped_variable_is_named() {
    let (order, _) = Suite::with_two_baselines();
    let mut command = order.command();
    command.args(["::five", "--load-baseline=a", "--baseline=b"]);
    command.env("IAI_CALLGRIND_SHOW_GIRD", "yes").env("IAI_CALLGRIND_OTHER_THINGS", "yes");
    let run = run(&mut command).expect(0);
    let note = "note: the variable `IAI_CALLGRIND_SHOW_GIRD` is unknown: did you mean `IAI_CALLGRIND_SHOW_GRID`?\n";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
    assert!(!run.stderr.contains("OTHER_THINGS"), "{}", run.stderr);
}
