//! Instructions for each byte, element or bit: values, comparisons, limits and formats.

use std::collections::BTreeMap;
use std::fs;

use end_to_end_tests::{Suite, objects, stored};
use serde_json::{Value, json};

use crate::reports::assert_formats;

const BYTES: &str = "in_file::kinds::bytes";
/// A filter that selects this benchmark only.
const ONLY_BYTES: &str = "*::kinds::bytes";
const FOUR_BYTES: &str = "{\"throughput\":{\"Bytes\":[4]},";

/// Returns the labels of the lines of the benchmark with this title, with the rest of the line.
fn per_unit<'a>(stdout: &'a str, title: &str) -> Vec<(&'a str, String)> {
    let mut lines = stdout.lines().skip_while(|line| *line != title);
    assert!(lines.next().is_some(), "no {title} in\n{stdout}");
    let lines = lines.map_while(|line| line.strip_prefix("  ")).skip(6);
    let line = |line: &'a str| {
        let (label, rest) = line.split_once(':').expect("a label");
        (label, rest.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    lines.map(line).collect()
}

/// Returns the benchmark file after a run of the benchmark [`BYTES`].
fn after_a_run() -> Suite {
    let suite = Suite::new("throughput");
    let _ = suite.run(&[ONLY_BYTES]).expect(0);
    suite
}

fn json_of(suite: &Suite, arguments: &[&str]) -> Vec<Value> {
    objects(&suite.run(&[&["--output-format=json"], arguments].concat()).expect(0).stdout)
}

/// Returns the new values of the metrics that depend on a throughput, by their names.
fn values(object: &Value) -> Value {
    let total = object["tools"][0]["total"].as_object().expect("metrics");
    let values = total.iter().filter(|(name, _)| name.starts_with("IrPer"));
    values.map(|(name, metric)| (name.clone(), metric["new"].clone())).collect()
}

#[test]
fn the_innermost_throughput_divides_the_instructions() {
    let suite = Suite::new("throughput");
    let objects = json_of(&suite, &[]);
    let found: BTreeMap<_, _> = objects
        .iter()
        .map(|object| {
            assert_eq!(object["tools"][0]["total"]["Ir"]["new"], 1, "{object:#}");
            let name = object["name"].as_str().expect("a name");
            (name.strip_prefix("throughput::").expect("the file"), values(object))
        })
        .collect();
    let bytes = |divisor: u32| json!({ "IrPerByte": 1.0 / f64::from(divisor) });
    let elements = |divisor: u32| json!({ "IrPerElement": 1.0 / f64::from(divisor) });
    let bits = |divisor: u32| json!({ "IrPerBit": 1.0 / f64::from(divisor) });
    let expected = BTreeMap::from([
        (BYTES, bytes(4)),
        ("in_file::kinds::bytes_decimal", bytes(1000)),
        ("in_file::kinds::elements", elements(8)),
        ("in_file::kinds::both", json!({ "IrPerByte": 0.0625, "IrPerElement": 0.5 })),
        ("in_file::kinds::bits", bits(3)),
        ("in_file::kinds::zero", json!({})),
        ("in_file::of_file::file", bytes(100)),
        ("in_file::inputs::function", bytes(4)),
        ("in_file::inputs::closure", bits(32)),
        ("in_file::inputs::value", elements(1)),
        ("in_file::inputs::args_0", bytes(1)),
        ("in_file::inputs::args_1", bytes(5)),
        ("in_file::inputs::file_0", bytes(3)),
        ("in_file::inputs::file_1", bytes(9)),
        ("in_file::inputs::file_2", json!({})),
        ("in_file::inputs::file_3", bytes(15)),
        ("in_file::inputs::iter_0", bytes(1)),
        ("in_file::inputs::iter_1", bytes(2)),
        ("in_file::several::pair_0", elements(2)),
        ("in_file::several::pair_1", elements(12)),
        ("in_file::setups::args_0", bytes(2)),
        ("in_file::setups::args_1", bytes(5)),
        ("in_file::setups::iter_0", bytes(2)),
        ("in_file::setups::iter_1", bytes(5)),
        ("in_file::setups::closure", bytes(2)),
        ("in_group::of_group::group", elements(10)),
        ("in_group::of_function::function", bytes(25)),
        ("in_group::of_function::config", elements(40)),
        ("in_group::of_function::case", bits(50)),
    ]);
    assert_eq!(found, expected);

    let find = |name: &str| {
        let name = format!("throughput::{name}");
        let tool = |object: &Value| object["tools"][0].clone();
        objects.iter().find(|object| object["name"] == *name).map(tool).expect("a benchmark")
    };
    let metric = json!({
        "label": "Ir per byte", "unit": "ratio",
        "new": 0.25, "old": null, "change": null, "tolerated": false,
    });
    assert_eq!(find(BYTES)["total"]["IrPerByte"], metric);
    let shown = |name: &str| find(name)["shown"].as_array().expect("names")[6..].to_vec();
    assert_eq!(shown(BYTES), ["IrPerByte"]);
    assert_eq!(shown("in_file::kinds::both"), ["IrPerByte", "IrPerElement"]);
    assert!(shown("in_file::kinds::zero").is_empty());
    assert!(suite.result(BYTES, "amounts.json").exists());
}

#[test]
fn cachegrind_divides_its_instructions_and_other_tools_have_none() {
    let suite = Suite::new("throughput");
    let arguments = ["--default-tool=cachegrind", "--tools=dhat", ONLY_BYTES];
    let objects = json_of(&suite, &arguments);
    let [cachegrind, dhat] = [&objects[0]["tools"][0], &objects[0]["tools"][1]];
    assert_eq!(cachegrind["tool"], "cachegrind");
    // Older versions of Valgrind count the whole process
    let instructions = cachegrind["total"]["Ir"]["new"].as_f64().expect("a number");
    assert_eq!(values(&objects[0]), json!({ "IrPerByte": instructions / 4.0 }));
    assert_eq!(dhat["tool"], "dhat");
    assert!(dhat["total"].get("IrPerByte").is_none(), "{dhat:#}");
}

#[test]
fn the_old_value_has_the_old_throughput() {
    let suite = after_a_run();
    let stored = suite.result(BYTES, "amounts.json");
    assert!(fs::read_to_string(&stored).unwrap().starts_with(FOUR_BYTES));
    let title = "throughput::in_file::kinds bytes:";
    let next = || per_unit(&suite.run(&[ONLY_BYTES]).expect(0).stdout, title)[0].1.clone();
    assert_eq!(next(), "0.25000|0.25000 (No change)");
    fs::write(&stored, "{\"throughput\":{\"Bytes\":[5]}}").unwrap();
    assert_eq!(next(), "0.25000|0.20000 (+25.0000%) [+1.25000x]");
    let old = suite.result(BYTES, "old.amounts.json");
    assert_eq!(
        fs::read_to_string(old).unwrap(),
        "{\"throughput\":{\"Bytes\":[5]}}",
        "it moves with its result"
    );
    suite.pretend(BYTES, 2);
    assert_eq!(next(), "0.25000|0.50000 (-50.0000%) [-2.00000x]");
    // Neither another unit nor an older result has a value to compare with
    fs::write(&stored, "{\"throughput\":{\"Bits\":[5]}}").unwrap();
    assert_eq!(next(), "0.25000|N/A (*********)");
    fs::remove_file(&stored).unwrap();
    assert_eq!(next(), "0.25000|N/A (*********)");
    fs::write(&stored, "{\"throughput\":{\"Bytes\":[").unwrap();
    suite.run(&[ONLY_BYTES]).expect(1).complains(&["amounts.json:1: "]);
}

#[test]
fn limits_hold_for_it() {
    let suite = after_a_run();
    let run = |limits: &str, code| {
        let limits = format!("--callgrind-limits={limits}");
        let run = suite.run(&[&limits, ONLY_BYTES]).expect(code);
        let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("    "));
        lines.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let message = "Ir per byte 0.25000 (limit 0.20000)";
    assert_eq!(run("irperbyte=0.2", 3), [message]);
    assert!(run("irperbyte=0.25,irperbit=0,irperelement=0", 0).is_empty());
    let stored = suite.result(BYTES, "amounts.json");
    fs::write(&stored, "{\"throughput\":{\"Bytes\":[5]}}").unwrap();
    let message = "Ir per byte +25 % (limit +5 %): 0.20000 → 0.25000";
    assert_eq!(run("ir=5%,irperbyte=5%", 3), [message]);
    fs::remove_file(&stored).unwrap();
    assert!(run("irperbyte=5%", 0).is_empty(), "there is nothing to compare with");
}

#[test]
fn every_format_and_stored_results_have_it() {
    let suite = Suite::new("throughput");
    let _ = suite.run(&["--save-baseline=main", ONLY_BYTES]).expect(0);
    let baseline = suite.result(BYTES, "base@main.amounts.json");
    assert!(fs::read_to_string(&baseline).unwrap().starts_with(FOUR_BYTES));
    fs::write(&baseline, "{\"throughput\":{\"Bytes\":[2]}}").unwrap();
    let expected = [
        ("markdown", "| Ir per byte | 0.50000 | 0.25000 | 🔹 -50 % |"),
        ("junit", "Ir per byte: 0.5 → 0.25 (-50 %)"),
        ("bmf", "\"ir-per-byte\": {\n      \"value\": 0.25\n"),
        (
            "github-action-benchmark",
            "Ir per byte\",\n    \"unit\": \"ratio\",\n    \"value\": 0.25",
        ),
    ];
    assert_formats(&suite, &["--baseline=main", ONLY_BYTES], &expected);
    let first = ["--output-format=bencher", "--callgrind-metrics=irperbyte", ONLY_BYTES];
    let printed = suite.run(&first).expect(0).stdout;
    assert!(printed.contains("bench:        0.25 ir_per_byte/iter"), "{printed}");

    let archive = suite.root().join("main.tar.gz");
    let archive = archive.to_str().expect("UTF-8");
    let _ = stored(&suite.home(), &["export", "--baseline=main", archive]).expect(0);
    let other = suite.subdirectory("other");
    let _ = stored(&other, &["import", archive]).expect(0);
    let report = stored(&other, &["report", "--load-baseline=main", "--format=json"]).expect(0);
    assert_eq!(values(&objects(&report.stdout)[0]), json!({ "IrPerByte": 0.5 }));
}
