//! Whole outputs, compared with the files in `golden/`.
//!
//! `INSTA_UPDATE=always cargo test --package stored-tests golden` writes them after an intended change; `git diff` shows it.

use end_to_end_tests::{Suite, stored};
use iai_callgrind_render::format::FORMATS;
use regex_lite::Regex;

/// A benchmark whose old result counts half as much, and one whose old result counts 5 instructions less.
const CHANGED: [(&str, u64); 2] =
    [("numbers::bubble_sort::ten", 100), ("numbers::fibonacci::five", 146)];

/// Returns two baselines that differ by [`CHANGED`].
fn changed() -> Suite {
    let (order, _) = Suite::with_two_baselines();
    for (benchmark, old) in CHANGED {
        order.pretend_in(benchmark, "base@a.out", old);
    }
    order
}

/// Compares a text with a file in `golden/`, without times and paths.
fn assert_golden(suite: &Suite, name: &str, text: &str) {
    let mut text = text.replace(suite.root().to_str().expect("UTF-8"), "[ROOT]");
    text = text.replace(env!("CARGO_MANIFEST_DIR"), "[DIRECTORY]");
    for (pattern, replacement) in [
        (r"in \d+\.\d\d s", "in [SECONDS] s"),
        (r#"time="[0-9.]+""#, r#"time="[SECONDS]""#),
        (r"thread 'main' \(\d+\)", "thread 'main'"),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, replacement).into_owned();
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn the_terminal() {
    let order = changed();
    let limits = "--callgrind-limits=ir=10%,l1hits=1%";
    assert_golden(&order, "terminal", &order.load(&[]).expect(0).stdout);
    assert_golden(&order, "terminal_limits", &order.load(&[limits]).expect(3).stdout);
    assert_golden(&order, "terminal_changed", &order.load(&["--show=changed"]).expect(0).stdout);
    assert_golden(&order, "terminal_summary", &order.load(&["--show=summary"]).expect(0).stdout);
    let metrics = "--callgrind-metrics=@all";
    let all = order.load(&[metrics, "bubble_sort"]).expect(0).stdout;
    assert_golden(&order, "terminal_metrics", &all);
}

#[test]
fn formats() {
    let order = changed();
    for format in ["markdown", "bmf", "github-action-benchmark", "bencher", "junit"] {
        let output = format!("--output-format={format}");
        let printed = order.load(&[&output, "--callgrind-limits=ir=10%", "bubble_sort", "five"]);
        assert_golden(&order, format, &printed.expect(3).stdout);
    }
}

#[test]
fn subcommands() {
    let order = changed();
    assert_golden(&order, "list", &stored(&order.home(), &["list"]).expect(0).stdout);
    let compared = stored(&order.home(), &["compare", "a", "b"]).expect(0).stdout;
    assert_golden(&order, "compare", &compared);
    let removed = stored(&order.home(), &["baseline", "remove", "a"]).expect(0);
    assert_golden(&order, "remove", &(removed.stdout + &removed.stderr));
}

#[test]
fn growth() {
    let growth = Suite::new("growth");
    let printed = growth.run(&["classes"]).expect(0).stdout;
    assert_golden(&growth, "growth", &printed);
}

#[test]
fn failures_and_errors_of_tools() {
    let failures = Suite::new("failures");
    let run = failures.run(&["panics"]).expect(1);
    assert_golden(&failures, "failures", &(run.stdout + &run.stderr));
}

#[test]
fn wrong_arguments() {
    let order = Suite::new("order");
    let wrong = [
        &["--callgrind-limits=ir"][..],
        &["--callgrind-limits=cycles=5%"],
        &["--save-baseline=../x"],
        &["--load-baseline=a"],
        &["--output-format=xml"],
        &["--report=json"],
        &["--shard=3/2"],
        &["--show=some"],
        &["--filter-regex=("],
    ];
    let formats: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    let formats = format!(", {}", formats.join(", "));
    let messages = wrong.map(|arguments| {
        let run = order.run(arguments);
        // One test has the list of all formats
        let stderr = run.stderr.replace(&formats, ", ...");
        format!("$ {}\n{stderr}exit code: {:?}\n", arguments.join(" "), run.code)
    });
    assert_golden(&order, "wrong_arguments", &messages.join("\n"));
    assert!(!order.home().exists(), "nothing ran");
}
