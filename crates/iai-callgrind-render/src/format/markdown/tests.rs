//! Markdown for pull requests.

use iai_callgrind_summary::explanation::{Cause, Explanation, Verdict};
use iai_callgrind_summary::{Invocation, LimitKind, Summary};

use super::super::sample_summaries::{document, failed, regressed, summary};
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
        lines[..13],
        [
            "❌ **1 exceeded a limit**, 1 better, 98 unchanged in `crate: file`, compared with the last run; \
             worst: `file::group::slower::id`, Instructions +20 %",
            "",
            "| Benchmark | Metric | Old | New | Change | Cause |",
            "| --- | --- | --: | --: | --: | --- |",
            "| `file::group::slower::id` | Instructions | 100 | 120 | ❌ +20 % (limit +5 %) |  |",
            "",
            "<details><summary>1 better</summary>",
            "",
            "| Benchmark | Metric | Old | New | Change | Cause |",
            "| --- | --- | --: | --: | --: | --- |",
            "| `file::group::faster::id` | Instructions | 100 | 80 | 🔹 -20 % |  |",
            "",
            "</details>",
        ]
    );
    assert_eq!(lines[13..16], ["", "<details><summary>98 unchanged</summary>", ""]);
    assert!(lines[16].starts_with("- `file::group`: `same_0::id` 100, `same_1::id` 100, "));
    assert_eq!(lines[17..], ["", "</details>"]);
}

/// Returns a summary with an explanation that names this cause.
fn explained(mut summary: Summary, cause: Option<&str>) -> Summary {
    let cause = cause.map(|text| Cause {
        text: text.to_owned(),
        name: text.to_owned(),
        function: None,
        file: None,
        line: None,
        is_removed_line: false,
        possible_lines: Vec::new(),
    });
    summary.tools[0].explanation = Some(Explanation {
        verdict: Verdict::Calls,
        text: vec!["+20 instructions".to_owned(), "f: called 1 → 2 times".to_owned()],
        cause,
        source: None,
        entries: Vec::new(),
        executed_in: Vec::new(),
        changed_files: None,
        noise: None,
    });
    summary
}

/// Returns the first line.
fn sentence(summaries: &[Summary]) -> String {
    text(summaries).lines().next().unwrap().to_owned()
}

#[test]
fn the_sentence_ends_with_the_command_that_repeats_it() {
    let mut slower = summary("slower", 12_345, Some(9_000));
    let with = |summary: &Summary| sentence(std::slice::from_ref(summary));
    assert!(!with(&slower).contains("repeat"));
    slower.baselines.old = Some("main".to_owned());
    assert_eq!(
        with(&slower),
        "🔺 1 worse in `crate: file`, compared with the baseline `main`; worst: `file::group::slower::id`, \
         Instructions +37.2 %; repeat it with `cargo bench --bench file -- --baseline=main`"
    );
    slower.baselines.old = Some("69cb515883e5-23c85c87".to_owned());
    let against = with(&slower);
    assert!(against.contains(", compared with 69cb515; worst: "), "{against}");
    assert!(against.ends_with(" -- --against=69cb515883e5`"), "{against}");
    let mut of_other_file = slower.clone();
    of_other_file.baselines.old = Some("69cb515883e5-33015c4f".to_owned());
    let of_both = sentence(&[slower.clone(), of_other_file]);
    assert!(of_both.ends_with(" -- --against=69cb515883e5`"), "each file keeps its own: {of_both}");
    let mut other = Summary { package: "other".to_owned(), ..slower.clone() };
    let both = sentence(&[slower.clone(), other.clone()]);
    assert!(both.contains(" in `crate: file`, `other: file`, compared"), "{both}");
    assert!(
        both.contains("`cargo bench --package crate --package other --bench file -- "),
        "{both}"
    );
    other.baselines.old = None;
    let different = sentence(&[slower, other]);
    assert!(!different.contains("compared") && !different.contains("repeat"), "{different}");
}

#[test]
fn many_files_are_counted() {
    let file = |number: usize| {
        let file = format!("file_{number}");
        Summary { file, ..summary("same", 1, Some(1)) }
    };
    let files: Vec<_> = (0..4).map(file).collect();
    assert_eq!(sentence(&files), "✅ 4 unchanged in 4 benchmark files, compared with the last run");
    assert_eq!(sentence(&[summary("new", 1, None)]), "✅ 1 new in `crate: file`");
}

