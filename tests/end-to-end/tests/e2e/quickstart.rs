//! The Quickstart prints what the documentation shows.

use end_to_end_tests::{
    Suite, assert_snapshot, documented, redact, shared_report, shared_run, skip_unknown,
};

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
    let Some(documented) = documented() else { return skip_unknown() };
    let [short, long] = documented.map(|(here, _)| here);
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
