//! A signal in the middle leaves no process and no sandbox.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use end_to_end_tests::{ProcessGroup, Suite, kill, processes_with, runner, soon};

#[test]
fn after_a_signal_nothing_is_left() {
    for (name, signal, code) in [
        ("set_up", libc::SIGINT, Some(130)),
        ("command", libc::SIGINT, Some(130)),
        ("server", libc::SIGINT, Some(130)),
        ("command", libc::SIGTERM, Some(143)),
        // The runner alone, which can do nothing about it
        ("command", libc::SIGKILL, Some(1)),
        ("server", libc::SIGKILL, Some(1)),
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
        // The command itself has to start too
        let is_command = |process: &String| process.contains("sleep 100");
        let has_command = || processes_with(&variable).iter().any(is_command);
        run.wait_until(|| started.exists() && (name == "set_up" || has_command()));
        assert!(!left(&temporary).is_empty(), "{name} has a sandbox");
        if signal == libc::SIGKILL {
            kill(run.child().unwrap());
        } else {
            run.signal(signal);
        }
        assert_eq!(run.leader.wait().unwrap().code(), code);
        assert!(soon(|| processes_with(&variable).is_empty()), "{:?}", processes_with(&variable));
        assert!(soon(|| left(&temporary).is_empty()), "{name} leaves {:?}", left(&temporary));
        let has_staging = || fs::read_dir(slow.directory()).unwrap().flatten().count() > 1;
        assert!(soon(|| !has_staging()), "the staging directory of {name} is left");
    }
}

/// Returns the names in a directory for temporary files. Valgrind has files of its own there for a moment while it starts, and
/// leaves them if it is killed in it.
fn left(temporary: &Path) -> Vec<String> {
    let names = fs::read_dir(temporary).unwrap().flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with("valgrind_proc_")).collect()
}

#[test]
fn nor_is_in_test_mode() {
    let slow = Suite::new("slow");
    let temporary = slow.subdirectory("tmp");
    let started = slow.root().join("started");
    let variable = format!("STARTED={}", started.display());
    let mut command = slow.bare();
    command
        .env("IAI_CALLGRIND_RUNNER", runner())
        .env("STARTED", &started)
        .env("TMPDIR", &temporary)
        .arg("group::set_up")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut run = ProcessGroup::start(&mut command);
    run.wait_until(|| started.exists());
    run.signal(libc::SIGINT);
    assert_eq!(run.leader.wait().unwrap().code(), Some(130));
    assert!(soon(|| processes_with(&variable).is_empty()), "{:?}", processes_with(&variable));
    assert!(soon(|| left(&temporary).is_empty()), "{:?}", left(&temporary));
    let [mut stdout, mut stderr] = [String::new(), String::new()];
    run.leader.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    run.leader.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(!stdout.contains("test result"), "{stdout}");
    assert_eq!(stderr, "error: interrupted by SIGINT\n");
}
