//! Markdown for pull requests.

use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::{Explanation, Verdict};

use super::super::fixtures::{document, failed, regressed, summary};
use super::MARKDOWN;

fn text(summaries: &[Summary]) -> String {
    MARKDOWN.document(&document(summaries))
}

#[test]
fn the_regression_is_stated_first_and_the_unchanged_ones_are_folded() {
    let mut summaries: Vec<_> =
        (0..98).map(|number| summary(&format!("same_{number}"), 100, Some(100))).collect();
    summaries.insert(10, summary("faster", 80, Some(100)));
    summaries.insert(60, regressed("slower", 120, 100));
    let text = text(&summaries);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() < 60, "{text}");
    assert_eq!(
        lines[..15],
        [
            "### `crate: file`",
            "",
            "**1 exceeded a limit**, 1 better, 98 unchanged",
            "",
            "| Benchmark | Metric | Old | New | Change |",
            "| --- | --- | --: | --: | --: |",
            "| `file::group::slower::id` | Instructions | 100 | 120 | ❌ +20 % (limit +5 %) |",
            "",
            "<details><summary>1 better</summary>",
            "",
            "| Benchmark | Metric | Old | New | Change |",
            "| --- | --- | --: | --: | --: |",
            "| `file::group::faster::id` | Instructions | 100 | 80 | 🔹 -20 % |",
            "",
            "</details>",
        ]
    );
    assert_eq!(lines[15..18], ["", "<details><summary>98 unchanged</summary>", ""]);
    assert!(lines[18].starts_with("- `file::group`: `same_0::id` 100, `same_1::id` 100, "));
    assert_eq!(lines[19..], ["", "</details>"]);
}

#[test]
fn the_command_that_repeats_it_comes_last() {
    let mut slower = summary("slower", 12_345, Some(9_000));
    let with = |summary: &Summary| text(std::slice::from_ref(summary));
    assert!(!with(&slower).contains("Repeat"));
    slower.baselines.old = Some("main".to_owned());
    let end = "| 9,000 | 12,345 | 🔺 +37.2 % |\n\nRepeat it with `cargo bench --bench file -- --baseline=main`\n";
    assert!(with(&slower).ends_with(end), "{}", with(&slower));
    slower.baselines.old = Some("69cb515883e5-23c85c87".to_owned());
    assert!(with(&slower).ends_with(" -- --against=69cb515883e5`\n"));
}

#[test]
fn failures_come_before_everything_else() {
    let text = text(&[
        regressed("worse", 2, 1),
        failed("broken", "the benchmark panicked\n  output:\n    ``` | `x`"),
    ]);
    let expected = "### `crate: file`\n\n**1 failed**, **1 exceeded a limit**\n\n\
        ❌ `file::group::broken::id` failed:\n\n````text\nthe benchmark panicked\n  output:\n    ``` | `x`\n````\n\n\
        | Benchmark |";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn the_largest_change_comes_first_and_new_benchmarks_are_folded() {
    let text =
        text(&[summary("a", 101, Some(100)), summary("b", 150, Some(100)), summary("c", 7, None)]);
    let position = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert!(position("file::group::b") < position("file::group::a"));
    assert!(text.contains("2 worse, 1 new\n"));
    assert!(
        text.contains("<summary>1 without an old result</summary>\n\n- `file::group`: `c::id` 7\n")
    );
}

#[test]
fn explanations_are_folded_below_the_changes() {
    let mut summary = regressed("a", 120, 100);
    summary.tools[0].explanation = Some(Explanation {
        verdict: Verdict::Calls,
        text: vec!["+20 instructions".to_owned(), "f: called 1 → 2 times".to_owned()],
        cause: None,
        source: None,
        entries: Vec::new(),
        executed_in: Vec::new(),
        changed_files: None,
        noise: None,
    });
    let name = &summary.name;
    let expected = format!(
        "\n<details><summary>{name}: explanation</summary>\n\n```text\n+20 instructions\n\
         f: called 1 → 2 times\n```\n\n</details>\n"
    );
    assert!(text(&[summary.clone()]).contains(&expected));
}

#[test]
fn a_tolerated_difference_is_none() {
    let mut summary = summary("a", 101, Some(100));
    for metric in summary.tools[0].total.values_mut() {
        metric.tolerated = true;
    }
    assert!(text(&[summary]).contains("\n1 unchanged\n"));
    assert!(text(&[]).contains("No benchmarks ran"));
}
