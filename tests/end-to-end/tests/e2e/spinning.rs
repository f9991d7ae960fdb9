//! Benchmarks with threads that spin end, count the same in every run, and leave no process.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;

use end_to_end_tests::{ProcessGroup, Suite, objects, processes_of, shared_report, soon};
use serde_json::Value;

// The thread that a routine waits for has its turn after the same number of steps.
#[test]
fn counts_are_the_same_next_to_others() {
    let spinning = ["--timeout=60s", "spin", "around"];
    let first = shared_report("criterion_threads", &spinning).all_instructions();
    assert_eq!(first.len(), 3, "{first:?}");
    // Valgrind takes the hint of AArch64 for no pause
    if cfg!(target_arch = "x86_64") {
        assert!(first["benches::spins"] > first["benches::spins_with_hint"], "{first:?}");
    }
    let in_parallel = [&spinning[..], &["--parallel=3"]].concat();
    assert_eq!(Suite::new("criterion_threads").report(&in_parallel).all_instructions(), first);
}

/// Returns the processes of these runs under Valgrind that have real-time priority and have not exited, without those that one
/// of them has started, on its CPU.
fn with_real_time(homes: &[PathBuf]) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let parent = |directory: &PathBuf| {
        let stat = fs::read_to_string(directory.join("stat")).ok()?;
        let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let command = fs::read(directory.join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let is_of_run = homes.iter().any(|home| command.contains(&*home.to_string_lossy()));
        let is_real_time = fields.get(38)? == &libc::SCHED_FIFO.to_string() && fields[0] != "Z";
        let is_one = is_real_time && is_of_run && command.contains("--tool=");
        is_one.then(|| format!("/proc/{}", fields[1]))
    };
    let paths = entries.map(|entry| entry.path());
    let found = paths.filter_map(|path| Some((path.display().to_string(), parent(&path)?)));
    let parents: BTreeMap<_, _> = found.collect();
    let is_first = |(_, parent): &(_, &String)| !parents.contains_key(*parent);
    parents.iter().filter(is_first).map(|(path, _)| path.clone()).collect()
}

// One CPU at most is taken from other programs, and the counts are those of a run alone.
#[test]
fn two_runs_share_the_machine_with_other_programs() {
    let spinning = ["--timeout=60s", "spin", "around"];
    let alone = shared_report("criterion_threads", &spinning).all_instructions();
    let suites = [(); 2].map(|()| Suite::new("criterion_threads"));
    let homes = suites.each_ref().map(Suite::home);
    let (mut most, mut seen) = (0, 0);
    thread::scope(|scope| {
        let runs = suites.each_ref().map(|suite| {
            let arguments = [&spinning[..], &["--parallel=2"]].concat();
            scope.spawn(move || suite.report(&arguments).all_instructions())
        });
        // The other program
        while !runs.iter().all(thread::ScopedJoinHandle::is_finished) {
            // Those of two looks: one process can have it after another one during a look
            let [first, second] = [(); 2].map(|()| with_real_time(&homes));
            let number = first.iter().filter(|process| second.contains(process)).count();
            most = most.max(number);
            seen += usize::from(number > 0);
        }
        for run in runs {
            assert_eq!(run.join().expect("a report"), alone);
        }
    });
    assert_eq!(most, 1, "processes with real-time priority at once, in {seen} looks");
}

// A thread that spins makes the same progress in every run, before a benchmark and between two of
// them.
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

// Valgrind lets the other threads go on during a call that can wait: for a disk, they would for as long as it takes.
#[test]
fn before_a_benchmark_nothing_waits_for_a_disk_while_threads_spin() {
    let name = "progress_until_now";
    let suite = Suite::new("criterion_threads");
    let arguments = ["--timeout=60s", "--valgrind-args=--trace-syscalls=yes", name];
    assert_eq!(suite.report(&arguments).all_instructions().len(), 1);
    let log = fs::read_to_string(suite.result(&format!("benches::{name}"), "log")).expect("a log");
    let (_, calls) = log.split_once(" sys_clone ").expect("a thread");
    let of_main = calls.lines().filter(|call| call.contains(",1]("));
    // The kernel has the directory of devices in memory
    let can_wait = |call: &&str| call.contains("--> [async]") && !call.contains("(/dev/null)");
    let names = of_main.filter(can_wait).filter_map(|call| call.split([')', '(']).nth(2));
    let names: BTreeSet<_> = names.map(str::trim).collect();
    // None of them takes a lock or waits for a device, and the last one is after the region
    assert_eq!(names, BTreeSet::from(["sched_yield", "sys_prctl", "sys_waitid", "sys_write"]));
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
