//! The same counts with threads, random numbers, clocks and any number of CPUs.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use end_to_end_tests::{Suite, refuse, run, runner, shared_report, skip};

/// The capability of real-time priorities.
const SYS_NICE: libc::c_ulong = 23;

/// Returns true if this user may give threads a fixed order.
pub(crate) fn may_order_threads() -> bool {
    let attempt = || {
        let lowest = libc::sched_param { sched_priority: 1 };
        // SAFETY: the pointer is valid during the call, which concerns this thread alone.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const lowest) == 0 }
    };
    thread::spawn(attempt).join().unwrap()
}

#[test]
fn threads_count_the_same_in_every_run() {
    if !may_order_threads() {
        skip("this user may not use real-time priorities");
        return;
    }
    let first = shared_report("surroundings", &["threads"]);
    let suite = Suite::new("surroundings");
    for arguments in [&["threads", "--parallel=3"][..], &["threads", "--seed=random"]] {
        let run = suite.run(arguments).expect(0);
        assert_eq!(run.report().all_instructions(), first.all_instructions(), "{arguments:?}");
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn processes_that_a_function_starts_count_the_same_in_every_run() {
    if !may_order_threads() {
        skip("this user may not use real-time priorities");
        return;
    }
    let run = Suite::new("surroundings").run(&["processes"]).expect(0);
    assert!(!run.stderr.contains("note: "), "{}", run.stderr);
    let mut counts = BTreeMap::<_, Vec<_>>::new();
    for (name, count) in run.report().all_instructions() {
        let function = name.split_once("::times").map_or("", |(function, _)| function);
        counts.entry(function.to_owned()).or_default().push(count);
    }
    let numbers: Vec<_> = counts.values().map(Vec::len).collect();
    assert_eq!(numbers, [4, 5, 2], "{counts:?}");
    for counts in counts.values_mut() {
        counts.dedup();
        assert_eq!(counts.len(), 1, "{counts:?}");
    }
}

#[test]
fn a_user_who_may_not_order_threads_reads_how_to() {
    let suite = Suite::new("surroundings");
    let mut functions = suite.command();
    functions.args(["threads::mutex", "threads::channel"]);
    let mut commands = Command::new(runner());
    commands.current_dir(suite.root()).arg("exec").arg("--home").arg(suite.home());
    commands.args(["--", "sh", "-c", "/bin/true; /bin/true"]);
    for mut command in [functions, commands] {
        // SAFETY: the closure makes system calls alone.
        unsafe {
            command.pre_exec(|| {
                let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_RTPRIO, &raw const none);
                // Of the bounding set, so that no program gets it back
                libc::prctl(libc::PR_CAPBSET_DROP, SYS_NICE, 0, 0, 0);
                Ok(())
            });
        }
        let run = run(&mut command).expect(0);
        let note =
            "note: the counts of benchmarks with threads or processes can differ from run to run";
        assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("ulimit -r 4"), "{}", run.stderr);
    }
}

// With a fixed order, a thread that spins would keep the one that it waits for from running.
#[test]
fn threads_have_the_order_of_the_kernel_where_they_cannot_be_stopped() {
    let suite = Suite::new("criterion_threads");
    let mut command = suite.command();
    // As containers do
    refuse(&mut command, libc::SYS_seccomp, libc::EPERM);
    let run = run(command.args(["--timeout=60s", "spins"])).expect(0);
    assert_eq!(run.report().names().len(), 2);
    let note = "note: the counts of benchmarks with threads or processes can differ from run to run: the system allows no seccomp";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("help: use Linux 5.5 or newer"), "{}", run.stderr);
}

/// The groups whose benchmarks read random numbers and clocks.
const RANDOM: &str = "randomness::";
const CLOCKS: &str = "clocks::";

/// Returns the instructions of the benchmarks in a group, from a run of both groups with these arguments.
fn instructions(group: &str, arguments: &[&str]) -> BTreeMap<String, u64> {
    let arguments = [&[RANDOM, CLOCKS], arguments].concat();
    let mut instructions = shared_report("surroundings", &arguments).all_instructions();
    instructions.retain(|name, _| name.starts_with(group));
    instructions
}

/// Arguments that change nothing, for a second run.
const AGAIN: [&str; 1] = ["--seed=0"];

#[test]
fn random_numbers_are_the_same_in_every_run() {
    let fixed = instructions(RANDOM, &[]);
    assert_eq!(fixed.len(), 6);
    assert_eq!(instructions(RANDOM, &AGAIN), fixed);
    let other = instructions(RANDOM, &["--seed=7"]);
    let random = instructions(RANDOM, &["--seed=random"]);
    for (name, count) in &fixed {
        // The system calls of a function are answered with one seed
        assert_eq!(other[name] == *count, name == "randomness::direct_numbers", "{name}");
        assert_ne!(random[name], *count, "{name}");
    }
}

#[test]
fn clocks_show_the_same_times_in_every_run() {
    let first = instructions(CLOCKS, &[]);
    assert_eq!(first.len(), 10);
    assert_eq!(instructions(CLOCKS, &AGAIN), first);
    let other = instructions(CLOCKS, &["--seed=7"]);
    for name in ["instant", "date", "date_in_c", "cpu_time", "cpu_time_by_id", "direct_reading"]
        .map(|name| format!("clocks::{name}"))
    {
        assert_ne!(other[&name], first[&name], "{name}");
    }
    for system in ["--clock=system", "--seed=random"] {
        let counts = instructions(CLOCKS, &[system]);
        for (name, count) in &first {
            assert_ne!(counts[name], *count, "{name} {system}");
        }
    }
    Suite::new("surroundings")
        .run(&["--clock=fake"])
        .expect(2)
        .complains(&["[possible values: virtual, system]"]);
}

