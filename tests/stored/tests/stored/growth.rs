//! Growth of costs with the size of the input: classes, steps, changes, limits, crossovers and charts.

use std::fs;

use end_to_end_tests::growth::{growth, instructions};
use end_to_end_tests::{Suite, objects, shared_run};
use serde_json::{Value, json};

/// Returns the growth of the instructions of all curves, by name.
fn metrics(objects: &[Value]) -> Vec<(String, Value)> {
    let growth = objects.iter().map(|object| &object["growth"]).filter(|growth| !growth.is_null());
    let metric = |growth: &Value| {
        let curve = growth["curve"].as_str().expect("a name").to_owned();
        (curve, growth["tools"][0]["metrics"]["Ir"].clone())
    };
    growth.map(metric).collect()
}

fn metric<'a>(metrics: &'a [(String, Value)], curve: &str) -> &'a Value {
    let name = format!("growth::{curve}");
    let found = metrics.iter().find(|(title, _)| *title == name);
    &found.unwrap_or_else(|| panic!("no {name}")).1
}

/// Asserts that a term of the new fit has this factor.
fn assert_factor(metric: &Value, function: &str, factor: f64) {
    let terms = metric["new"]["terms"].as_array().expect("terms");
    let term = terms.iter().find(|term| term["function"] == *function).expect("the term");
    let found = term["factor"].as_f64().expect("a factor");
    assert!((found - factor).abs() < 1e-4 * factor, "{found} instead of {factor}: {metric:#}");
}

#[test]
fn steps_are_not_averaged() {
    let stdout = &shared_run("growth", &["classes"]).succeeded().stdout;
    let curves = growth(stdout);
    let constant = |piece: &str, end: &str| -> u64 {
        let piece = piece.trim_start().strip_prefix("6 n + ").unwrap_or(piece.trim_start());
        let (number, rest) = piece.split_once(' ').expect("a constant");
        assert!(rest.starts_with(end), "{piece}");
        number.parse().expect("a number")
    };
    for (curve, step, above) in [("constant step", 600, 128), ("linear dense", 800, 800)] {
        let first = instructions(&curves, &format!("classes::{curve}"));
        let name = format!("growth::classes::{curve}");
        let (_, lines) = curves.iter().find(|(title, _)| *title == name).expect("a curve");
        let before = constant(first, &format!("up to {above}"));
        let after = constant(lines[1], &format!("above {above}   O("));
        assert_eq!(after - before, step, "{lines:#?}");
    }
}

#[test]
fn irregular_costs_and_wrong_sizes_have_no_class() {
    let stdout = &shared_run("growth", &["classes"]).succeeded().stdout;
    let irregular = instructions(&growth(stdout), "classes::irregular n");
    assert!(irregular.starts_with("no class fits   residuals "), "{irregular}");
    assert!(irregular.contains(" % at 2047"), "{irregular}");
    let stdout = &shared_run("growth", &["::sizes::"]).succeeded().stdout;
    let curves = growth(stdout);
    for (id, reason) in [
        ("one", "1 size, and a fit needs 4"),
        ("repeated", "several inputs have the size 8: each needs another one"),
        ("zero", "an input has the size 0: sizes are 1 or more"),
        ("negative", "an input has the size -512: sizes are 1 or more"),
        ("close", "the sizes 8 to 63 are too close: a fit needs a factor of 8"),
    ] {
        let curve = format!("growth::sizes::wrong_sizes {id}");
        let (_, lines) = curves.iter().find(|(name, _)| *name == curve).expect("the curve");
        assert_eq!(*lines, [format!("Instructions:     {reason}")], "once for all metrics");
    }
    let unordered = instructions(&curves, "sizes::wrong_sizes unordered");
    assert!(unordered.starts_with("2 n + "), "{unordered}");
}

#[test]
fn a_part_of_the_sizes_is_what_the_user_wants() {
    let suite = Suite::new("growth");
    let run = suite.run(&["linear::n_8", "linear::n_16"]).expect(0);
    assert_eq!(growth(&run.stdout), []);
    assert_eq!(run.stderr, "");
}

/// Returns a suite with results of the old version of the functions that change.
fn with_old_version() -> Suite {
    let suite = Suite::new("growth");
    let _ = suite.run(&["changes"]).expect(0);
    suite
}

#[test]
fn a_worse_class_is_found_though_all_values_are_lower() {
    let suite = with_old_version();
    let arguments = ["changes", "--envs=GROWTH=class", "--output-format=json"];
    let run = suite.run(&arguments).expect(3);
    let objects = objects(&run.stdout);
    for object in &objects {
        let change = &object["tools"][0]["total"]["Ir"]["change"]["percentage"];
        assert!(change.as_f64().expect("a change") < 0.0, "{object:#}");
    }
    let metrics = metrics(&objects);
    let metric = metric(&metrics, "changes::without_limits n");
    assert_eq!(metric["old"]["class"], "n");
    assert_eq!(metric["new"]["class"], "n²");
    let text = "class changed from O(n) to O(n²)";
    assert_eq!(metric["change"], json!({ "text": text, "class": true, "per_element": null }));
    let last = objects.last().expect("a benchmark");
    assert_eq!(last["status"], "regressed");
    assert_eq!(
        last["tools"][0]["regressions"],
        json!([
            {
                "limit": { "metric": "Ir", "kind": "complexity", "value": "n", "learned_from": null, "learned_from_layouts": null },
                "new": "n²", "old": null,
                "message": "Instructions grow with O(n²) (limit O(n))",
            },
            {
                "limit": { "metric": "Ir", "kind": "per_element", "value": 2.0, "learned_from": null, "learned_from_layouts": null },
                "new": "n²", "old": null,
                "message": "Instructions per element grow: O(n) → O(n²) (limit +2 %)",
            },
        ])
    );
}

