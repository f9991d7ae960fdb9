//! Benchmarks with threads that spin end, count the same in every run, and leave no process.

use std::process::Stdio;

use end_to_end_tests::{ProcessGroup, Suite, objects, processes_of, shared_report, soon};
use serde_json::Value;

// The thread that a routine waits for has its turn after the same number of steps.
#[test]
fn counts_are_the_same_next_to_others() {
    let spinning = ["--timeout=60s", "spin", "around"];
    let first = shared_report("criterion_threads", &spinning).all_instructions();
    assert_eq!(first.len(), 3, "{first:?}");
    assert!(first["benches::spins"] > first["benches::spins_with_hint"], "{first:?}");
    let in_parallel = [&spinning[..], &["--parallel=3"]].concat();
    assert_eq!(Suite::new("criterion_threads").report(&in_parallel).all_instructions(), first);
}

// A thread that spins comes as far in every run, before a benchmark and between two of them.
#[test]
fn threads_that_spin_take_the_same_steps_before_a_benchmark() {
    let progress = || Suite::new("criterion_threads").report(&["--timeout=60s", "progress"]);
    let first = progress().all_instructions();
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(progress().all_instructions(), first);
    let alone = Suite::new("criterion_threads").report(&["--timeout=60s", "until_the_end"]);
    let name = "benches::progress_until_the_end";
    assert_eq!(alone.instructions(name), first[name]);
}

// All but DHAT's lifetimes, which are measured in instructions.
#[test]
fn other_tools_count_the_same() {
    for tool in ["--default-tool=dhat", "--default-tool=memcheck"] {
        let arguments = ["--timeout=60s", "spins", tool, "--output-format=json"];
        let totals = || {
            let run = Suite::new("criterion_threads").run(&arguments).expect(0);
            let summaries = objects(&run.stdout);
            let total = |summary: &Value| {
                let mut total = summary["tools"][0]["total"].clone();
                // A block of another thread lives while the harness looks for idle threads, and parses their ids
                total.as_object_mut().expect("metrics").remove("TotalLifetimes");
                total
            };
            summaries.iter().map(total).collect::<Vec<_>>()
        };
        let first = totals();
        assert_eq!(first.len(), 2, "{first:?}");
        assert_eq!(totals(), first, "{tool}");
    }
}

#[test]
fn a_signal_ends_them() {
    let suite = Suite::new("criterion_hangs");
    let started = suite.root().join("started");
    let mut command = suite.command();
    command.arg(format!("--envs=HANG={} THREAD=yes", started.display())).stdin(Stdio::null());
    let mut run = ProcessGroup::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    run.wait_until(|| started.exists());
    run.signal(libc::SIGINT);
    assert_eq!(run.leader.wait().unwrap().code(), Some(130));
    assert!(soon(|| processes_of(&suite.home()).is_empty()));
}