#[test]
fn each_regression_is_a_row_with_its_cause() {
    let worse = |name: &str, new, cause| explained(summary(name, new, Some(100)), cause);
    let limited = explained(regressed("limited", 110, 100), Some("sort, src/a.rs:3 changed"));
    let text = text(&[
        worse("one", 120, Some("<T>, src/b.rs:4 is new")),
        worse("two", 130, Some("<T>, src/b.rs:4 is new")),
        limited,
        worse("three", 140, None),
    ]);
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |name: &str, new: u64, change: &str, cause: &str| {
        format!("| `file::group::{name}::id` | Instructions | 100 | {new} | {change} | {cause} |")
    };
    assert_eq!(
        rows,
        [
            row("limited", 110, "❌ +10 % (limit +5 %)", "1"),
            row("two", 130, "🔺 +30 %", "2"),
            row("one", 120, "🔺 +20 %", "2"),
            row("three", 140, "🔺 +40 %", ""),
        ]
    );
    let causes = "\n\n1. sort, src/a.rs:3 changed\n2. &lt;T>, src/b.rs:4 is new: 2 benchmarks, +20 % to +30 %\n\n| Benchmark |";
    assert!(text.contains(causes), "{text}");
    let named =
        "; worst: `file::group::limited::id`, Instructions +10 %: sort, src/a.rs:3 changed\n";
    assert!(text.contains(named), "{text}");
    assert_eq!(text.matches("<details><summary>3 explanations</summary>").count(), 1, "{text}");
}

#[test]
fn a_cause_leaves_room_for_others() {
    let worse = |name: &str, cause| explained(summary(name, 120, Some(100)), Some(cause));
    let mut summaries: Vec<_> = (0..40).map(|number| worse(&format!("n{number}"), "a")).collect();
    let rows_before = |text: &str, end: &str| {
        let (before, _) = text.split_once(end).unwrap_or_else(|| panic!("{text}"));
        before.matches("| `file").count()
    };
    assert_eq!(rows_before(&text(&summaries), "<summary>30 more</summary>"), 10);
    summaries.push(worse("other", "b"));
    assert_eq!(rows_before(&text(&summaries), "<summary>37 more</summary>"), 4);
}

