//! Values that benchmarks report: output, comparisons, limits, formats, and what counts.

use std::fs;

use end_to_end_tests::{Suite, here, objects};
use serde_json::{Value, json};

use crate::reports::assert_formats;
use crate::stored_results::stored;

const TEARDOWN: &str = "right::in_teardown::both";
/// A filter that selects this benchmark only.
const ONLY_TEARDOWN: &str = "*::in_teardown::*";

/// Returns the lines below the title of a benchmark after those of callgrind's six metrics, without repeated spaces.
fn counters(stdout: &str, title: &str) -> Vec<String> {
    let mut lines = stdout.lines().skip_while(|line| *line != title);
    assert!(lines.next().is_some(), "no {title} in\n{stdout}");
    let lines = lines.map_while(|line| line.strip_prefix("  ")).skip(6);
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn json_of(suite: &Suite, arguments: &[&str]) -> Vec<Value> {
    objects(&suite.run(&[&["--output-format=json"], arguments].concat()).expect(0).stdout)
}

/// Returns the new value of a metric of the first tool.
fn new_value<'a>(objects: &'a [Value], name: &str, metric: &str) -> &'a Value {
    let name = format!("counters::{name}");
    let object = objects.iter().find(|object| object["name"] == *name).expect("a benchmark");
    &object["tools"][0]["total"][metric]["new"]
}

/// Overwrites the stored counters of the last result of a benchmark.
fn pretend(suite: &Suite, nodes: u64, ratio: f64) {
    let ratio = ratio.to_bits();
    let counters = json!([
        { "name": "nodes visited", "value": { "Count": [nodes] } },
        { "name": "compression ratio", "value": { "Number": [ratio] } },
    ]);
    let path = suite.result(TEARDOWN, "amounts.json");
    fs::write(path, json!({ "counters": counters }).to_string()).expect("a result");
}

#[test]
fn they_come_after_the_metrics_and_are_compared() {
    let suite = Suite::new("counters");
    let title = "counters::right::in_teardown both:";
    let run = || counters(&suite.run(&[ONLY_TEARDOWN]).expect(0).stdout, title);
    assert_eq!(
        run(),
        ["nodes visited: 42|N/A (*********)", "compression ratio: 2.50000|N/A (*********)"]
    );
    assert_eq!(
        run(),
        ["nodes visited: 42|42 (No change)", "compression ratio: 2.50000|2.50000 (No change)"]
    );
    pretend(&suite, 40, 5.0);
    let changed = [
        "nodes visited: 42|40 (+5.00000%) [+1.05000x]",
        "compression ratio: 2.50000|5.00000 (-50.0000%) [-2.00000x]",
    ];
    assert_eq!(run(), changed);
    pretend(&suite, 40, 5.0);
    let only_changed = suite.run(&["--show=changed", ONLY_TEARDOWN]).expect(0).stdout;
    assert_eq!(counters(&only_changed, title), changed, "a counter is a change");
    let none = suite.run(&["--callgrind-metrics=none", ONLY_TEARDOWN]).expect(0).stdout;
    assert!(!none.contains("nodes"), "{none}");
    let tolerated = suite.run(&["--repeat=2", ONLY_TEARDOWN]).expect(0).stdout;
    let spread = "nodes visited:                 42               42               42";
    assert!(tolerated.contains(spread), "{tolerated}");
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
fn limits_hold_for_them() {
    let suite = Suite::new("counters");
    let run = |limits: &str, code| {
        let limits = format!("--counter-limits={limits}");
        let run = suite.run(&[&limits, ONLY_TEARDOWN]).expect(code);
        let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("    "));
        (lines.map(ToOwned::to_owned).collect::<Vec<_>>(), run.stderr)
    };
    let (regressions, _) = run("nodes visited=41|1%,compression ratio=2.25", 3);
    let messages = ["nodes visited 42 (limit 41)", "compression ratio 2.50000 (limit 2.25000)"];
    assert_eq!(regressions.len(), 2);
    assert!(
        messages.iter().all(|message| regressions.iter().any(|line| line == message)),
        "{regressions:?}"
    );
    pretend(&suite, 40, 5.0);
    let (regressions, _) = run("nodes visited=4%,compression ratio=-10%", 3);
    let messages = [
        "nodes visited +5 % (limit +4 %): 40 → 42",
        "compression ratio -50 % (limit -10 %): 5.00000 → 2.50000",
    ];
    assert!(
        messages.iter().all(|message| regressions.iter().any(|line| line == message)),
        "{regressions:?}"
    );
    pretend(&suite, 40, 5.0);
    assert_eq!(run("nodes visited=5%|42.5,compression ratio=5%", 0).0, [""; 0]);
    let (regressions, notes) = run("nodes=1", 0);
    assert!(regressions.is_empty());
    let note = "note: the limit of the counter `nodes` has no effect: no benchmark reported it";
    assert!(notes.contains(note), "{notes}");
    let wrong = suite.run(&["--counter-limits=a:b=1%"]).expect(2);
    wrong.complains(&["`a:b` is not the name of a counter: the name contains `:`"]);
}

