//! Reports in other formats, on the standard output and in files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Suite, objects, run, runner, tree};
use iai_callgrind_render::format::FORMATS;
use serde_json::Value;

/// Asserts that the output of a run in each of these formats contains a text.
pub(crate) fn assert_formats(suite: &Suite, arguments: &[&str], expected: &[(&str, &str)]) {
    for (format, expected) in expected {
        let format = format!("--output-format={format}");
        let printed = suite.run(&[arguments, &[&format]].concat()).expect(0).stdout;
        assert!(printed.contains(expected), "{format}: no {expected:?} in\n{printed}");
    }
}

#[test]
fn the_same_report_goes_to_a_file_or_to_the_standard_output() {
    let (order, _) = Suite::with_two_baselines();
    for format in FORMATS.iter().map(|format| format.name) {
        let printed = order.load(&[&format!("--output-format={format}")]);
        let printed = printed.expect(0);
        assert_eq!(printed.stderr, "");
        let path = order.root().join("report");
        let report = format!("--report={format}:{}", path.display());
        let terminal = order.load(&[&report]).expect(0);
        assert_eq!(terminal.report().names().len(), 8, "the terminal shows what it always does");
        let written = fs::read_to_string(&path).unwrap();
        if format == "junit" {
            let without_time = |text: &str| {
                text.split(' ').filter(|it| !it.starts_with("time=")).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(without_time(&written), without_time(&printed.stdout));
        } else {
            assert_eq!(written, printed.stdout, "{format}");
        }
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o444, fs::metadata(order.home()).unwrap().permissions().mode() & 0o444);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn the_guide_describes_each_format() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/machine-readable.md");
    let guide = fs::read_to_string(guide).unwrap();
    let mut rows = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let names: String = rows.by_ref().collect::<Vec<_>>().join("`, `");
    let is_described =
        |name: &str| names.split("`, `").any(|row| row.trim_end_matches('`') == name);
    for format in FORMATS {
        assert!(is_described(format.name), "{}: {names}", format.name);
    }
}

#[test]
fn formats_for_services_hold_what_was_counted() {
    let (order, report) = Suite::with_two_baselines();
    let print = |format: &str| {
        let format = format!("--output-format={format}");
        order.load(&[&format]).expect(0).stdout
    };
    let slugs =
        ["instructions", "l1-hits", "ll-hits", "ram-hits", "total-read-write", "estimated-cycles"];
    let bmf: Value = serde_json::from_str(&print("bmf")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&print("github-action-benchmark")).unwrap();
    let (bencher, junit) = (print("bencher"), print("junit"));
    assert_eq!(bmf.as_object().unwrap().len(), 8);
    assert_eq!(entries.len(), 8 * 6);
    assert_eq!(bencher.lines().count(), 8);
    assert_eq!(junit.matches("<testcase ").count(), 8);
    for benchmark in &report.benchmarks {
        let name = format!("order::{}", benchmark.name());
        assert_eq!(benchmark.lines.len(), slugs.len(), "{name}");
        for (slug, line) in slugs.iter().zip(&benchmark.lines) {
            assert_eq!(bmf[&name][slug]["value"].as_u64(), Some(line.new), "{name} {slug}");
            let entry = format!("{name} - {}", line.label);
            let entry = entries.iter().find(|it| it["name"] == *entry).unwrap();
            assert_eq!(
                (entry["value"].as_u64(), entry["unit"].as_str()),
                (Some(line.new), Some("count"))
            );
            assert!(junit.contains(&format!("{}: {}", line.label, line.new)));
        }
        let instructions = benchmark.lines[0].new;
        let line = format!("test {name} ... bench: {instructions:>11} instructions/iter (+/- 0)");
        assert!(bencher.lines().any(|it| it == line), "{line} in\n{bencher}");
    }
    let markdown = print("markdown");
    assert!(markdown.starts_with("✅ 8 unchanged in `benchmark-tests: order`, "), "{markdown}");
}

#[test]
fn several_reports_are_written_at_once() {
    let order = Suite::new("order");
    let reports = order.subdirectory("reports");
    let path = |name: &str| reports.join(name).display().to_string();
    let variable = format!("json:{};\nbencher:{}\n", path("{package}-{file}.json"), path("lines"));
    let mut command = order.command();
    let _ = run(command.arg("five").env("IAI_CALLGRIND_REPORT", variable)).expect(0);
    let names: Vec<_> = tree(&reports).into_keys().collect();
    assert_eq!(names, ["benchmark-tests-order.json", "lines"]);
    assert_eq!(
        objects(&fs::read_to_string(reports.join("benchmark-tests-order.json")).unwrap()).len(),
        1
    );
    let (one, other) =
        (format!("--report=bmf:{}", path("a")), format!("--report=junit:{}", path("b")));
    let _ = order.report(&["five", &one, &other]);
    assert_eq!(tree(&reports).len(), 4);
}

#[test]
fn failures_and_regressions_are_in_reports() {
    let panics = Suite::new("panics");
    let report = format!("--report=junit:{}", panics.root().join("junit.xml").display());
    let _ = panics.run(&[&report, "--callgrind-limits=ir=0"]).expect(1);
    let junit = fs::read_to_string(panics.root().join("junit.xml")).unwrap();
    assert!(junit.contains(r#"tests="3" failures="2" errors="1""#), "{junit}");
    let run = panics.run(&["--output-format=markdown", "--callgrind-limits=ir=0"]).expect(1);
    let start = "❌ **1 failed**, **2 exceeded limits** in `benchmark-tests: panics`, ";
    assert!(run.stdout.starts_with(start), "{}", run.stdout);
    assert!(run.stdout.contains("\n\n❌ `panics::group::panics::always` failed:\n"));
    run.complains(&["limit exceeded: panics::group::good_before: Instructions 1 (limit"]);
}

#[test]
fn a_report_of_another_benchmark_file_is_not_overwritten() {
    let (order, panics) = (Suite::new("order"), Suite::new("panics"));
    let path = order.root().join("report.md");
    let report = format!("--report=markdown:{}", path.display());
    let _ = order.run(&[&report, "five"]).expect(0);
    let written = fs::read_to_string(&path).unwrap();
    let run = panics.run(&[&report]).expect(1);
    run.complains(&["report.md: not a report of these benchmarks", "{file} in the path"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    assert!(tree(&panics.home()).is_empty(), "nothing ran");
    let _ = panics.run(&[&report, "no such benchmark"]).expect(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), written, "nothing to report");
    let _ = order.run(&[&report]).expect(0);
    assert_ne!(
        fs::read_to_string(&path).unwrap(),
        written,
        "an earlier report of its own gives way"
    );
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_before_anything_runs() {
    let order = Suite::new("order");
    let directory = order.subdirectory("directory");
    for (path, part) in [
        (directory.as_path(), ": not a file"),
        (
            &order.root().join("missing/report"),
            &format!(
                "/missing/report: there is no directory {}",
                order.root().join("missing").display()
            ),
        ),
        ("/proc/report".as_ref(), "error: can't write /proc/report"),
        ("/dev/null".as_ref(), "error: can't write the report /dev/null: not a file"),
    ] {
        let run = order.run(&[&format!("--report=json:{}", path.display())]).expect(1);
        run.complains(&[part]);
        assert_eq!(run.stdout, "");
        assert!(tree(&order.home()).is_empty(), "nothing ran");
    }
    for wrong in ["--report=xml:a", "--report=json", "--report=json:"] {
        order.run(&[wrong]).expect(2).complains(&["error: invalid value"]);
    }
}

#[test]
fn a_filter_in_the_place_of_a_file_is_named() {
    let mut command = Command::new(runner());
    let help = ": there is no such file\nhelp: to select benchmarks, write `--filter=order::first`";
    run(command.args(["report", "order::first"])).expect(1).complains(&[help]);
}
