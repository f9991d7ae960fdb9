//! The machine-readable output: its schema, and the same values as on the terminal.

use std::fs;

use end_to_end_tests::{Suite, assert_unchanged, grouped, names_of_results, objects, run, tree};
use serde_json::{Value, json};

#[test]
fn it_holds_the_values_that_the_terminal_shows() {
    let (order, report) = Suite::after("order", &[]);
    let objects = objects(&order.run(&["--output-format=json"]).expect(0).stdout);
    assert_eq!(objects.len(), 8);
    for object in objects {
        let part = |name: &str| object[name].as_str().unwrap();
        let name = format!("{}::{}::{}", part("group"), part("function"), part("id"));
        assert_eq!(part("name"), format!("order::{name}"));
        let tool = &object["tools"][0];
        let shown = tool["shown"].as_array().unwrap();
        let lines = &report.get(&name).lines;
        assert_eq!((shown.len(), lines.len()), (6, 6));
        for (kind, line) in shown.iter().zip(lines) {
            let metric = &tool["total"][kind.as_str().unwrap()];
            let expected = json!({
                "label": line.label, "unit": "count", "new": line.new, "old": line.new,
                "change": {"percentage": 0.0, "factor": 1.0}, "tolerated": false
            });
            assert_eq!(*metric, expected);
        }
        assert_eq!(tool["total"]["L1HitRate"]["unit"], "percent");
        assert!(tool["total"]["Bc"].is_null(), "what was not counted is not there");
    }
}

#[test]
fn limits_and_their_regressions_are_printed() {
    let order = Suite::new("order");
    let name = "numbers::bubble_sort::ten";
    let counted = order.report(&["bubble_sort::ten"]).instructions(name);
    order.pretend(name, 100);
    let arguments =
        ["--output-format=json", "--callgrind-limits=ir=5%|9999,dr=1", "bubble_sort::ten"];
    let run = order.run(&arguments).expect(3);
    let [object] = &*objects(&run.stdout) else { panic!("{}", run.stdout) };
    assert_eq!(object["status"], "regressed");
    let limit = |metric, kind, value: Value| json!({"metric": metric, "kind": kind, "value": value, "learned_from": null, "learned_from_layouts": null});
    let soft = limit("Ir", "soft", json!(5.0));
    let hard = |metric, value: u64| limit(metric, "hard", json!(value));
    let tool = &object["tools"][0];
    assert_eq!(tool["limits"], json!([soft, hard("Ir", 9999), hard("Dr", 1)]));
    let [first, second] = &**tool["regressions"].as_array().unwrap() else { panic!("{tool}") };
    assert_eq!(
        (&first["limit"], &first["new"], &first["old"]),
        (&soft, &json!(counted), &json!(100))
    );
    let message = first["message"].as_str().unwrap();
    assert!(message.starts_with("Instructions +"), "{message}");
    assert!(message.ends_with(&format!(" (limit +5 %): 100 → {}", grouped(counted))), "{message}");
    assert_eq!((&second["limit"], &second["old"]), (&hard("Dr", 1), &json!(null)));
    let change = tool["total"]["Ir"]["change"]["percentage"].as_f64().unwrap();
    assert!((change - (counted as f64 - 100.0)).abs() < 1e-9);
    assert_eq!(tool["total"]["Dr"]["change"]["percentage"], json!(null), "it was zero");
    run.complains(&["limit exceeded: order::numbers::bubble_sort ten:10: Instructions +"]);
}

#[test]
fn failures_are_printed_on_both_streams() {
    let run = Suite::new("panics").run(&["--output-format=json"]).expect(1);
    let objects = objects(&run.stdout);
    assert_eq!(objects.iter().map(|it| &it["status"]).collect::<Vec<_>>(), ["ok", "failed", "ok"]);
    let error = objects[1]["error"].as_str().unwrap();
    assert!(
        error.contains("the benchmark panicked") && error.contains("divide by zero"),
        "{error}"
    );
    assert_eq!(objects[1]["tools"], json!([]));
    run.complains(&["error: panics::group::panics always:0: the benchmark panicked"]);
}

#[test]
fn errors_that_a_tool_found_are_printed_with_the_result() {
    let arguments =
        ["--tools=memcheck", "--memcheck-args=--errors-for-leak-kinds=all --leak-check=full"];
    let suite = Suite::new("tools");
    let mut command = suite.command();
    let run =
        run(command.args(arguments).args(["--output-format=json", "heap::nothing"])).expect(1);
    let [object] = &*objects(&run.stdout) else { panic!("{}", run.stdout) };
    assert_eq!(object["status"], "failed");
    assert!(object["error"].as_str().unwrap().starts_with("memcheck found errors\n"));
    assert_eq!(object["tools"][1]["tool"], "memcheck");
    assert!(object["tools"][1]["total"]["Errors"]["new"].as_u64() > Some(0));
    run.complains(&["error: tools::heap::nothing: memcheck found errors"]);
}

#[test]
fn what_benchmarks_print_is_not_among_the_json() {
    let run = Suite::new("panics").run(&["--output-format=json", "--nocapture"]).expect(1);
    assert_eq!(objects(&run.stdout).len(), 3);
    run.complains(&["panics::group::good_after\nthe last benchmark runs\n"]);
}

