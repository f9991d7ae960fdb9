//! Metrics: the shown ones, their order, and their values.

use std::collections::BTreeMap;

use end_to_end_tests::lines::{blocks, labels, only, value};
use end_to_end_tests::{LABELS, Suite};

const TEN: &str = "numbers::bubble_sort::ten";
const RATES: [&str; 8] = [
    "I1 Miss Rate",
    "LLi Miss Rate",
    "D1 Miss Rate",
    "LLd Miss Rate",
    "LL Miss Rate",
    "L1 Hit Rate",
    "LL Hit Rate",
    "RAM Hit Rate",
];

#[test]
fn all_metrics_that_callgrind_can_count() {
    let arguments = "--callgrind-args=--branch-sim=yes --collect-bus=yes --collect-systime=nsec \
                     --simulate-wb=yes";
    let stdout = Suite::new("order").run(&[arguments, "--callgrind-metrics=@all", TEN]).expect(0);
    let lines = only(&stdout.stdout);
    let misses = ["I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"];
    let others = [
        "SysCount",
        "SysTime",
        "SysCpuTime",
        "Ge",
        "Bc",
        "Bcm",
        "Bi",
        "Bim",
        "ILdmr",
        "DLdmr",
        "DLdmw",
        "Allocations",
        "Frees",
    ];
    let expected: Vec<_> = ["Instructions", "Dr", "Dw"]
        .iter()
        .chain(&misses)
        .chain(&RATES[..5])
        .chain(&LABELS[1..4])
        .chain(&RATES[5..])
        .chain(&LABELS[4..])
        .chain(&others)
        .copied()
        .collect();
    assert_eq!(labels(&lines), expected);

    let of = |label: &str| value(&lines, label);
    let sum = |labels: &[&str]| labels.iter().map(|label| of(label)).sum::<f64>();
    let total = sum(&["Instructions", "Dr", "Dw"]);
    assert_eq!(of("Total read+write").to_bits(), total.to_bits());
    for (rate, part, whole) in [
        ("I1 Miss Rate", &["I1mr"][..], &["Instructions"][..]),
        ("LLi Miss Rate", &["ILmr"], &["Instructions"]),
        ("D1 Miss Rate", &["D1mr", "D1mw"], &["Dr", "Dw"]),
        ("LLd Miss Rate", &["DLmr", "DLmw"], &["Dr", "Dw"]),
        ("LL Miss Rate", &["ILmr", "DLmr", "DLmw"], &["Total read+write"]),
        ("L1 Hit Rate", &["L1 Hits"], &["Total read+write"]),
        ("LL Hit Rate", &["L2 Hits"], &["Total read+write"]),
        ("RAM Hit Rate", &["RAM Hits"], &["Total read+write"]),
    ] {
        let expected = sum(part) / sum(whole) * 100.0;
        assert!((of(rate) - expected).abs() < 0.0001, "{rate}: {expected}");
    }
    assert!(of("Bc") > of("Bcm") && of("Bc") > 50.0, "sorting compares: {lines:?}");
}

#[test]
fn without_cache_simulation_there_are_instructions_and_calls() {
    let order = Suite::new("order");
    let run = order.run(&["--callgrind-args=--cache-sim=no", "--callgrind-metrics=@all", TEN]);
    let stdout = run.expect(0).stdout;
    assert_eq!(labels(&only(&stdout)), ["Instructions", "Allocations", "Frees"]);
}

#[test]
fn the_use_of_cache_lines() {
    let order = Suite::new("order");
    let stdout = order.run(&["--callgrind-args=--cacheuse=yes", "--callgrind-metrics=@cu,ir", TEN]);
    let stdout = stdout.expect(0).stdout;
    let labels = labels(&only(&stdout));
    assert_eq!(labels, ["AcCost1", "AcCost2", "SpLoss1", "SpLoss2", "Instructions"]);
}

/// Returns allocations and frees by the function and, if there is one, the id.
fn heap(stdout: &str) -> BTreeMap<&str, (f64, f64)> {
    let blocks = blocks(stdout).into_iter().map(|(title, lines)| {
        let name = title.strip_prefix("allocations::heap::").expect("the group");
        let name = name.split(':').next().unwrap_or(name);
        (name, (value(&lines, "Allocations"), value(&lines, "Frees")))
    });
    blocks.collect()
}

#[test]
fn allocations_are_counted_exactly() {
    let suite = Suite::new("allocations");
    for arguments in ["--callgrind-args=--cache-sim=yes", "--callgrind-args=--separate-callers=2"] {
        let stdout = suite.run(&["--callgrind-metrics=allocations,frees", arguments]).expect(0);
        let heap = heap(&stdout.stdout);
        for (name, expected) in [
            ("nothing", (0.0, 0.0)),
            ("boxes ten", (11.0, 0.0)),
            ("dropped ten", (0.0, 11.0)),
            ("growth hundred", (6.0, 6.0)),
            ("zeroed", (1.0, 1.0)),
            ("aligned", (3.0, 3.0)),
            ("own_free", (0.0, 0.0)),
            ("threads none", (1.0, 1.0)),
        ] {
            assert_eq!(heap[name], expected, "{name}");
        }
        // Besides its hundred, a thread takes some of the standard library's, the same for each
        let (allocations, frees) = heap["threads three"];
        let of_one = (allocations - 1.0) / 3.0;
        assert!((100.0..120.0).contains(&of_one) && of_one.fract() == 0.0, "{of_one}");
        assert_eq!((allocations, frees), (frees, allocations));
        assert_eq!(heap["threads six"], (6.0 * of_one + 1.0, 6.0 * of_one + 1.0));
    }
}
