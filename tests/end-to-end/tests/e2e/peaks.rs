//! The most memory that a benchmark has at one time.

use std::collections::BTreeMap;

use end_to_end_tests::{Suite, objects};

const METRICS: &str = "--dhat-metrics=regionpeakbytes,regionpeakblocks";

/// Returns the peaks of each benchmark in bytes and in blocks.
fn peaks(json: &str) -> BTreeMap<String, (u64, u64)> {
    let results = objects(json).into_iter().map(|object| {
        let name = object["name"].as_str().expect("a name").replace("peaks::peaks::", "");
        let tools = object["tools"].as_array().expect("a list");
        let total = &tools.iter().find(|tool| tool["tool"] == "dhat").expect("DHAT")["total"];
        let value = |metric: &str| total[metric]["new"].as_u64().expect("a count");
        (name, (value("RegionPeakBytes"), value("RegionPeakBlocks")))
    });
    results.collect()
}

#[test]
fn peaks_are_exact_and_without_the_memory_of_the_setup() {
    let suite = Suite::new("peaks");
    let run = || suite.run(&["--tools=dhat", METRICS, "--output-format=json"]).expect(0).stdout;
    let first = peaks(&run());
    for (name, peak) in [
        ("nothing::case", (0, 0)),
        ("one::case", (100, 1)),
        ("one_after_the_other::case", (100, 1)),
        ("together::case", (160, 2)),
        ("growing::case", (1024, 1)),
        ("zeroed::case", (1000, 1)),
        ("aligned", (4096, 1)),
        ("recursive::case", (50, 5)),
        ("returned::case", (300, 1)),
        // The memory of the setup
        ("replaced::case", (7, 1)),
        ("grown_input::case", (120, 0)),
    ] {
        assert_eq!(first[name], peak, "{name}");
    }
    // Threads take some memory of the standard library's, the same for each size
    for (function, difference) in [("threads_together", 3 * 1000), ("threads_in_turn", 10_000)] {
        let [small, large] = ["small", "large"].map(|id| first[&format!("{function}::{id}")]);
        assert_eq!((large.0 - small.0, large.1), (difference, small.1), "{function}");
        assert!(small.1 >= 1);
    }
    assert_eq!(peaks(&run()), first);
}
