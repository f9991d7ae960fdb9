//! The most memory that a benchmark has at one time.

use end_to_end_tests::{Suite, names_of_results};

const METRICS: &str = "--dhat-metrics=regionpeakbytes,regionpeakblocks";

#[test]
fn peaks_have_limits_and_are_stored() {
    let suite = Suite::new("peaks");
    let only_limits = ["--tools=dhat", "one::", "--dhat-limits=regionpeakbytes=99"];
    let run = suite.run(&only_limits).expect(3);
    assert!(!run.stdout.contains("  Region peak bytes:"), "{}", run.stdout);
    let _ = suite
        .run(&["--tools=dhat", "one::", "--dhat-limits=regionpeakbytes=100,regionpeakblocks=1"])
        .expect(0);
    let name = "peaks/one.case/dhat.one.case.peak.json";
    assert!(names_of_results(&suite.directory()).iter().any(|path| path == name));
    let stored = suite.run(&["--tools=dhat", "one::", METRICS]).expect(0);
    assert!(
        stored.stdout.contains("  Region peak bytes:            100|100             (No change)")
    );
    // The trace is not kept
    let log = suite.directory().join("peaks/one.case/dhat.one.case.log");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(
        log.contains("== Total:") && !log.contains("malloc(") && !log.contains("region-"),
        "{log}"
    );
    // Without the metrics nothing is traced
    let _ = suite.run(&["--tools=dhat", "one::"]).expect(0);
    let current = names_of_results(&suite.directory());
    assert!(!current.iter().any(|path| path == name), "{current:?}");
}
