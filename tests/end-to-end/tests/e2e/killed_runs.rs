//! Runs that get into each other's way, and runs that are killed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use end_to_end_tests::{ProcessGroup, Suite, kill, run, runner, tree};

#[test]
fn two_runs_at_once_succeed() {
    let order = Suite::new("order");
    let (first, second) = thread::scope(|scope| {
        let runs = [(); 2].map(|()| scope.spawn(|| order.report(&[])));
        let [first, second] = runs.map(|run| run.join().expect("a run"));
        (first, second)
    });
    assert_eq!(first.values(), second.values());
    // The one that came second was compared with the other
    let olds = [&first, &second].map(|report| report.benchmarks[0].lines[0].old.is_some());
    assert!(olds[0] != olds[1], "{olds:?}");
}

/// Locks a directory as a run does.
fn lock(directory: &Path) -> File {
    fs::create_dir_all(directory).unwrap();
    let lock = File::create(directory.join(".lock")).unwrap();
    // SAFETY: a system call without pointers on a descriptor that is open.
    assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
    lock
}

/// Runs a command, which must say that it waits for this directory, until it is unlocked. `before` is called while it
/// waits.
fn assert_waits(command: &mut Command, directory: &Path, lock: File, before: impl Fn()) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut run = ProcessGroup::start(command);
    let mut stderr = BufReader::new(run.leader.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let expected = format!("waiting for another run that uses {}\n", directory.display());
    assert_eq!(line, expected);
    assert!(run.leader.try_wait().unwrap().is_none(), "it did not wait");
    before();
    drop(lock);
    let _ = stderr.read_to_string(&mut line).unwrap();
    assert!(run.leader.wait().unwrap().success(), "{line}");
}

#[test]
fn a_second_run_waits_and_says_so() {
    let order = Suite::new("order");
    let directory = order.directory();
    let nothing = || assert!(tree(&directory).is_empty());
    assert_waits(&mut order.command(), &directory, lock(&directory), nothing);
    assert!(order.result("texts::tree::pangram", "out").is_file());
}

#[test]
fn two_runs_do_not_write_the_same_pages_at_once() {
    let (order, quickstart) = (Suite::new("order"), Suite::new("quickstart"));
    let site = order.root().join("site");
    let argument = format!("--report=html:{}", site.display());
    let _ = order.report(&["five", &argument]);
    let start = || fs::read_to_string(site.join("index.html")).unwrap();
    let (first, data) = (start(), site.join("data"));
    let unchanged = || assert_eq!(start(), first);
    assert_waits(quickstart.command().arg(&argument), &data, lock(&data), unchanged);
    // A name can break between its parts
    let both = start().replace("<wbr>", "");
    assert!(both.contains("fibonacci::five") && both.contains("quickstart::"), "{both}");
}

#[test]
fn a_waiting_run_does_not_keep_others_from_their_directories() {
    let (order, _) = Suite::after("order", &[]);
    let reversed = Suite::new("order_reversed");
    let _lock = lock(&order.directory());
    let mut command = reversed.bare();
    command.arg("--bench").arg("--home").arg(order.home());
    command.arg(format!("--report=html:{}", reversed.root().join("site").display()));
    let _ = run(command.env("IAI_CALLGRIND_RUNNER", runner())).expect(0);
}

/// Returns the number of these benchmarks that have had a new result since then.
fn renewed(order: &Suite, names: &[String], start: SystemTime) -> usize {
    let is_new = |name: &&String| {
        let result = fs::metadata(order.result(name, "out"));
        result.and_then(|result| result.modified()).is_ok_and(|time| time > start)
    };
    names.iter().filter(is_new).count()
}

fn has_staging(order: &Suite) -> bool {
    let entries = fs::read_dir(order.directory()).unwrap();
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(".staging-"))
}

/// Asserts the state at any time: each benchmark has a complete last or old result, and the baseline is unchanged.
fn assert_whole(order: &Suite, names: &[String], baseline: &[Vec<u8>]) {
    for name in names {
        let results = ["out", "old.out"].map(|it| fs::read_to_string(order.result(name, it)).ok());
        assert!(results.iter().any(Option::is_some), "{name} has lost its results");
        for result in results.into_iter().flatten() {
            let last = result.lines().next_back().unwrap_or_default();
            assert!(last.starts_with("totals: "), "{name} is not whole: {last}");
        }
    }
    assert!(self::baseline(order, names) == baseline, "the baseline has changed");
}

fn baseline(order: &Suite, names: &[String]) -> Vec<Vec<u8>> {
    let read = |name: &String| fs::read(order.result(name, "base@main.out")).expect("the baseline");
    names.iter().map(read).collect()
}

/// Starts a run and kills the runner as soon as this holds; with `group`, kills its whole group.
fn kill_when(order: &Suite, group: bool, holds: impl Fn() -> bool) {
    let mut command = order.command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = ProcessGroup::start(&mut command);
    run.wait_until(|| has_staging(order));
    run.wait_until(holds);
    if !group {
        if let Some(runner) = run.child() {
            kill(runner);
        }
        // It passes on that it has lost its runner, unless that was done before
        assert!(!run.leader.wait().unwrap().success() || !has_staging(order));
    }
}

/// Kills runs after these delays in milliseconds, and after this many benchmarks: in the middle of starting
/// Valgrind, of running, of putting results into place.
fn kill_runs(delays: &[u64], finished: &[usize]) {
    let (order, first) = Suite::after("order", &["--save-baseline=main"]);
    let names = first.names();
    let baseline = baseline(&order, &names);
    let plain = order.report(&[]);
    let check = || {
        assert_whole(&order, &names, &baseline);
        let next = order.report(&[]);
        assert_eq!(next.values(), plain.values());
        for line in next.benchmarks.iter().flat_map(|benchmark| &benchmark.lines) {
            assert_eq!(line.change, "(No change)");
        }
        assert!(!has_staging(&order));
    };
    for (round, delay) in delays.iter().enumerate() {
        let start = SystemTime::now();
        let delay = Duration::from_millis(*delay);
        kill_when(&order, round % 2 == 0, || start.elapsed().is_ok_and(|past| past >= delay));
        check();
    }
    for (round, finished) in finished.iter().enumerate() {
        let start = SystemTime::now();
        kill_when(&order, round % 2 == 1, || renewed(&order, &names, start) >= *finished);
        check();
    }
}

#[test]
fn a_killed_run_leaves_the_previous_results() {
    kill_runs(&[150], &[4]);
}

#[test]
#[ignore = "long"]
fn a_run_that_is_killed_at_any_moment_leaves_the_previous_results() {
    kill_runs(&[0, 50, 150, 250, 350, 450], &[1, 2, 4, 7]);
}
