//! Values that benchmarks report: output, comparisons, limits, formats, and what counts.

use end_to_end_tests::lines::counters;
use end_to_end_tests::{Suite, here, objects};
use serde_json::{Value, json};

const TEARDOWN: &str = "right::in_teardown::both";

fn json_of(suite: &Suite, arguments: &[&str]) -> Vec<Value> {
    objects(&suite.run(&[&["--output-format=json"], arguments].concat()).expect(0).stdout)
}

/// Returns the new value of a metric of the first tool.
fn new_value<'a>(objects: &'a [Value], name: &str, metric: &str) -> &'a Value {
    let name = format!("counters::{name}");
    let object = objects.iter().find(|object| object["name"] == *name).expect("a benchmark");
    &object["tools"][0]["total"][metric]["new"]
}

#[test]
fn the_last_value_of_each_name_counts_wherever_it_is_reported() {
    let suite = Suite::new("counters");
    let printed = suite.run(&["::right::"]).expect(0).stdout;
    let of = |title: &str| counters(&printed, &format!("counters::right::{title}"));
    let setup = ["of the setup: 1", "nodes visited: 42", "compression ratio: 2.50000"];
    let lines = |values: &[&str]| -> Vec<_> {
        values.iter().map(|value| format!("{value}|N/A (*********)")).collect()
    };
    assert_eq!(of("in_setup both:"), lines(&setup));
    assert_eq!(of("in_function several_times:1000"), lines(&["nodes visited: 1000"]));
    assert_eq!(of("in_a_thread"), lines(&["nodes visited: 3"]));
    assert_eq!(
        of("with_a_long_name"),
        lines(&["a name with as many characters as the name of a counter has.: 1"])
    );
    assert_eq!(of("without"), lines(&[]));
    let values = ["i32: 5", "usize: 6", "u64: 18446744073709551615", "f32: 0.50000"];
    let values = lines(&[&values[..], &["whole: 3.00000", "zero: 0"]].concat());
    assert_eq!(of("kinds integers:"), values);
    // Natively, nothing happens
    let native = suite.bare().output().expect("the executable runs");
    assert!(native.status.success(), "{native:?}");
}

#[test]
fn a_report_does_not_count() {
    let suite = Suite::new("counters");
    let arguments = ["--tools=dhat", "--callgrind-metrics=@default,allocations", "::right::"];
    let objects = json_of(&suite, &arguments);
    let value = |name: &str, metric: &str| new_value(&objects, &format!("right::{name}"), metric);
    assert_eq!(value("without", "Ir"), 1);
    assert_eq!(value(TEARDOWN.trim_start_matches("right::"), "Ir"), 1);
    for metric in ["Ir", "TotalRW"] {
        let [long, short] =
            ["long", "short"].map(|name| value(&format!("with_a_{name}_name"), metric));
        assert_eq!(long, short, "the record of a long name takes more instructions");
    }
    // A call of a function with these arguments that does nothing else counts 10 and 16
    let short = value("with_a_short_name", "Ir").as_u64().expect("a count");
    if let Some(expected) = here(&[("x86_64", 10), ("aarch64", 20)]) {
        assert_eq!(short, expected);
    }
    let calls = |id| value(&format!("in_function::{id}"), "Ir").as_u64().expect("a count");
    let of_a_call = (calls("several_times") - calls("short")) / 999;
    let most = here(&[("aarch64", 15)]).unwrap_or(12);
    assert!((5..=most).contains(&of_a_call), "{of_a_call} instructions in each turn of the loop");
    for name in
        ["in_function::several_times", "with_a_long_name", TEARDOWN.trim_start_matches("right::")]
    {
        assert_eq!(value(name, "Allocations"), 0, "{name}");
        let name = format!("counters::right::{name}");
        let object = objects.iter().find(|object| object["name"] == *name).expect("a benchmark");
        let dhat = &object["tools"][1];
        assert_eq!(dhat["tool"], "dhat");
        assert_eq!(dhat["total"]["TotalBlocks"]["new"], 0, "{name}");
        assert!(dhat["total"].get("nodes visited").is_none(), "only the first tool has counters");
    }
}

#[test]
fn a_wrong_name_or_value_is_an_error_of_the_benchmark() {
    let suite = Suite::new("counters");
    let run = suite.run(&["::wrong::"]).expect(1);
    let name = "help: use 1 to 60 characters without `|`, `:`, `,` and `=`";
    let value = "is not a value\nhelp: report a finite number that is not negative";
    run.complains(&[
        &format!(
            "the benchmark reported the counter `nodes=visited`: the name contains `=`\n{name}"
        ),
        &format!("the benchmark reported the counter ``: the name is empty\n{name}"),
        "the benchmark reported the counter `ir`: a metric has that name",
        "the benchmark reported the counter `x",
        "`: the name is longer than 60 characters",
        "the benchmark reported the counter ` nodes`: the name starts or ends with a space",
        &format!("the benchmark reported the counter `nodes`: -1.5 {value}"),
        &format!("the benchmark reported the counter `nodes`: NaN {value}"),
        &format!("the benchmark reported the counter `balance`: -5 {value}"),
        "the benchmark reported more than 64 counters\nhelp: report fewer",
    ]);
    assert!(run.stdout.contains("9 benchmarks ran, 0 regressed, 9 failed"), "{}", run.stdout);
}

#[test]
fn files_of_criterion_and_divan_report_them() {
    let counters = |objects: &[Value], end: &str| -> Value {
        let is_it = |object: &&Value| object["name"].as_str().is_some_and(|it| it.ends_with(end));
        let found = objects.iter().find(is_it).expect("a benchmark");
        let total = found["tools"][0]["total"].as_object().expect("metrics");
        let counters = total.iter().filter(|(name, metric)| metric["label"] == **name);
        let counters = counters.filter(|(name, _)| name.starts_with(char::is_lowercase));
        counters.map(|(name, metric)| (name.clone(), metric["new"].clone())).collect()
    };
    let criterion = Suite::new("criterion_counters");
    let objects = json_of(&criterion, &[]);
    for (name, expected) in [
        ("routine", json!({ "calls": 1 })),
        ("setup", json!({ "in setup": 1.5 })),
        ("none", json!({})),
    ] {
        let name = format!("criterion_counters::benches::{name}");
        assert_eq!(counters(&objects, &name), expected, "{name}");
    }
    let run = criterion.run(&["--calls=10", "--warm-up-calls=2", "*::routine"]).expect(0).stdout;
    assert!(run.contains("calls:                         12|"), "{run}");
    let objects = json_of(&Suite::new("divan_counters"), &[]);
    for (name, expected) in
        [("routine", json!({ "in routine": 5 })), ("inputs", json!({ "in inputs": 0.5 }))]
    {
        assert_eq!(counters(&objects, name), expected, "{name}");
    }
}
