//! The machine-readable output: its schema, and the same values as on the terminal.

use end_to_end_tests::{Suite, checkout, objects, run};
use serde_json::{Value, json};

/// A benchmark file that ends by itself.
struct File {
    name: &'static str,
    /// Arguments that show as much as possible.
    arguments: &'static [&'static str],
    /// The benchmarks that the short form of the test runs; all if there is none.
    selection: &'static [&'static str],
}

/// The files that the short form of the test runs: commands, random seeds, and what processes of tools leave. The tests of
/// stored cases have the other forms of lines.
const SHORT: [&str; 6] =
    ["command_failures", "machine", "my_binary_benchmark", "quickstart", "runs", "tool_errors"];

/// The file of these that runs a second time, with results before.
const TWICE: &str = "my_binary_benchmark";

const fn file(name: &'static str, arguments: &'static [&'static str]) -> File {
    File { name, arguments, selection: &[] }
}

const fn part_of(
    name: &'static str,
    arguments: &'static [&'static str],
    selection: &'static [&'static str],
) -> File {
    File { name, arguments, selection }
}

const FILES: [File; 28] = [
    part_of("allocations", &["--callgrind-metrics=@all", "--show-intermediate"], &["threads"]),
    file("bench_file", &[]),
    part_of("command_failures", &["--nocapture"], &["ends::code"]),
    part_of("commands", &["--show-intermediate"], &["subprocesses::one"]),
    part_of("compare", &["--show-only-comparison"], &["compare::bench_bubble_sort::*case_3"]),
    part_of("configuration", &["--nocapture"], &["output"]),
    part_of("counters", &["--counter-limits=nodes visited=1%|41"], &["in_teardown", "reported"]),
    file("failures", &["--nocapture"]),
    file("flamegraphs", &["--flamegraph", "changes"]),
    part_of("inside", &["--seeds=3"], &["hash_map"]),
    file("items", &["--tolerance=50"]),
    part_of("levels", &[], &["plain", "group_y"]),
    part_of(
        "machine",
        &["--native-cpu", "--callgrind-args=--branch-sim=yes --cacheuse=yes"],
        &["libc::strlen"],
    ),
    file("my_binary_benchmark", &[]),
    file("order", &["--callgrind-limits=@all=1%|100"]),
    file("order_reversed", &["--callgrind-args=--cache-sim=no"]),
    file("panics", &[]),
    file("prints", &["--nocapture=stdout"]),
    part_of("quickstart", &["--seed=random"], &["short"]),
    part_of("regions", &["--show-intermediate"], &["concurrent", "forks"]),
    file("regression", &[]),
    part_of("requests", &[], &["parts::part", "parts::prints"]),
    part_of("runs", &[], &["newer::lines"]),
    part_of("specification", &["--nocapture"], &["teardown", "no_cache_simulation"]),
    part_of("growth", &[], &["crossing"]),
    part_of("throughput", &["--callgrind-limits=@all=1%|0"], &["kinds"]),
    part_of("tool_errors", &["--tools=memcheck"], &["invalid_read"]),
    part_of("tools", &[], &["heap::nothing"]),
];

/// Runs a benchmark file this many times: with nothing to compare with, and then with the results before.
fn every_line_is_valid(file: &File, selection: &[&str], runs: usize) {
    let suite = Suite::new(file.name);
    for _ in 0..runs {
        let mut command = suite.command();
        command.args(file.arguments).args(selection);
        let run = run(command.args(["--output-format=json", "--save-summary"]));
        let lines: Vec<_> = run.stdout.lines().flat_map(objects).collect();
        assert!(!lines.is_empty(), "{}: {}", file.name, run.stderr);
        assert_eq!(lines, objects(&run.stdout), "one on each line");
        for line in &lines {
            let name = line["name"].as_str().unwrap();
            assert!(name.starts_with(&format!("{}::", file.name)), "{line}");
        }
    }
}

#[test]
fn lines_of_commands_and_other_tools_are_as_the_schema_says() {
    for file in FILES.iter().filter(|file| SHORT.contains(&file.name)) {
        every_line_is_valid(file, file.selection, if file.name == TWICE { 2 } else { 1 });
    }
}

#[test]
fn a_benchmark_is_printed_with_all_of_its_parts() {
    let order = Suite::new("order");
    let _ = order.report(&["--save-baseline=main", "five"]);
    let run =
        order.run(&["--output-format=json", "--baseline=main", "order::numbers::fibonacci::five"]);
    let run = run.expect(0);
    let [object] = &*objects(&run.stdout) else { panic!("{}", run.stdout) };
    let directory = order.directory().join("numbers/fibonacci.five");
    let file = |end: &str| directory.join(format!("callgrind.fibonacci.five.{end}"));
    for (path, expected) in [
        ("/version", json!(1)),
        ("/package", json!("benchmark-tests")),
        ("/package_dir", json!(checkout().join("benchmark-tests"))),
        ("/file", json!("order")),
        ("/group", json!("numbers")),
        ("/function", json!("fibonacci")),
        ("/id", json!("five")),
        ("/arguments", json!("5")),
        ("/baselines", json!({"new": null, "old": "main"})),
        ("/status", json!("ok")),
        ("/error", json!(null)),
        ("/tools/0/tool", json!("callgrind")),
        ("/tools/0/command", object["executable"].clone()),
        (
            "/tools/0/files/new",
            json!([file("fingerprint.json"), file("log"), file("out"), file("table")]),
        ),
        (
            "/tools/0/files/old",
            json!([
                file("base@main.fingerprint.json"),
                file("base@main.log"),
                file("base@main.out"),
                file("base@main.table"),
            ]),
        ),
        ("/tools/0/limits", json!([])),
        ("/tools/0/spread", json!(null)),
        ("/comparisons", json!([])),
    ] {
        let mut found = object.pointer(path).cloned();
        if let Some(files) = found.as_mut().and_then(Value::as_array_mut) {
            // Without a repository there is no such file
            files.retain(|file| !file.as_str().is_some_and(|file| file.ends_with("commit.json")));
        }
        assert_eq!(found, Some(expected), "{path}");
    }
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
#[ignore = "long"]
fn every_line_of_every_benchmark_file_is_as_the_schema_says() {
    for file in &FILES {
        every_line_is_valid(file, &[], 2);
    }
}

#[test]
fn times_have_the_rates_of_their_amounts() {
    let arguments = ["--time", "--time-budget=50ms", "--output-format=json", "::kinds::"];
    let run = Suite::new("throughput").run(&arguments).expect(0);
    let summaries = objects(&run.stdout);
    assert_eq!(summaries.len(), 6);
    for summary in &summaries {
        let expected: &[_] = match summary["id"].as_str().unwrap() {
            "bytes" => &[("bytes", 4.0)],
            "bytes_decimal" => &[("bytes", 1000.0)],
            "elements" => &[("elements", 8.0)],
            "both" => &[("elements", 2.0), ("bytes", 16.0)],
            "bits" => &[("bits", 3.0)],
            _ => &[],
        };
        let nanoseconds = summary["time"]["new"]["wall"]["value"].as_f64().unwrap();
        let rates = summary["time"]["rates"].as_array().unwrap();
        assert_eq!(rates.len(), expected.len(), "{summary}");
        for (rate, (unit, amount)) in rates.iter().zip(expected) {
            assert_eq!(rate["unit"], *unit);
            let in_time = rate["per_second"].as_f64().unwrap() * nanoseconds / 1e9;
            assert!((in_time / amount - 1.0).abs() < 1e-9, "{summary}");
        }
    }
}
