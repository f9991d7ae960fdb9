//! Counts of callgrind and cachegrind, and when they count.

use super::valgrind::{Run, run, version};

/// More than what `SOME` turns count in any build, and less than `MANY` turns
const BETWEEN: u64 = 1_500_000;

/// Less than what `SOME` turns count
const SOME: u64 = 10_000;

/// Returns the counts of callgrind in the parts of a process.
fn totals(run: &Run) -> Vec<u64> {
    let total = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("totals: "));
        line.and_then(|line| line.trim().parse().ok()).expect("a line with totals")
    };
    run.files("callgrind.out").iter().map(|(_, text)| total(text)).collect()
}

fn is_some(total: u64) -> bool {
    (SOME..BETWEEN).contains(&total)
}

#[test]
fn collection_is_toggled() {
    let run = run("callgrind", &["--collect-atstart=no"], "toggle");
    let [total] = totals(&run)[..] else { panic!("one file") };
    assert!(is_some(total), "{total}");
}

#[test]
fn counts_are_zeroed() {
    let [total] = totals(&run("callgrind", &[], "zero"))[..] else { panic!("one file") };
    assert!(is_some(total), "{total}");
}

#[test]
fn counts_are_dumped() {
    let run = run("callgrind", &["--callgrind-out-file=callgrind.out"], "dumps");
    let [last, first, second] = totals(&run)[..] else { panic!("three files") };
    assert!(first > BETWEEN && is_some(second) && last < BETWEEN, "{first} {second} {last}");

    let [_, (_, first), (_, second)] = &run.files("callgrind.out")[..] else { panic!() };
    assert!(first.contains("\ndesc: Trigger: Client Request\n"), "{first:.400}");
    assert!(second.contains("\ndesc: Trigger: Client Request: some\n"), "{second:.400}");
}

#[test]
fn instrumentation_is_switched() {
    let run = run("callgrind", &["--instr-atstart=no"], "instrumentation");
    let [total] = totals(&run)[..] else { panic!("one file") };
    assert!(is_some(total), "{total}");
}

#[test]
fn cachegrind_is_switched() {
    // Older versions don't know the requests, and must ignore them
    let knows = version() >= (3, 22);
    let options: &[&str] = if knows { &["--instr-at-start=no"] } else { &[] };
    let run = run("cachegrind", options, "cachegrind");
    let [(_, text)] = &run.files("cachegrind.out")[..] else { panic!("one file") };
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: ")).unwrap();
    let instructions = summary.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(is_some(instructions), knows, "{instructions}");
}
