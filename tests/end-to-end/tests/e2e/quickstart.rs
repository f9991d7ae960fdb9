//! The Quickstart prints what the documentation shows.

use end_to_end_tests::{Suite, assert_snapshot, here, redact, shared_report, shared_run, skip};

/// The instructions of both cases in the documentation.
const DOCUMENTED: [u64; 2] = [1733, 26_214_733];

/// The instructions of both cases by architecture.
const COUNTS: [(&str, [u64; 2]); 2] = [("x86_64", DOCUMENTED), ("aarch64", [1279, 19_286_974])];

/// Pairs the instructions of this architecture with those in the documentation.
pub(crate) fn documented() -> Option<[(u64, u64); 2]> {
    here(&COUNTS).map(|[short, long]| [(short, DOCUMENTED[0]), (long, DOCUMENTED[1])])
}

/// Reports that the instructions of this architecture are not known.
pub(crate) fn skip_unknown() {
    skip("the instructions of another architecture are not known here");
}

#[test]
fn the_first_run_and_the_second_print_what_is_documented() {
    let Some(documented) = documented() else { return skip_unknown() };
    let first = shared_run("quickstart", &[]);
    let (quickstart, _) = Suite::after("quickstart", &[]);
    assert_snapshot(&redact(&first.stdout, &documented), "quickstart_first.txt");
    let second = quickstart.run(&[]).expect(0);
    assert_snapshot(&redact(&second.stdout, &documented), "quickstart_second.txt");
    assert_eq!((&*first.stderr, &*second.stderr), ("", ""));
}

#[test]
fn the_instructions_are_those_of_the_documentation() {
    let Some([short, long]) = here(&COUNTS) else { return skip_unknown() };
    let report = shared_report("quickstart", &[]);
    for (id, expected) in [("short", short), ("long", long)] {
        let counted = report.instructions(&format!("bench_fibonacci_group::bench_fibonacci::{id}"));
        assert!(counted.abs_diff(expected) <= 40, "{id}: {counted}");
    }
}

#[test]
fn a_change_prints_as_documented() {
    let quickstart = Suite::new("quickstart");
    let name = "bench_fibonacci_group::bench_fibonacci::short";
    let before = quickstart.report(&["short"]);
    quickstart.pretend(name, 1000);

    let after = quickstart.report(&["short"]);
    let [instructions, l1_hits, ..] = &*after.get(name).lines else { panic!("no lines") };
    assert_eq!(instructions.old, Some(1000));
    let percentage = 100.0 * (instructions.new as f64 / 1000.0 - 1.0);
    let factor = instructions.new as f64 / 1000.0;
    assert_eq!(instructions.change, format!("(+{percentage:.4}%) [+{factor:.5}x]"));
    assert!(l1_hits.change.starts_with("(+") && l1_hits.change.ends_with("x]"), "{l1_hits:?}");
    assert_eq!(before.values(), after.values());
}
