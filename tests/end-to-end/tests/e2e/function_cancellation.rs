//! A run of functions that is cancelled: finished benchmarks are reported, and nothing is left.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end_tests::{
    ProcessGroup, Suite, kill, kill_processes_with, processes_with, script, soon, split_progress,
};

/// A run that has come to benchmarks that hang.
struct Hanging {
    suite: Suite,
    run: ProcessGroup,
}

/// Starts a run with this standard output and waits until both of its benchmarks hang and the last one has finished.
fn start(stdout: Stdio, arguments: &[&str]) -> Hanging {
    let suite = Suite::new("hangs");
    let mut command = suite.command();
    command
        .env("STARTED", suite.root())
        .args(["--parallel=3", "--env-clear=no"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped());
    let mut run = ProcessGroup::start(&mut command);
    let result = suite.result("group::good_after", "out");
    let files = ["sleeps", "waits"].map(|name| suite.root().join(name));
    // The journal of the result goes after its rename
    let is_stored = || result.exists() && !has_journal(&suite.directory());
    run.wait_until(|| files.iter().all(|file| file.exists()) && is_stored());
    assert!(run.leader.try_wait().unwrap().is_none(), "it hangs");
    Hanging { suite, run }
}

/// Returns `true` while a run renames results in this directory.
fn has_journal(directory: &Path) -> bool {
    let files = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
    let mut staged = files(directory).flat_map(|entry| files(&entry.path()));
    staged.any(|entry| entry.path().extension().is_some_and(|extension| extension == "journal"))
}

impl Hanging {
    /// Waits for the end of the run, and demands that nothing is left. Returns what it printed.
    fn end(mut self, code: Option<i32>) -> (Suite, String, String) {
        assert_eq!(self.run.leader.wait().unwrap().code(), code);
        let mark = format!("STARTED={}", self.suite.root().display());
        assert!(soon(|| processes_with(&mark).is_empty()), "{:?}", processes_with(&mark));
        let names = || {
            let entries = fs::read_dir(self.suite.directory()).unwrap().flatten();
            entries.map(|entry| entry.file_name()).filter(|name| name != ".lock")
        };
        assert!(soon(|| names().eq(["group"])), "{:?}", names().collect::<Vec<_>>());
        let read = |stream: Option<&mut dyn Read>| {
            let mut text = String::new();
            stream.map(|stream| stream.read_to_string(&mut text));
            text
        };
        let stdout = read(self.run.leader.stdout.as_mut().map(|it| it as &mut dyn Read));
        let stderr = read(self.run.leader.stderr.as_mut().map(|it| it as &mut dyn Read));
        let (_, stderr) = split_progress(&stderr);
        (self.suite, stdout, stderr)
    }
}

// A signal to cargo alone, as services send it, does not reach the processes that cargo started.
#[test]
fn a_run_ends_with_cargo() {
    let suite = Suite::new("hangs");
    let cargo = suite.root().join("cargo");
    script(&cargo, "\"$@\" &\nwait");
    let bench = suite.command();
    let mut command = Command::new(cargo);
    command.arg(bench.get_program()).args(bench.get_args());
    for (name, value) in bench.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("STARTED", suite.root()).args(["--env-clear=no", "group::sleeps"]);
    command.current_dir(suite.root()).stdin(Stdio::null()).stdout(Stdio::null());
    let mut run = ProcessGroup::start(&mut command);
    let started = suite.root().join("sleeps");
    run.wait_until(|| started.exists());
    run.leader.kill().unwrap();
    run.leader.wait().unwrap();
    let mark = format!("STARTED={}", suite.root().display());
    assert!(soon(|| processes_with(&mark).is_empty()), "{:?}", processes_with(&mark));
}

#[test]
fn a_signal_ends_the_run_and_finished_benchmarks_are_reported() {
    // To all, as a terminal does, or to the benchmark executable, which passes it on
    for (signal, to_all, code) in [
        (libc::SIGINT, true, 130),
        (libc::SIGTERM, true, 143),
        (libc::SIGINT, false, 130),
        (libc::SIGTERM, false, 143),
        (libc::SIGHUP, false, 129),
    ] {
        let hanging = start(Stdio::piped(), &[]);
        if to_all {
            hanging.run.signal(signal);
        } else {
            let leader = libc::pid_t::try_from(hanging.run.leader.id()).unwrap();
            // SAFETY: a system call without pointers.
            unsafe { libc::kill(leader, signal) };
        }
        let (suite, stdout, stderr) = hanging.end(Some(code));
        let closing =
            "\nIai-Callgrind result: Interrupted. 2 of 4 benchmarks ran, 0 regressed, in ";
        assert!(stdout.contains(closing), "{stdout}");
        let titles: Vec<_> = stdout.lines().filter(|line| line.starts_with("hangs::")).collect();
        assert_eq!(titles, ["hangs::group::good_before", "hangs::group::good_after"]);
        assert_eq!(stderr, "");
        let next = suite.report(&["good"]);
        assert!(next.benchmarks.iter().all(|it| it.lines[0].old.is_some()), "{next:?}");
    }
}

#[test]
fn reports_for_machines_have_what_had_finished() {
    let hanging = start(Stdio::piped(), &["--output-format=json"]);
    hanging.run.signal(libc::SIGINT);
    let (_, stdout, stderr) = hanging.end(Some(130));
    assert_eq!(end_to_end_tests::objects(&stdout).len(), 2, "{stdout}");
    assert_eq!(stderr, "error: interrupted by SIGINT: 2 of 4 benchmarks ran\n");
}

#[test]
fn whoever_is_killed_nothing_is_left() {
    let runner = |it: &mut Hanging| it.run.child().unwrap();
    let harness = |it: &mut Hanging| libc::pid_t::try_from(it.run.leader.id()).unwrap();
    let both = |it: &mut Hanging| {
        // As `killall -9` does: the guardian is a child of the runner with its name
        let runner = runner(it);
        let list = fs::read_to_string(format!("/proc/{runner}/task/{runner}/children")).unwrap();
        let guardian = list.split_whitespace().next().unwrap().parse().unwrap();
        kill(runner);
        kill(guardian);
    };
    for (is_runner, code) in [(true, Some(1)), (false, None)] {
        let mut hanging = start(Stdio::null(), &[]);
        kill(if is_runner { runner(&mut hanging) } else { harness(&mut hanging) });
        let (_, _, stderr) = hanging.end(code);
        let message = "error: the runner did not finish: signal: 9 (SIGKILL)\n";
        assert_eq!(stderr.starts_with(message), is_runner, "{stderr}");
    }

    // Without a guardian the directories stay until the next run, and a process that a benchmark's own
    // process has started
    let mut hanging = start(Stdio::null(), &[]);
    both(&mut hanging);
    assert_eq!(hanging.run.leader.wait().unwrap().code(), Some(1));
    let mark = format!("STARTED={}", hanging.suite.root().display());
    let hangs = || processes_with(&mark).into_iter().any(|it| it.contains("hangs-"));
    assert!(soon(|| !hangs()), "{:?}", processes_with(&mark));
    let _ = hanging.suite.report(&["good"]);
    kill_processes_with(&mark);
}

#[test]
fn an_ignored_signal_changes_nothing() {
    let suite = Suite::new("order");
    let command = suite.command();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT; exec \"$@\"", "sh"]).arg(command.get_program());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.args(command.get_args()).current_dir(suite.root());
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = ProcessGroup::start(&mut shell);
    run.wait_until(|| suite.directory().join(".lock").exists());
    run.signal(libc::SIGINT);
    assert!(run.leader.wait().unwrap().success());
}

