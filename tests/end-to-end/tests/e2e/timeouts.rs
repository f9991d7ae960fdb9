//! Benchmarks that take longer than `--timeout` are ended, and the others run.

use std::process::Stdio;

use end_to_end_tests::{
    Run, Suite, is_empty, processes_of, processes_with, run, shared_report, soon,
};

const KILLED: &str = "timed out after 8s and was killed\n";
/// A timeout for processes that start under Valgrind within it, which a busy machine makes long.
const ALONE: &str = "--timeout=30s";
const KILLED_ALONE: &str = "timed out after 30s and was killed\n";
const ADVICE: &str = "help: check for a deadlock or raise --timeout";

/// Runs the suite with a timeout, and asserts that nothing of it is left.
fn run_with_timeout(suite: &Suite, timeout: &str, argument: &str) -> Run {
    let mark = format!("STARTED={}", suite.root().display());
    let mut command = suite.command();
    command.env("STARTED", suite.root()).args([timeout, "--env-clear=no", argument]);
    let run = run(command.stdin(Stdio::null()));
    assert!(soon(|| processes_with(&mark).is_empty()), "{:?}", processes_with(&mark));
    run
}

#[test]
fn functions() {
    for parallel in ["--parallel=1", "--parallel=4"] {
        let hangs = Suite::new("hangs");
        let run = run_with_timeout(&hangs, "--timeout=8s", parallel).expect(1);
        let report = run.report();
        assert_eq!(report.names(), ["group::good_before", "group::good_after"]);
        assert!(report.summary.starts_with("Failed. 4 benchmarks ran, 0 regressed, 2 failed"));
        // Two that hang, one after the other, take longer than the 10 s between two lines of progress
        let after = |line: &String| {
            let (_, after) = line.split_once(" of 4 done after ")?;
            after.strip_suffix(" s")?.parse().ok()
        };
        let first = run.progress.first().and_then(after);
        let has_progress = first.is_some_and(|seconds: u64| seconds >= 10);
        assert!(parallel != "--parallel=1" || has_progress, "{:?}", run.progress);
        for name in ["sleeps", "waits"] {
            run.complains(&[&format!("error: hangs::group::{name}: {KILLED}{ADVICE}\n")]);
            run.complains(&[&format!("    output before {name}")]);
            assert!(!hangs.result(&format!("group::{name}"), "out").exists());
        }
    }
}

#[test]
fn functions_that_run_alone() {
    let run = run_with_timeout(&Suite::new("hangs"), ALONE, "--default-tool=bbv").expect(1);
    assert!(run.stdout.contains("Failed. 4 benchmarks ran, 0 regressed, 2 failed"));
    run.complains(&["error: hangs::group::sleeps: ", "error: hangs::group::waits: ", KILLED_ALONE]);
}

#[test]
fn commands_and_their_set_up() {
    let slow = Suite::new("slow");
    let temporary = slow.subdirectory("tmp");
    let mut command = slow.command();
    command.env("TMPDIR", &temporary).args(["--timeout=8s", "--parallel=3"]);
    let run = run(&mut command).expect(1);
    assert!(run.stdout.contains("Failed. 3 benchmarks ran, 0 regressed, 3 failed"));
    let [command, server] = ["command", "server"].map(|name| format!("slow::group::{name}"));
    run.complains(&[&command, &server, KILLED, ADVICE]);
    run.complains(&[&format!("setup: {KILLED}{ADVICE}")]);
    assert!(is_empty(&temporary));
}

// In the process from which benchmarks are forked, and in the own process of each benchmark.
#[test]
fn code_between_benchmarks() {
    for (tool, timeout, killed) in
        [("callgrind", "--timeout=8s", KILLED), ("bbv", ALONE, KILLED_ALONE)]
    {
        let suite = Suite::new("criterion_hangs");
        let hang = format!("--envs=HANG={}", suite.root().join("hangs").display());
        let tool = format!("--default-tool={tool}");
        let run = suite.run(&[&hang, timeout, "--parallel=2", &tool]).expect(1);
        assert!(run.stdout.contains("Failed. 3 benchmarks ran, 0 regressed, 2 failed"), "{tool}");
        let [before, after, behind] =
            ["before", "after", "behind"].map(|name| format!("criterion_hangs::benches::{name}"));
        let killed = format!("the code between {before} and {after}: {killed}{ADVICE}");
        assert!(run.error_of(&after).contains(&killed), "{}", run.stderr);
        assert!(!run.stderr.contains(&format!("error: {before}")), "{}", run.stderr);
        // In a process of its own, it can start before the other has timed out
        let error = run.error_of(&behind);
        let is_behind = error.contains("did not run: the code of the file before it did not end");
        assert!(
            is_behind || tool.ends_with("bbv") && error.contains("the code between"),
            "{error}"
        );
        assert_eq!(processes_of(&suite.home()), [""; 0]);
    }
}

// A thread that never ends shows in its time.
#[test]
fn threads_are_listed() {
    let suite = Suite::new("criterion_hangs");
    let hang = format!("--envs=HANG={} THREAD=yes", suite.root().join("hangs").display());
    let run = suite.run(&["after", &hang, "--timeout=5s"]).expect(1);
    let error = run.error_of("criterion_hangs::benches::after");
    let (_, threads) = error.split_once("threads:\n").expect("a list of threads");
    let times: Vec<_> = threads.lines().take_while(|line| line.contains("): ran for ")).collect();
    assert!(times.len() > 1 && times[0].trim_start().starts_with("main ("), "{error}");
}

#[test]
fn what_is_fast_enough_is_left_alone() {
    let report = Suite::new("order").report(&["--timeout=5m"]);
    assert_eq!(report.values(), shared_report("order", &[]).values());
    let run = Suite::new("order").run(&["--timeout=5"]).expect(2);
    run.complains(&["expected a duration such as `10s`, `500ms` or `2m`"]);
}
