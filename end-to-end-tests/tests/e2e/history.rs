//! Results of commits in git notes: recorded by runs and by a subcommand, pushed, merged and shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Run, Suite, clean, git, run, runner};
use serde_json::Value;

const NOTES: &str = "refs/notes/iai-callgrind";
const FIVE: &str = "numbers::fibonacci::five";

/// The runner with a subcommand in a repository.
fn in_repository(directory: &Path, home: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).args(arguments).env("IAI_CALLGRIND_HOME", home).current_dir(directory);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    run(&mut command)
}

/// A repository with a commit.
fn repository(suite: &Suite) -> PathBuf {
    let directory = suite.subdirectory("repository");
    let _ = git(&directory, &["init", "--quiet"]);
    commit(&directory, "First");
    directory
}

fn commit(directory: &Path, subject: &str) {
    fs::write(directory.join("file"), subject).expect("a file");
    let _ = git(directory, &["add", "file"]);
    let _ = git(directory, &["commit", "--quiet", "--message", subject]);
}

/// The part of a line after the date and the commit.
fn without_commit(line: &str) -> &str {
    line.trim_start().splitn(3, "  ").nth(2).expect("a date and a commit")
}

#[test]
fn commits_at_which_a_count_stepped() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    order.pretend(FIVE, 100);
    let recorded = in_repository(&directory, &home, &["record"]).expect(0);
    let message = recorded.stderr.trim();
    assert!(message.starts_with("recorded 2 results in the note of "), "{message}");
    for (subject, count) in [("Second", 100), ("Third", 150), ("Fourth", 120)] {
        commit(&directory, subject);
        order.pretend(FIVE, count);
        let _ = in_repository(&directory, &home, &["record"]).expect(0);
    }
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    let lines: Vec<_> = history.stdout.lines().collect();
    assert!(lines[0].starts_with("Instructions at 4 recorded commits, "), "{lines:#?}");
    assert_eq!(lines[2], "order::numbers::fibonacci::five  100 ▁▁█▄ 120");
    assert_eq!(without_commit(lines[3]), "100 -> 150 (+50.0000%)  Third");
    assert_eq!(without_commit(lines[4]), "150 -> 120 (-20.0000%)  Fourth");
    assert_eq!(lines.len(), 5, "nothing about `fifteen`");
    let range = in_repository(&directory, &home, &["history", "HEAD~2..HEAD~1", "five"]).expect(0);
    assert!(range.stdout.contains("five  100 ▁█ 150\n"), "{}", range.stdout);
    let cycles = ["history", "five", "--metric=estimatedcycles"];
    let cycles = in_repository(&directory, &home, &cycles).expect(0);
    assert!(cycles.stdout.starts_with("Estimated Cycles at 4"), "{}", cycles.stdout);

    let json = in_repository(&directory, &home, &["history", "--json"]).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let commits = json["commits"].as_array().expect("commits");
    assert_eq!(commits.len(), 4);
    assert_eq!(commits[3]["subject"], "Fourth");
    let results = commits[3]["results"].as_array().expect("results");
    let five = results.iter().find(|result| result["name"] == *format!("order::{FIVE}"));
    let five = five.expect("a result");
    assert_eq!(five["values"]["Ir"], 120);
    let environment = five["environment"].as_str().expect("a name");
    assert!(json["environments"][environment]["Valgrind"].is_string(), "{json:#}");

    let none = in_repository(&directory, &home, &["history", "missing"]).expect(1);
    none.complains(&["no recorded commit has the metric `Ir`", "iai-callgrind-runner record"]);
}

#[test]
fn another_environment_starts_a_segment() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    let _ = in_repository(&directory, &home, &["record"]).expect(0);
    commit(&directory, "Second");
    let path = order.result(FIVE, "fingerprint.json");
    let text = fs::read_to_string(&path).expect("a fingerprint");
    let text = text.replace("\"clock\":\"virtual\"", "\"clock\":\"system\"");
    fs::write(&path, text).expect("a file");
    order.pretend(FIVE, 7);
    let _ = in_repository(&directory, &home, &["record"]).expect(0);
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    let lines: Vec<_> = history.stdout.lines().collect();
    assert!(lines[2].ends_with(" ·▁   7") || lines[2].ends_with(" ·▁ 7"), "{lines:#?}");
    let expected = "other environment: clock (virtual -> system)  Second";
    assert_eq!(without_commit(lines[3]), expected);
}

