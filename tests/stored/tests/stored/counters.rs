//! Values that benchmarks report: output, comparisons, limits, formats, and what counts.

use std::fs;

use end_to_end_tests::lines::counters;
use end_to_end_tests::{Suite, objects, stored};
use serde_json::{Value, json};

use crate::reports::assert_formats;

const TEARDOWN: &str = "right::in_teardown::both";
/// A filter that selects this benchmark only.
const ONLY_TEARDOWN: &str = "*::in_teardown::*";

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
    let stored_again = fs::read_to_string(&stored).expect("counters");
    fs::write(&stored, stored_again.replace("[42]", "[30]")).unwrap();
    let run = suite.run(&["--counter-limits=nodes visited=41", "::limits::"]).expect(3);
    assert!(run.stdout.contains("nodes visited 42 (limit 41)"), "{}", run.stdout);
    assert!(!run.stdout.contains("(limit +10 %)"), "{}", run.stdout);
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
        ("junit", "nodes visited: 84 → 42 (-50 %)"),
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
    assert!(table.contains("84  42 (-50.0 %)"), "{table}");
    let limits = ["compare", "main", "@last", "--counter-limits=nodes visited=-10%,other=1"];
    let compared = stored(&home, &limits).expect(3);
    let regression = "nodes visited -50 % (limit -10 %): 84 → 42";
    assert!(compared.stdout.contains(regression), "{}", compared.stdout);
    compared.complains(&["the limit of the counter `other` has no effect"]);
    let _ = stored(&home, &["report", "--counter-limits=nodes visited=41"]).expect(3);
}
