//! Arguments for Valgrind that the user gives.

use end_to_end_tests::{Suite, run, shared_report};

const TEN: &str = "numbers::bubble_sort::ten";

/// Returns the labels that are printed for a benchmark.
fn labels(stdout: &str) -> Vec<&str> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("  "));
    lines.filter_map(|line| Some(line.split_once(':')?.0)).collect()
}

#[test]
fn without_cache_simulation_nothing_is_derived_from_it() {
    let (order, first) = Suite::after("order", &[TEN]);
    let plain = first.instructions(TEN);
    for arguments in
        [["--callgrind-args=--cache-sim=no", TEN], ["--valgrind-args=--cache-sim=no", TEN]]
    {
        let stdout = order.run(&arguments).expect(0).stdout;
        assert_eq!(labels(&stdout), ["Instructions"], "{stdout}");
        assert!(stdout.contains(&format!("{plain}|{plain}")), "{stdout}");
    }
    let mut command = order.command();
    command.arg(TEN).env("IAI_CALLGRIND_CALLGRIND_ARGS", "--cache-sim=no --dump-instr=yes");
    let stdout = run(&mut command).expect(0).stdout;
    assert_eq!(labels(&stdout), ["Instructions"], "{stdout}");
    assert!(stdout.contains(&format!("{plain}|{plain}")), "two columns of positions: {stdout}");
}

#[test]
fn the_users_cache_sizes_win() {
    let order = Suite::new("order");
    let _ = order.report(&["thousand"]);
    let small = order.report(&["--callgrind-args=--D1=1024,2,64", "thousand"]);
    let lines = &small.benchmarks[0].lines;
    assert_eq!(lines[0].change, "(No change)", "instructions");
    assert!(lines[2].new > 100, "accesses that a cache of 1 KiB misses: {}", lines[2].new);
}

#[test]
fn arguments_that_the_runner_needs_itself_are_ignored_with_a_warning() {
    let (order, first) = Suite::after("order", &[TEN]);
    let plain = first.values();
    let arguments = "--callgrind-args=--callgrind-out-file=/tmp/x --log-file=/tmp/y --tool=dhat";
    let run = order.run(&[arguments, TEN]).expect(0);
    run.complains(&["--callgrind-out-file=/tmp/x", "--log-file=/tmp/y", "--tool=dhat"]);
    assert_eq!(run.report().values(), plain);
}

// Verbose logs and those with the time in each line are read like others.
#[test]
fn other_forms_of_the_logs_are_read_too() {
    let order = Suite::new("order");
    let arguments = ["--tools=memcheck", "--valgrind-args=-v --time-stamp=yes", TEN];
    let stdout = order.run(&arguments).expect(0).stdout;
    let errors = stdout.lines().find(|line| line.trim_start().starts_with("Errors:"));
    assert!(errors.is_some_and(|line| line.contains(" 0|")), "{stdout}");
    // The logs name the processes that the benchmark starts
    let regions = Suite::new("regions");
    let name = "regions::processes::process";
    let plain = shared_report("regions", &["regions::processes::"]).values();
    let stamped = regions.report(&[name, "--valgrind-args=--time-stamp=yes"]).values();
    assert_eq!(stamped["processes::process"], plain["processes::process"]);
}

#[test]
fn an_argument_that_valgrind_does_not_know_is_reported_in_its_words() {
    let order = Suite::new("order");
    let run = order.run(&["--callgrind-args=--no-such-option", TEN]).expect(1);
    run.complains(&["ended before the benchmarks did", "--no-such-option"]);
    order.run(&["--callgrind-args='--open", TEN]).expect(2).complains(&["has no end"]);
}