#[test]
fn the_configuration_has_limits_too() {
    let suite = Suite::new("counters");
    let _ = suite.run(&["::limits::"]).expect(0);
    let stored = suite.result("limits::limited::both", "amounts.json");
    let text = fs::read_to_string(&stored).expect("counters");
    let old = text.replace("[42]", "[30]");
    assert_ne!(text, old);
    fs::write(&stored, old).unwrap();
    let run = suite.run(&["::limits::"]).expect(3);
    let message = "nodes visited +40 % (limit +10 %): 30 → 42";
    assert!(run.stdout.contains(message), "{}", run.stdout);
    // The command line replaces them
    let run = suite.run(&["--counter-limits=nodes visited=41", "::limits::"]).expect(3);
    let message = "nodes visited 42 (limit 41)";
    assert!(run.stdout.contains(message), "{}", run.stdout);
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
fn every_format_and_stored_results_have_them() {
    let suite = Suite::new("counters");
    let object = &json_of(&suite, &["--save-baseline=main", ONLY_TEARDOWN])[0]["tools"][0];
    let metric = |label: &str, unit: &str, new: Value| {
        let (old, change, tolerated) = (Value::Null, Value::Null, false);
        json!({ "label": label, "unit": unit, "new": new, "old": old, "change": change, "tolerated": tolerated })
    };
    let total = &object["total"];
    assert_eq!(total["nodes visited"], metric("nodes visited", "count", json!(42)));
    let ratio = metric("compression ratio", "ratio", json!(2.5));
    assert_eq!(total["compression ratio"], ratio);
    let shown = object["shown"].as_array().expect("names");
    assert_eq!(shown[6..], ["nodes visited", "compression ratio"]);

    let baseline = suite.result(TEARDOWN, "base@main.amounts.json");
    let text = fs::read_to_string(&baseline).expect("counters");
    fs::write(&baseline, text.replace("[42]", "[84]")).unwrap();
    let expected = [
        ("markdown", "| nodes visited | 84 | 42 | 🔹 -50 % |"),
        ("junit", "nodes visited: 42"),
        ("bmf", "\"nodes-visited\": {\n      \"value\": 42\n"),
        (
            "github-action-benchmark",
            "nodes visited\",\n    \"unit\": \"count\",\n    \"value\": 42",
        ),
    ];
    assert_formats(&suite, &["--baseline=main", ONLY_TEARDOWN], &expected);

    let archive = suite.root().join("main.tar.gz");
    let archive = archive.to_str().expect("UTF-8");
    let _ = stored(&suite.home(), &["export", "--baseline=main", archive]).expect(0);
    let other = suite.subdirectory("other");
    let _ = stored(&other, &["import", archive]).expect(0);
    let report = stored(&other, &["report", "--load-baseline=main", "--format=json"]).expect(0);
    assert_eq!(new_value(&objects(&report.stdout), TEARDOWN, "nodes visited"), 84);
    let home = suite.home();
    let table = stored(&home, &["compare", "main", "@last", "--metrics=counter:nodes visited"]);
    let table = table.expect(0).stdout;
    assert!(table.contains("nodes visited (callgrind nodes visited)"), "{table}");
    assert!(table.contains("84  42 (-50.0000%)"), "{table}");
    let limits = ["compare", "main", "@last", "--counter-limits=nodes visited=-10%,other=1"];
    let compared = stored(&home, &limits).expect(3);
    let regression = "nodes visited -50 % (limit -10 %): 84 → 42";
    assert!(compared.stdout.contains(regression), "{}", compared.stdout);
    compared.complains(&["the limit of the counter `other` has no effect"]);
    let _ = stored(&home, &["report", "--counter-limits=nodes visited=41"]).expect(3);
}

#[test]
fn files_of_criterion_and_divan_report_them() {
    let counters = |suite: &Suite, name: &str| -> Value {
        let objects = json_of(suite, &[]);
        let found = objects.iter().find(|object| object["name"] == name).expect("a benchmark");
        let total = found["tools"][0]["total"].as_object().expect("metrics");
        let counters = total.iter().filter(|(name, metric)| metric["label"] == **name);
        let counters = counters.filter(|(name, _)| name.starts_with(char::is_lowercase));
        counters.map(|(name, metric)| (name.clone(), metric["new"].clone())).collect()
    };
    let criterion = Suite::new("criterion_counters");
    for (name, expected) in [
        ("routine", json!({ "calls": 1 })),
        ("setup", json!({ "in setup": 1.5 })),
        ("none", json!({})),
    ] {
        let name = format!("criterion_counters::benches::{name}");
        assert_eq!(counters(&criterion, &name), expected, "{name}");
    }
    let run = criterion.run(&["--calls=10", "--warm-up-calls=2", "*::routine"]).expect(0).stdout;
    assert!(run.contains("calls:                         12|"), "{run}");
    let divan = Suite::new("divan_counters");
    for (name, expected) in
        [("routine", json!({ "in routine": 5 })), ("inputs", json!({ "in inputs": 0.5 }))]
    {
        let objects = json_of(&divan, &[]);
        let names: Vec<_> = objects.iter().filter_map(|object| object["name"].as_str()).collect();
        let name = names.iter().find(|known| known.ends_with(name)).expect("a benchmark");
        assert_eq!(counters(&divan, name), expected, "{name}");
    }
}
