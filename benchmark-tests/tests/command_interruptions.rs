//! A signal in the middle leaves no process and no sandbox.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use benchmark_tests::{ProcessGroup, Suite};

/// The processes that have this in their environment.
fn processes_with(variable: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let has_it = environment.windows(variable.len()).any(|it| it == variable.as_bytes());
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        has_it.then(|| String::from_utf8_lossy(&command).replace('\0', " "))
    });
    entries.collect()
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

/// Waits a while for this to hold.
fn soon(holds: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    holds()
}

#[test]
fn after_a_signal_nothing_is_left() {
    for (name, signal) in [
        ("set_up", libc::SIGINT),
        ("command", libc::SIGINT),
        ("beside", libc::SIGINT),
        ("command", libc::SIGTERM),
    ] {
        let slow = Suite::new("slow");
        let temporary = slow.subdirectory("tmp");
        let started = slow.root().join("started");
        // The commands get it as well, so that they can be found
        let variable = format!("STARTED={}", started.display());
        let mut command = slow.command();
        command
            .env("STARTED", &started)
            .env("TMPDIR", &temporary)
            .args(["--env-clear=no", &format!("group::{name}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut run = ProcessGroup::start(&mut command);
        run.wait_until(|| started.exists());
        // The command itself has to start too
        thread::sleep(Duration::from_millis(if name == "set_up" { 0 } else { 1500 }));
        assert!(!is_empty(&temporary), "{name} has a sandbox");
        let group = libc::pid_t::try_from(run.leader.id()).unwrap();
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(-group, signal) };
        assert!(!run.leader.wait().unwrap().success());
        assert!(soon(|| processes_with(&variable).is_empty()), "{:?}", processes_with(&variable));
        assert!(soon(|| is_empty(&temporary)), "the sandbox of {name} is left");
        let staging = || fs::read_dir(slow.directory()).unwrap().flatten().count() > 1;
        assert!(soon(|| !staging()), "the staging directory of {name} is left");
    }
}
