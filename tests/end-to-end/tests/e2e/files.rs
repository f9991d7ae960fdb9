//! The places of results, and Valgrind's own programs that read them.

use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::order::{expected, names};
use end_to_end_tests::{Suite, checkout, run, runner, skip};

#[test]
fn nothing_of_a_run_with_failures_is_left() {
    let failures = Suite::new("failures");
    let _ = failures.run(&[]).expect(1);
    let files = names(&failures.directory());
    assert!(files.iter().all(|name| name.starts_with("group/good_")), "{files:?}");
    assert_eq!(files.len(), 12, "{files:?}");
}

// In the target directory, which cargo marks with a tag, however it was configured.
#[test]
fn results_lie_in_the_target_directory() {
    let order = Suite::new("order").with_copy("there/x86_64/release/deps/order-0123456789abcdef");
    fs::write(order.root().join("there/CACHEDIR.TAG"), "").unwrap();
    let mut command = order.bare();
    command.arg("--bench").env("IAI_CALLGRIND_RUNNER", runner());
    let _ = run(&mut command).expect(0);
    let results = order.root().join("there/iai/benchmark-tests/order");
    assert_eq!(names(&results), expected(&["fingerprint.json", "out", "log", "table"]));
}

/// Runs `callgrind_annotate`, which must not complain. None if it isn't installed.
fn annotate(arguments: &[&str], profile: &Path) -> Option<String> {
    let mut command = Command::new("callgrind_annotate");
    let output = command.args(arguments).arg(profile).output().ok()?;
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {stderr}\n{stdout}");
    Some(stdout.into_owned())
}

/// Returns the counts and functions of an annotated profile that shows one event: the first is the total.
fn functions(annotated: &str) -> Vec<(u64, &str)> {
    let lines = annotated.lines().filter_map(|line| {
        let (count, rest) = line.trim_start().split_once(" (")?;
        let (_, function) = rest.split_once("%) ")?;
        Some((count.replace(',', "").parse().ok()?, function.trim()))
    });
    lines.collect()
}

#[test]
fn callgrind_annotate_shows_the_benchmark() {
    let regions = Suite::new("regions");
    let report = regions.report(&["regions::single::recursive"]);
    for id in ["ten", "twenty"] {
        let name = format!("single::recursive::{id}");
        let profile = regions.result(&name, "out");
        // As a user calls it, with annotated source
        let Some(_) = annotate(&[], &profile) else {
            skip("there is no callgrind_annotate");
            return;
        };
        let only_counts = ["--show=Ir", "--threshold=100", "--auto=no"];
        let annotated = annotate(&only_counts, &profile).expect("it was there before");
        let functions = functions(&annotated);
        let [(total, "PROGRAM TOTALS"), others @ ..] = &*functions else { panic!("{annotated}") };
        assert_eq!(*total, report.instructions(&name), "{annotated}");
        assert!(others[0].1.contains("regions::fibonacci"), "{annotated}");
        for (count, function) in others {
            let is_ours = ["iai_callgrind", ":core::", ":std::", "main"]
                .iter()
                .any(|part| function.contains(part) && !function.contains("regions::fibonacci"));
            assert!(!is_ours || count * 100 <= *total, "{function}\n{annotated}");
        }
        let inclusive = annotate(&["--inclusive=yes", "--show=Ir", "--auto=no"], &profile);
        let inclusive = inclusive.expect("it was there before");
        assert!(inclusive.contains("regions::recursive"), "{inclusive}");
    }
}

#[test]
fn callgrind_annotate_reads_what_threads_and_processes_leave() {
    for name in [
        "concurrent::threads",
        "concurrent::pool::dropped",
        "processes::process",
        "processes::forks::busy_child",
        "single::empty",
    ] {
        let (group, _) = name.split_once("::").expect("a group");
        // As in the tests of regions
        let (regions, report) = Suite::after("regions", &[&format!("regions::{group}::")]);
        let profile = regions.result(name, "out");
        let Some(annotated) = annotate(&["--show=Ir", "--auto=no"], &profile) else {
            skip("there is no callgrind_annotate");
            return;
        };
        let functions = functions(&annotated);
        let Some((total, "PROGRAM TOTALS")) = functions.first() else { panic!("{annotated}") };
        assert_eq!(*total, report.instructions(name), "{name}:\n{annotated}");
    }
}

/// Returns the lines of a profile from the first function on, without names, and sorted: callgrind's order of functions depends
/// on its arguments, and a name is where its number is first.
fn body(profile: &Path) -> Vec<String> {
    let profile = fs::read_to_string(profile).expect("there is a profile");
    let (_, body) = profile.split_once("\n\n").expect("a body");
    let number = |line: &str| line.split_inclusive(')').next().unwrap_or_default().to_owned();
    let mut lines: Vec<_> = body.lines().map(number).collect();
    lines.sort_unstable();
    lines
}

// Callgrind writes a call in progress, which a forked process starts with, relative to the last line with
// self cost, and the next line as well.
#[test]
fn profiles_have_the_lines_that_callgrind_writes_without_compression() {
    let regions = Suite::new("regions");
    let name = "processes::forks::busy_child";
    let _ = regions.report(&[&format!("regions::{name}")]);
    let profile = regions.result(name, "out");
    let relative = body(&profile);
    let include = format!("--include={}", checkout().display());
    if let Some(annotated) = annotate(&["--show=Ir", "--auto=yes", &include], &profile) {
        let line =
            annotated.lines().find(|line| line.ends_with("fibonacci(n - 1) + fibonacci(n - 2) }"));
        assert!(line.is_some_and(|line| !line.trim_start().starts_with('.')), "{annotated}");
        assert!(!annotated.contains("<bogus line"), "{annotated}");
    }
    let _ = regions.report(&[&format!("regions::{name}"), "--callgrind-args=--compress-pos=no"]);
    let absolute = body(&regions.result(name, "out"));
    assert!(relative == absolute, "{relative:#?}\n---\n{absolute:#?}");
}