#[test]
fn failures_come_before_everything_else() {
    let text = text(&[
        regressed("worse", 2, 1),
        failed("broken", "the benchmark panicked\n  output:\n    ``` | `x`"),
    ]);
    let expected = "❌ **1 failed**, **1 exceeded a limit** in `crate: file`, compared with the last run; \
        worst: `file::group::worse::id`, Instructions +100 %\n\n❌ `file::group::broken::id` failed:\n\n````text\nthe benchmark panicked\n  output:\n    ``` | `x`\n````\n\n\
        | Benchmark |";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn the_largest_change_comes_first_and_new_benchmarks_are_folded() {
    let text =
        text(&[summary("a", 101, Some(100)), summary("b", 150, Some(100)), summary("c", 7, None)]);
    let position = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert!(position("file::group::b") < position("file::group::a"));
    assert!(text.contains("2 worse, 1 new in "));
    assert!(
        text.contains("<summary>1 without an old result</summary>\n\n- `file::group`: `c::id` 7\n")
    );
}

#[test]
fn explanations_are_folded_below_the_changes() {
    let summary = explained(regressed("a", 120, 100), None);
    let name = &summary.name;
    let expected = format!(
        "\n<details><summary>{name}: explanation</summary>\n\n```text\n+20 instructions\n\
         f: called 1 → 2 times\n```\n\n</details>\n"
    );
    assert!(text(std::slice::from_ref(&summary)).contains(&expected));
}

#[test]
fn a_tolerated_difference_is_none() {
    let mut summary = summary("a", 101, Some(100));
    for metric in summary.tools[0].total.values_mut() {
        metric.tolerated = true;
    }
    assert!(sentence(&[summary]).contains("✅ 1 unchanged in "));
    assert!(text(&[]).contains("No benchmarks ran"));
}

#[test]
fn folded_rows_are_counted_by_category() {
    let of_cause = |summary| explained(summary, Some("sort, src/a.rs:3 changed"));
    let limited =
        |number: u64| of_cause(regressed(&format!("limited_{number}"), 110 + number, 100));
    let mut summaries: Vec<_> = (0..4).map(limited).collect();
    summaries.push(of_cause(summary("worse", 190, Some(100))));
    summaries.push(explained(summary("other", 101, Some(100)), Some("find, src/b.rs:4 changed")));
    let text = text(&summaries);
    let (shown, folded) =
        text.split_once("<details><summary>2 more: 1 exceeded a limit, 1 worse</summary>").unwrap();
    assert!(
        shown.contains("`file::group::limited_1::id`")
            && shown.contains("`file::group::other::id`"),
        "{text}"
    );
    assert!(
        folded.contains("`file::group::limited_0::id`")
            && folded.contains("`file::group::worse::id`"),
        "{text}"
    );
}

#[test]
fn the_command_has_the_exceeded_limits_of_all_benchmarks() {
    let of_main = |mut summary: Summary, has_limit: bool| {
        summary.baselines.old = Some("main".to_owned());
        let limits = summary.tools[0].regressions.iter().map(|regression| regression.limit.clone());
        let limits: Vec<_> = limits.filter(|_| has_limit).collect();
        summary.tools[0].limits.extend(limits);
        summary
    };
    let slower = |has_limit| of_main(regressed("slower", 120, 100), has_limit);
    let all = sentence(&[slower(true), slower(true)]);
    assert!(all.ends_with(" -- --baseline=main --callgrind-limits=ir=5%`"), "{all}");
    let some = sentence(&[slower(true), of_main(summary("same", 1, Some(1)), false)]);
    assert!(some.ends_with(" -- --baseline=main`"), "a limit of one benchmark: {some}");
}

/// Returns a summary of a run of this file with these arguments.
fn of_run(summary: Summary, file: &str, arguments: &[&str]) -> Summary {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let program = format!("cargo bench --bench {file} --");
    Summary { invocation: Some(Invocation { program, arguments }), ..summary }
}

/// Returns the command at the end of the sentence, empty without one.
fn repeating(summaries: &[Summary]) -> String {
    let sentence = sentence(summaries);
    let command = sentence.split_once("; repeat it with `").map_or("", |(_, command)| command);
    command.trim_end_matches('`').to_owned()
}

#[test]
fn the_command_has_the_arguments_of_the_run() {
    let slower = || summary("slower", 120, Some(100));
    let of = |arguments: &[&str]| of_run(slower(), "my-file", arguments);
    let snapshot = of(&["--snapshot", "--skip=a b", "short|long"]);
    assert_eq!(
        repeating(&[snapshot]),
        "cargo bench --bench my-file -- --snapshot '--skip=a b' 'short|long'"
    );
    let baselines = of(&["--baseline=b", "--load-baseline=a"]);
    assert_eq!(
        repeating(&[baselines]),
        "cargo bench --bench my-file -- --baseline=b --load-baseline=a"
    );
    assert_eq!(repeating(&[of(&["short"])]), "", "the last run is another one");
    let mut limited =
        of_run(regressed("limited", 120, 100), "my-file", &["--callgrind-limits=ir=9"]);
    assert_eq!(repeating(std::slice::from_ref(&limited)), "", "a percentage of the last run");
    limited.tools[0].regressions[0].limit.kind = LimitKind::Hard;
    assert_eq!(repeating(&[limited]), "cargo bench --bench my-file -- --callgrind-limits=ir=9");
    let broken = of_run(failed("broken", "error"), "my-file", &[]);
    assert_eq!(repeating(&[broken]), "cargo bench --bench my-file --");
}

#[test]
fn the_command_has_the_commit_in_place_of_the_revision() {
    let mut slower =
        of_run(summary("slower", 120, Some(100)), "file", &["--against=@merge-base", "x"]);
    slower.baselines.old = Some("69cb515883e5-23c85c87".to_owned());
    assert_eq!(repeating(&[slower]), "cargo bench --bench file -- --against=69cb515883e5 x");
}

#[test]
fn the_command_has_the_arguments_of_all_files() {
    let of = |file: &str, arguments: &[&str]| of_run(summary("f", 120, Some(100)), file, arguments);
    let mut two = [
        of("a-b", &["--baseline=main", "--shard=1/2"]),
        of("c", &["--shard=2/2", "--baseline=main"]),
    ];
    assert_eq!(repeating(&two), "cargo bench --bench a-b --bench c -- --baseline=main");
    two[1].package = "other".to_owned();
    assert_eq!(
        repeating(&two),
        "cargo bench --package crate --package other --bench a-b --bench c -- --baseline=main"
    );
    two[1].invocation = None;
    assert_eq!(repeating(&two), "", "an older file without a command line");
    let mut command = of("", &["--baseline=main", "--", "wc", "a b"]);
    command.invocation.as_mut().unwrap().program = "iai-callgrind-runner exec".to_owned();
    assert_eq!(
        repeating(&[command.clone()]),
        "iai-callgrind-runner exec --baseline=main -- wc 'a b'"
    );
    assert_eq!(repeating(&[command, of("c", &["--baseline=main"])]), "");
}

#[test]
fn names_with_signs_of_markdown_are_read_as_they_are() {
    let mut same = summary("same", 1, Some(1));
    same.name = "file::group::a|b`c::id".to_owned();
    let slower = Summary { name: same.name.clone(), ..summary("slower", 120, Some(100)) };
    let text = text(&[same, slower]);
    assert!(text.contains("worst: `` file::group::a|b`c::id ``, Instructions"), "{text}");
    assert!(text.contains("| `` file::group::a\\|b`c::id `` | Instructions |"), "{text}");
    assert!(text.contains("- `file::group`: `` a|b`c::id `` 1"), "{text}");
}

#[test]
fn causes_of_improvements_count_on() {
    let slower = explained(summary("slower", 120, Some(100)), Some("a.rs:1 changed"));
    let faster = explained(summary("faster", 80, Some(100)), Some("a.rs:2 changed"));
    let text = text(&[slower, faster]);
    assert!(text.contains("\n1. a.rs:1 changed"), "{text}");
    assert!(text.contains("\n2. a.rs:2 changed"), "{text}");
    assert!(text.contains("-20 % | 2 |"), "{text}");
}
