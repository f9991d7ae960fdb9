//! Errors that no other test provokes, with the texts that the guide lists.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use end_to_end_tests::{Suite, clean, run, runner};

/// Returns the error output of the runner for this in place of a plan.
fn with_plan(plan: &str) -> String {
    let mut command = Command::new(runner());
    let command = clean(&mut command).arg("bench");
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    child.stdin.take().unwrap().write_all(plan.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_plan_of_another_version_or_none_at_all() {
    let other = with_plan(r#"{"plan_version": 4000, "library_version": "9.9.9", "new": []}"#);
    assert!(other.contains("error: can't read the plan: version 4000, but iai-callgrind-runner "));
    assert!(other.contains("help: use the runner of version 9.9.9"), "{other}");
    for plan in ["", "[]", "{", "{\"plan_version\": \"x\"}"] {
        assert!(with_plan(plan).starts_with("error: can't read the plan: "), "{plan}");
    }
}

// The results are stored nevertheless.
#[test]
fn output_that_can_not_be_written() {
    let order = Suite::new("order");
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["five"][..], &["five", "--output-format=json"], &["--list"]] {
        let mut command = order.command();
        command.args(arguments).stdin(Stdio::null()).stdout(full());
        let output = command.output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert_eq!(
            errors.matches("error: can't write to the standard output: No space left").count(),
            1,
            "{arguments:?}: {errors}"
        );
    }
    assert!(order.result("numbers::fibonacci::five", "old.out").is_file());
}

// A closed stream, which Rust replaces with `/dev/null`.
#[test]
fn output_that_is_closed() {
    let order = Suite::new("order");
    let _ = order.run(&["five"]).expect(0);
    let mut list = Command::new(runner());
    clean(&mut list).arg("list").arg("--home").arg(order.home());
    for mut command in [order.command(), list] {
        for (redirection, stream) in [(">&-", "the standard output"), ("2>&-", "")] {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec \"$@\" {redirection}"), "sh"]);
            shell.arg(command.get_program()).args(command.get_args());
            clean(&mut shell).env("IAI_CALLGRIND_RUNNER", runner()).current_dir(order.root());
            let run = run(&mut shell).expect(1);
            assert_eq!(run.stdout, "");
            if !stream.is_empty() {
                run.complains(&[&format!("error: can't write to {stream}: it is closed\n")]);
            }
        }
        let _ = run(&mut command).expect(0);
    }
}

#[test]
fn sub_commands_outside_of_a_package() {
    let nowhere = tempfile::tempdir().unwrap();
    let mut list = Command::new(runner());
    let run = run(clean(&mut list).arg("list").current_dir(nowhere.path())).expect(1);
    run.complains(&["error: can't find the target directory: ", "--home"]);
}