// On a C library older than 2.36, whose look-up of the next function finds the oldest version: `cargo xtask roots`.
#[test]
fn functions_in_c_have_their_current_version() {
    let suite = Suite::new("versions");
    let library = suite.root().join("libwaits.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/waits.cpp");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++11", "-O1", "-shared", "-fPIC", "-pthread", source, "-o"]);
    let _ = run(compiler.arg(&library)).expect(0);
    let variable = format!("--envs=WAITS_LIBRARY={}", library.display());
    for arguments in [&["--parallel=1"][..], &["--time", "--time-budget=200ms"]] {
        suite.run(&[&[&*variable], arguments].concat()).succeeded();
    }
    let tested = run(suite.bare().env("WAITS_LIBRARY", library)).expect(0);
    assert!(tested.stdout.contains("4 passed"), "{}", tested.stdout);
}

// They make seeds of addresses.
#[test]
fn hash_maps_count_the_same_next_to_other_benchmarks() {
    let [alone, next_to_others] = ["hash_maps", "more_hash_maps"].map(|file| {
        let run = Suite::new(file).run(&["group::"]).expect(0);
        let note = |benchmark, name, fixed| {
            format!(
                "note: the counts of {file}::group::{benchmark} can change with other code of the \
                 executable: {name} makes seeds of hash maps of addresses\n\
                 help: use a hasher with a fixed seed, such as `{fixed}`, or silence this with `--profile-note=no`\n"
            )
        };
        let notes = [
            note("with_addresses_in_seed words:words()", "foldhash", "foldhash::fast::FixedState"),
            note(
                "with_address_of_constant words:words_after_look_up()",
                "ahash",
                "ahash::RandomState::with_seeds",
            ),
        ];
        assert_eq!(run.stderr, notes.concat());
        run.report().all_instructions().into_values().collect::<Vec<_>>()
    });
    assert_eq!(alone, next_to_others);
    let silent = Suite::new("hash_maps").run(&["group::", "--profile-note=no"]).expect(0);
    assert_eq!(silent.stderr, "");
}

// A reading natively takes about 13 more than with a system call, whose instructions do not count.
#[test]
fn reading_the_clock_costs_as_much_as_natively() {
    let suite = Suite::new("surroundings");
    let [fixed, system] = ["--clock=virtual", "--clock=system"]
        .map(|clock| suite.report(&["one_reading", clock]).instructions("one_reading::reading"));
    assert!((system..=system + 20).contains(&fixed), "{fixed} and {system}");
}

#[test]
fn a_clock_is_at_most_ten_seconds_behind() {
    let start = Instant::now();
    let run = Suite::new("surroundings").run(&["lag"]).expect(0);
    assert!(start.elapsed() > Duration::from_secs(15), "{:?}", start.elapsed());
    let note = ": its count can differ from run to run: the clock that it reads caught up after more than 10 s";
    // Of the one that waits for a process, and of the one whose setup reads the clock late
    for benchmark in ["lag::foreign_wait", "lag::after_busy_setup"] {
        let has_note = |line: &str| line.contains(benchmark) && line.contains(note);
        assert!(run.stderr.lines().any(has_note), "{}", run.stderr);
    }
    assert_eq!(run.stderr.matches(note).count(), 2, "{}", run.stderr);
    // The time that a setup takes is no lag
    let report = run.report();
    let [at_once, later] = ["at_once", "after_slow_setup"]
        .map(|id| report.instructions(&format!("lag::first_instant::{id}")));
    assert_eq!(at_once, later);
    // Neither are the caches others, with all that runs between setup and function
    let values = report.values();
    for function in ["filled_cache", "wait_after_setup"] {
        let [fast, slow] = [0, 1].map(|id| &values[&format!("lag::{function}::seconds_{id}")]);
        assert_eq!(fast, slow, "{function}");
    }
}

#[test]
fn the_caches_are_those_of_no_other_process() {
    let values = Suite::new("server_caches").report(&[]).values();
    let allocations: Vec<_> = values.iter().filter(|(name, _)| name.contains("allocate")).collect();
    assert_eq!(allocations.len(), 4);
    assert!(allocations.windows(2).all(|pair| pair[0].1 == pair[1].1), "{allocations:?}");
    // The stack of a setup moves hits between the two levels only
    let ram_hits = [0, 1].map(|id| values[&format!("stack::descend::after_{id}")][3]);
    assert_eq!(ram_hits, [1, 1]);
}

// Those that the kernel has are Valgrind's, and one is the address of memory that is not there any more.
#[test]
fn the_kernel_keeps_the_values_of_the_start_to_itself() {
    let run = Suite::new("surroundings").run(&["kernel", "--nocapture=stdout"]).expect(0);
    assert!(run.stdout.contains("\n-1 bytes\n"), "{}", run.stdout);
}

#[test]
fn benchmarks_see_the_same_number_of_cpus() {
    let suite = Suite::new("surroundings");
    let seen = |arguments: &[&str]| {
        let run = suite.run(&[&["machine", "--nocapture=stdout"], arguments].concat()).expect(0);
        let line = run.stdout.lines().find_map(|line| line.strip_suffix(" CPUs")).expect("a line");
        line.parse::<usize>().expect("a number")
    };
    assert_eq!(seen(&[]), 4);
    assert_eq!(seen(&["--cpus=96"]), 96);
    // SAFETY: a call without pointers.
    let machine = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    assert!(seen(&["--cpus=native"]) <= usize::try_from(machine).unwrap());
    for wrong in ["--cpus=0", "--cpus=1025", "--cpus=all"] {
        suite.run(&[wrong]).expect(2).complains(&["a number from 1 to 1024, or `native`"]);
    }
}