#[test]
fn threads_seeds_and_comparisons_are_printed() {
    let run = Suite::new("compare").run(&["--output-format=pretty-json", "::bench_bubble_sort::"]);
    let compared = objects(&run.expect(0).stdout);
    let third =
        compared.iter().find(|it| it["function"] == "bench_standard_sort" && it["id"] == "case_3");
    let comparisons = third.unwrap()["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 2);
    let (first, this) = (&comparisons[0], &third.unwrap()["tools"][0]["total"]["Ir"]);
    assert_eq!(first["name"], "compare::bench_bubble_sort::bench_bubble_sort_best_case::case_3");
    let ir = &first["tools"][0]["metrics"]["Ir"];
    let its = compared.iter().find(|it| it["name"] == first["name"]).unwrap();
    assert_eq!((&ir["new"], &ir["old"]), (&its["tools"][0]["total"]["Ir"]["new"], &this["new"]));

    let run = Suite::new("inside").run(&[
        "--output-format=json",
        "--seeds=3",
        "--seed=7",
        "hash_map::small",
    ]);
    let spread = &objects(&run.expect(0).stdout)[0]["tools"][0]["spread"];
    assert_eq!(spread["seeds"], json!([7, 8, 9]));
    let range = |name: &str| spread["metrics"]["Ir"][name].as_u64().unwrap();
    assert!(range("minimum") <= range("median") && range("median") <= range("maximum"));
    let [mean, deviation] =
        ["mean", "deviation"].map(|name| spread["metrics"]["Ir"][name].as_f64().unwrap());
    assert!(range("minimum") as f64 <= mean && mean <= range("maximum") as f64);
    assert!(deviation <= (range("maximum") - range("minimum")) as f64);
    assert_eq!(deviation > 0.0, range("minimum") < range("maximum"));

    let run = Suite::new("regions").run(&["--output-format=json", "--show-intermediate", "thread"]);
    let threads = objects(&run.expect(0).stdout);
    let with_parts = threads.iter().map(|it| &it["tools"][0]).find(|it| it["parts"][1].is_object());
    let tool = with_parts.expect("a benchmark with threads");
    let ir = |part: &Value| part["metrics"]["Ir"]["new"].as_u64().unwrap();
    let sum: u64 = tool["parts"].as_array().unwrap().iter().map(ir).sum();
    assert_eq!(Some(sum), tool["total"]["Ir"]["new"].as_u64());
    assert_eq!(tool["parts"][0]["new"]["thread"], 1);
}

#[test]
fn a_summary_is_saved_next_to_the_results() {
    let order = Suite::new("order");
    let run = order.run(&["five", "--save-summary"]).expect(0);
    assert!(run.stdout.contains("Instructions:"), "the terminal shows what it always does");
    let path = order.directory().join("numbers/fibonacci.five/summary.json");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1);
    let saved = objects(&text);
    assert_eq!(saved[0]["tools"][0]["total"]["Ir"]["old"], json!(null));

    let mut command = order.command();
    let run =
        end_to_end_tests::run(command.arg("five").env("IAI_CALLGRIND_SAVE_SUMMARY", "pretty-json"));
    let _ = run.expect(0);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() > 100);
    assert!(objects(&text)[0]["tools"][0]["total"]["Ir"]["old"].is_u64());
    let names = names_of_results(&path.with_file_name(""));
    assert_eq!(names.len(), 4 + 4 + 1, "{names:?}");
}

#[test]
fn formats_that_are_not_there_are_a_wrong_argument() {
    let order = Suite::new("order");
    let _ = order.report(&["five"]);
    let before = tree(order.root());
    for argument in ["--output-format=xml", "--output-format", "--save-summary=default"] {
        let run = order.run(&[argument]).expect(2);
        assert_eq!(run.stdout, "");
        assert_unchanged(&before, &tree(order.root()));
    }
    order.run(&["--output-format=xml"]).complains(&["'xml'", "pretty-json"]);
}

/// Benchmark files with arguments that show as much as possible, and the benchmarks that run.
const FILES: [(&str, &[&str]); 19] = [
    ("allocations", &["--callgrind-metrics=allocations", "growth"]),
    ("compare", &["--show-only-comparison"]),
    ("configuration", &["output"]),
    ("counters", &["--counter-limits=nodes visited=1%|41", "in_teardown"]),
    ("failures", &["--nocapture"]),
    ("flamegraphs", &["--flamegraph", "changes"]),
    ("growth", &["crossing"]),
    ("inside", &["--seeds=3", "--seed=7", "hash_map::small"]),
    ("items", &["files::text"]),
    ("migrated", &["--tolerance=50"]),
    ("order", &["--callgrind-limits=@all=1%|100"]),
    ("order_reversed", &["--nosummary"]),
    ("panics", &[]),
    ("prints", &["--nocapture=stdout"]),
    ("quickstart", &[]),
    ("regions", &["--show-intermediate", "thread"]),
    ("regression", &[]),
    ("throughput", &["--callgrind-limits=@all=1%|0", "kinds"]),
    ("tools", &["heap::nothing"]),
];

// Nothing to compare with, and then the results before
#[test]
fn lines_of_every_benchmark_file_are_as_the_schema_says() {
    for (file, arguments) in FILES {
        let suite = Suite::new(file);
        for _ in 0..2 {
            let run = suite.run(&[arguments, &["--output-format=json", "--save-summary"]].concat());
            let lines: Vec<_> = run.stdout.lines().flat_map(objects).collect();
            assert!(!lines.is_empty(), "{file}: {}", run.stderr);
            assert_eq!(lines, objects(&run.stdout), "one on each line");
            for line in &lines {
                assert!(line["name"].as_str().unwrap().starts_with(&format!("{file}::")), "{line}");
            }
        }
    }
}
