//! Functions of a group that are compared with each other.

use std::collections::BTreeMap;

use end_to_end_tests::{Suite, shared_run};

/// Returns the lines below each title: metrics, and after a header those of each comparison.
fn blocks(stdout: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut blocks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut title = "";
    for line in stdout.lines().take_while(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            Some(line) => blocks.entry(title).or_default().push(line),
            None => title = line,
        }
    }
    blocks
}

/// Returns the two values of a line.
fn values(line: &str) -> (&str, &str) {
    let (new, old) = line.split_once('|').expect("two values");
    let new = new.rsplit(' ').next().expect("a value");
    (new, old.split(' ').next().expect("a value"))
}

const BEST: &str = "bench_bubble_sort_best_case case_3:vec! [1, 2, 3]";
const WORST: &str = "bench_bubble_sort_worst_case case_3:vec! [3, 2, 1]";

#[test]
fn cases_with_the_same_id_are_compared() {
    let stdout = &shared_run("compare", &[]).succeeded().stdout;
    let blocks = blocks(stdout);
    let block = |name: &str| &blocks[&*format!("compare::bench_bubble_sort::{name}")];

    let (best, worst) = (block(BEST), block(WORST));
    assert_eq!(best.len(), 6, "the first one has nothing to be compared with");
    assert_eq!(worst.len(), 6 + 1 + 6);
    assert_eq!(worst[6], format!("Comparison with {BEST}"));
    for line in 0..6 {
        let (best, _) = values(best[line]);
        let (other, this) = (values(worst[7 + line]), values(worst[line]).0);
        assert_eq!(other, (best, this), "the other one is left, this one right");
        assert_eq!(worst[7 + line].contains("(No change)"), best == this);
    }
    assert!(worst[7 + 4].starts_with("Total read+write:") && worst[7 + 4].contains("(-"));
}

#[test]
fn a_third_function_is_compared_with_both() {
    let stdout = &shared_run("compare", &[]).succeeded().stdout;
    let blocks = blocks(stdout);
    let third = &blocks["compare::bench_bubble_sort::bench_standard_sort case_3:vec! [3, 2, 1]"];
    assert_eq!(third.len(), 6 + 2 * 7);
    let headers = [third[6], third[13]];
    assert_eq!(headers, [BEST, WORST].map(|other| format!("Comparison with {other}")));
    let alone = &blocks["compare::bench_bubble_sort::bench_standard_sort alone:vec! [1]"];
    assert_eq!(alone.len(), 6, "no other case has this id");
}

#[test]
fn nothing_is_compared_without_a_request() {
    let report = Suite::new("compare").report(&["not_compared"]);
    assert_eq!(report.names().len(), 6);
}

#[test]
fn a_line_says_how_the_other_function_differs() {
    let arguments = ["--output-format=lines", "case_3"];
    let stdout = Suite::new("compare").run(&arguments).expect(0).stdout;
    let name = "    bench_bubble_sort_best_case instead: Instructions +";
    assert!(
        stdout.lines().any(|line| line.starts_with(name)),
        "the standard library sorts in fewer: {stdout}"
    );
}