#[test]
fn constant_and_cost_per_element_change_separately() {
    let suite = with_old_version();
    let run = suite.run(&["changes", "--envs=GROWTH=constant"]).expect(0);
    let curves = growth(&run.stdout);
    let (_, lines) = &curves[0];
    assert!(lines[0].contains("16 n + 80"), "{lines:#?}");
    assert!(lines[1].trim_start().starts_with("old: 16 n + 240"), "{lines:#?}");
    assert!(lines[1].ends_with("O(n)   per element no change, constant -66.7 %"), "{lines:#?}");

    let run = suite.run(&["changes", "--envs=GROWTH=per_element"]).expect(3);
    let message = "Instructions per element +12.5 % (limit +2 %): 16 → 18";
    assert_eq!(run.stdout.matches(message).count(), 2, "below the benchmark and at the end");
    let run = suite.run(&["changes", "--envs=GROWTH=per_element", "--per-element=13%"]).expect(0);
    assert_eq!(growth(&run.stdout)[0].1.len(), 2, "the old line is missing if nothing changed");
}

#[test]
fn limits_on_the_command_line() {
    let suite = Suite::new("growth");
    let run = suite.run(&["quadratic", "linear::n", "--complexity=n log n"]).expect(3);
    let (before, _) = run.stdout.split_once("\nGrowth:\n").expect("the growth");
    let (_, regressions) = before.split_once("\nRegressions:\n").expect("the list before it");
    assert!(
        regressions.contains("Instructions grow with O(n²) (limit O(n log n))"),
        "{regressions}"
    );
    assert!(!regressions.contains("linear"), "{regressions}");
    let run = suite.run(&["irregular", "--complexity=ir=n"]).expect(3);
    let message = "Instructions have the limit O(n), but their class is not known: no class fits";
    assert!(run.stdout.contains(message), "{}", run.stdout);
    let run = suite.run(&["--complexity=n!"]).expect(2);
    assert!(run.stderr.contains("`n!` is not a class: write one of `1`"), "{}", run.stderr);
}

#[test]
fn functions_that_cross_have_the_size() {
    let stdout = &shared_run("growth", &["crossing"]).succeeded().stdout;
    let curves = growth(stdout);
    let (_, lines) = curves.iter().find(|(name, _)| name.ends_with("clever n")).expect("a curve");
    let crossing = lines.last().expect("a line");
    assert!(
        crossing.starts_with("simple is cheaper than clever below n = 96: Instructions "),
        "{crossing}"
    );
    assert!(crossing.contains(" at 64, ") && crossing.ends_with(" at 128"), "{crossing}");
    let others = curves.iter().filter(|(name, _)| !name.ends_with("clever n"));
    assert!(
        others.flat_map(|(_, lines)| lines).all(|line| !line.contains("cheaper")),
        "{curves:#?}"
    );
}

#[test]
fn each_metric_under_each_tool_has_a_fit() {
    let suite = Suite::new("growth");
    let arguments = ["linear::n_", "--tools=dhat", "--output-format=json"];
    let objects = objects(&suite.run(&arguments).expect(0).stdout);
    let growth = &objects.last().expect("a benchmark")["growth"];
    assert_eq!(growth["tools"][0]["tool"], "callgrind");
    let metrics = growth["tools"][0]["metrics"].as_object().expect("metrics");
    let names: Vec<_> = metrics.keys().collect();
    assert_eq!(names, ["EstimatedCycles", "Ir", "L1hits", "LLhits", "RamHits", "TotalRW"]);
    assert_factor(&metrics["Ir"], "n", 20.0);
    let sizes: Vec<_> = metrics["Ir"]["points"]
        .as_array()
        .expect("points")
        .iter()
        .map(|point| point["size"].clone())
        .collect();
    assert_eq!(sizes, [8, 16, 32, 64, 128, 256, 512, 1024]);
    assert_eq!(growth["tools"][1]["tool"], "dhat");
    let bytes = &growth["tools"][1]["metrics"]["TotalBytes"];
    assert_eq!(bytes["no_fit"], "it is 0 for all sizes");
    assert_eq!(bytes["new"], Value::Null);
}

#[test]
fn charts_have_all_series_of_a_function() {
    let suite = Suite::new("growth");
    let _ = suite.run(&["linear"]).expect(0);
    let chart = suite.directory().join("classes/linear.callgrind.Ir.growth.svg");
    let svg = fs::read_to_string(&chart).expect("a chart");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for text in ["linear n: 20 n", "linear series_k_5: 10 n", "linear series_k_15: 30 n"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains(", old"), "there are no old results");
}

#[test]
fn a_shard_has_whole_curves() {
    let suite = Suite::new("growth");
    let (mut fitted, mut ran) = (0, 0);
    for shard in ["1/2", "2/2"] {
        let arguments = ["classes", "crossing", "--shard", shard, "--output-format=json"];
        let objects = objects(&suite.run(&arguments).expect(0).stdout);
        let curves = metrics(&objects);
        assert!(curves.len() > 3, "{curves:#?}");
        assert!(curves.iter().all(|(_, metric)| metric["points"].as_array().unwrap().len() > 3));
        fitted += curves.len();
        ran += objects.len();
    }
    assert_eq!((fitted, ran), (16, 119));
}