#[test]
fn a_run_records_what_it_measured() {
    let (order, _) = Suite::after("order", &["five"]);
    let (directory, home) = (repository(&order), order.home());
    let measured = in_repository(&directory, &home, &["exec", "--record", "--", "/bin/true"]);
    let measured = measured.expect(0);
    assert!(measured.stderr.contains("recorded 1 result in the note of "), "{}", measured.stderr);
    let history = in_repository(&directory, &home, &["history"]).expect(0);
    // The results of the other file were not measured by this run
    assert_eq!(history.stdout.lines().count(), 3, "{}", history.stdout);
    assert!(history.stdout.contains("true"), "{}", history.stdout);
    fs::write(directory.join("file"), "changed").expect("a file");
    let refused = in_repository(&directory, &home, &["exec", "--record", "--", "/bin/true"]);
    let refused = refused.expect(1);
    refused.complains(&["the work tree has other changes: file"]);
    assert!(
        refused.stdout.contains("Iai-Callgrind result: Ok."),
        "it measured: {}",
        refused.stdout
    );
}

#[test]
fn changes_that_are_not_committed_are_not_recorded() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    fs::write(directory.join("file"), "changed").expect("a file");
    let refused = in_repository(&directory, &home, &["record"]).expect(1);
    refused.complains(&["the work tree has other changes: file", "--allow-dirty"]);
    let _ = in_repository(&directory, &home, &["record", "--allow-dirty"]).expect(0);
    let outside = order.subdirectory("outside");
    in_repository(&outside, &home, &["record"]).expect(1).complains(&["not in a git work tree"]);
}

#[test]
fn two_writers_and_a_failed_push_lose_nothing() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (first, home) = (repository(&order), order.home());
    let remote = order.root().join("remote");
    let path = remote.to_str().expect("UTF-8");
    let _ = git(order.root(), &["init", "--quiet", "--bare", path]);
    let _ = git(&first, &["remote", "add", "origin", path]);
    let _ = git(&first, &["push", "--quiet", "origin", "HEAD:main"]);
    let _ = git(order.root(), &["clone", "--quiet", "--branch=main", path, "second"]);
    let second = order.root().join("second");

    // A shard each, and then another commit each
    let push = |directory: &Path, filter: &str| {
        in_repository(directory, &home, &["record", "--push", filter]).expect(0)
    };
    let pushed = push(&first, "five");
    assert!(pushed.stderr.contains("pushed the notes to origin"), "{}", pushed.stderr);
    let _ = push(&second, "fifteen");
    commit(&second, "Second");
    let _ = push(&second, "five");
    let missing = ["record", "--push", "--remote=missing", "five"];
    in_repository(&first, &home, &missing).expect(1).complains(&["git ls-remote"]);
    let _ = push(&first, "five");

    let _ = git(order.root(), &["clone", "--quiet", path, "third"]);
    let third = order.root().join("third");
    let _ = git(&third, &["fetch", "--quiet", "origin", &format!("{NOTES}:{NOTES}")]);
    let note = git(&third, &["notes", "--ref", NOTES, "show", "origin/main"]);
    assert_eq!(note.matches("\"tool\":\"callgrind\"").count(), 2, "both shards: {note}");
    let list = git(&second, &["notes", "--ref", NOTES, "list"]);
    assert_eq!(list.lines().count(), 2, "{list}");
    let history = in_repository(&third, &home, &["history"]).expect(0);
    assert!(history.stdout.contains("fibonacci::fifteen"), "{}", history.stdout);
}

#[test]
fn a_damaged_or_foreign_note_is_left_out() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    let _ = in_repository(&directory, &home, &["record"]).expect(0);
    for note in ["Tested-by: me", "\u{fffd}{\"format\":1,\"name\":"] {
        commit(&directory, note);
        let _ = git(&directory, &["notes", "--ref", NOTES, "add", "--message", note]);
    }
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert_eq!(history.stderr.matches("1 line in the note of ").count(), 2, "{}", history.stderr);
    assert!(history.stdout.starts_with("Instructions at 3 recorded commits"), "{}", history.stdout);
    // Recording keeps what others wrote out of the way of results
    let _ = in_repository(&directory, &home, &["record"]).expect(0);
    let again = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert!(again.stdout.contains("five  "), "{}", again.stdout);
}