#[test]
fn a_second_signal_does_not_wait() {
    // No reader takes its output, so it can't come to its end by itself
    let (reader, mut writer) = UnixStream::pair().unwrap();
    writer.set_nonblocking(true).unwrap();
    while writer.write(&[0; 4096]).is_ok() {}
    writer.set_nonblocking(false).unwrap();
    // SAFETY: the descriptor is open and has no other owner.
    let stdout = unsafe { OwnedFd::from_raw_fd(writer.into_raw_fd()) };
    let suite = Suite::new("hangs");
    let mut command = suite.command();
    command.env("STARTED", suite.root()).args(["--parallel=1", "--env-clear=no"]);
    command.stdin(Stdio::null()).stdout(File::from(stdout)).stderr(Stdio::null());
    let mut run = ProcessGroup::start(&mut command);
    run.wait_until(|| suite.root().join("sleeps").exists());
    let mark = format!("STARTED={}", suite.root().display());
    let hangs = || processes_with(&mark).into_iter().any(|process| process.contains(" --tool="));
    assert!(hangs());
    let start = Instant::now();
    run.signal(libc::SIGINT);
    // The runner has the signal when it has killed the benchmarks
    assert!(soon(|| !hangs()));
    // The time between two presses of the keys
    thread::sleep(Duration::from_secs(1));
    assert!(run.leader.try_wait().unwrap().is_none(), "it is stuck");
    run.signal(libc::SIGINT);
    assert_eq!(run.leader.wait().unwrap().code(), Some(130));
    // After a single signal it would end in as many seconds
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(soon(|| processes_with(&mark).is_empty()), "{:?}", processes_with(&mark));
    drop(reader);
}
