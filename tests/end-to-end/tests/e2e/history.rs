//! Results of commits in git notes: recorded by runs and by a subcommand, pushed, merged and shown.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Run, Suite, checkout, clean, git, run, runner};
use serde_json::Value;

const NOTES: &str = "refs/notes/iai-callgrind";
const FIVE: &str = "numbers::fibonacci::five";

/// Returns the runner with a subcommand in a repository.
fn in_repository(directory: &Path, home: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).args(arguments).env("IAI_CALLGRIND_HOME", home).current_dir(directory);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    run(&mut command)
}

/// Returns a repository with a commit.
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

/// Records the results as those of the commit that is checked out.
fn record(suite: &Suite, directory: &Path, arguments: &[&str]) -> Run {
    suite.measured_at(directory);
    in_repository(directory, &suite.home(), &[&["record"], arguments].concat())
}

/// Returns the first digits of the id of a commit.
fn short(directory: &Path, revision: &str) -> String {
    git(directory, &["rev-parse", "--short=12", revision]).trim().to_owned()
}

/// Returns the part of a line after the date and the commit.
fn without_commit(line: &str) -> &str {
    line.trim_start().splitn(3, "  ").nth(2).expect("a date and a commit")
}

#[test]
fn commits_at_which_a_count_stepped() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    order.pretend(FIVE, 100);
    let recorded = record(&order, &directory, &[]).expect(0);
    let message = recorded.stderr.trim();
    assert!(message.starts_with("recorded 2 results in the note of "), "{message}");
    for (subject, count) in [("Second", 100), ("Third", 150), ("Fourth", 120)] {
        commit(&directory, subject);
        order.pretend(FIVE, count);
        let _ = record(&order, &directory, &[]).expect(0);
    }
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    let lines: Vec<_> = history.stdout.lines().collect();
    assert!(lines[0].starts_with("Instructions at 4 recorded commits, "), "{lines:#?}");
    assert_eq!(lines[2], "order::numbers::fibonacci::five  100 ▁▁█▄ 120");
    assert_eq!(without_commit(lines[3]), "100 → 150 (+50 %)  Third");
    assert_eq!(without_commit(lines[4]), "150 → 120 (-20 %)  Fourth");
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

    let none = in_repository(&directory, &home, &["history", "--metric=totalbytes"]).expect(1);
    none.complains(&["no recorded commit has the metric `TotalBytes`", "runner record"]);
    let range = ["history", "HEAD~2..HEAD~1", "--metric=totalbytes"];
    let command =
        "help: record results with `cargo bench --bench NAME -- history HEAD~2..HEAD~1 --record`, ";
    in_repository(&directory, &home, &range).expect(1).complains(&[command]);
    let typo = in_repository(&directory, &home, &["history", "fibonaci"]).expect(1);
    typo.complains(&[
        "error: no recorded benchmark matches `fibonaci`",
        "help: similar names are `order::numbers::fibonacci::",
    ]);
    let other = in_repository(&directory, &home, &["history", "zzz"]).expect(1);
    other.complains(&["help: `iai-callgrind-runner history` without a filter shows all"]);
}

#[test]
fn another_environment_starts_a_segment() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    let _ = record(&order, &directory, &[]).expect(0);
    commit(&directory, "Second");
    let path = order.result(FIVE, "fingerprint.json");
    let text = fs::read_to_string(&path).expect("a fingerprint");
    let text = text.replace("\"clock\":\"virtual\"", "\"clock\":\"system\"");
    fs::write(&path, text).expect("a file");
    order.pretend(FIVE, 7);
    let _ = record(&order, &directory, &[]).expect(0);
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    let lines: Vec<_> = history.stdout.lines().collect();
    assert!(lines[2].ends_with(" ·▁   7") || lines[2].ends_with(" ·▁ 7"), "{lines:#?}");
    let expected = "other environment: clock (virtual → system)  Second";
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
    let other_tool = ["exec", "--default-tool=dhat", "--", "/bin/true"];
    let _ = in_repository(&directory, &home, &other_tool).expect(0);
    let again = in_repository(&directory, &home, &["exec", "--record", "--", "/bin/true"]);
    let again = again.expect(0).stderr;
    assert!(again.contains("recorded 1 result in the note of "), "those of one tool: {again}");
    fs::write(directory.join("file"), "changed").expect("a file");
    let refused = in_repository(&directory, &home, &["exec", "--record", "--", "/bin/true"]);
    let refused = refused.expect(1);
    refused.complains(&[" with changes that are not in it: file\nhelp: commit"]);
    assert!(
        refused.stdout.contains("Iai-Callgrind result: Ok."),
        "it measured: {}",
        refused.stdout
    );
}

#[test]
fn results_that_are_only_in_a_baseline_are_not_recorded() {
    let suite = Suite::new("order");
    let directory = repository(&suite);
    let baseline = ["exec", "--save-baseline=main", "--", "/bin/true"];
    let _ = in_repository(&directory, &suite.home(), &baseline).expect(0);
    let none = in_repository(&directory, &suite.home(), &["record"]).expect(1);
    none.complains(&["error: no benchmark has a result `@last`\nhelp: "]);
}

#[test]
fn a_new_snapshot_is_not_a_change_of_the_commit() {
    let suite = Suite::new("order");
    let directory = repository(&suite);
    fs::create_dir(directory.join("benches")).expect("a directory");
    fs::write(directory.join("benches/a.rs"), "").expect("a file");
    let _ = git(&directory, &["add", "."]);
    let _ = git(&directory, &["commit", "--quiet", "--message", "Second"]);
    let arguments = ["exec", "--record", "--", "/bin/true"];
    let bench = || in_repository(&directory, &suite.home(), &arguments);
    fs::write(directory.join("benches/a.x.counts"), "# iai-callgrind counts 1, written by\n")
        .expect("a file");
    bench().expect(0).complains(&["recorded 1 result in the note of "]);
    // A user file, which a benchmark can read
    fs::write(directory.join("benches/input.counts"), "1\n").expect("a file");
    let refused = bench().expect(1);
    refused.complains(&[" with changes that are not in it: benches/input.counts\nhelp: commit"]);
}

#[test]
fn a_run_that_cannot_be_recorded_does_not_start() {
    let suite = Suite::new("order");
    let bench = |arguments: &[&str]| {
        let mut command = suite.command();
        // The package is not in a repository then
        command.args(["five", "--record"]).args(arguments);
        run(command.env("GIT_CEILING_DIRECTORIES", checkout()))
    };
    let refused = bench(&[]).expect(1);
    refused.complains(&["error: can't find the commits: ", "is not in a git work tree"]);
    assert_eq!(refused.stdout, "");
    assert!(bench(&["--list"]).expect(0).stdout.contains("five"));
    let empty = suite.subdirectory("empty");
    let _ = git(&empty, &["init", "--quiet"]);
    let refused = in_repository(&empty, &suite.home(), &["exec", "--record", "--", "/bin/true"]);
    let refused = refused.expect(1);
    refused.complains(&["error: can't find a commit: the repository ", " has none\nhelp: "]);
    assert_eq!(refused.stdout, "");
    let damaged = suite.subdirectory("damaged");
    fs::write(damaged.join(".git"), "gitdir: missing\n").expect("a file");
    let refused = in_repository(&damaged, &suite.home(), &["exec", "--record", "--", "/bin/true"]);
    refused
        .expect(1)
        .complains(&["error: can't use the git repository of ", "fatal: not a git repository: "]);
}

#[test]
fn results_with_changes_are_refused_or_marked() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    let _ = record(&order, &directory, &[]).expect(0);
    commit(&directory, "Second");
    order.measured_at(&directory);
    order.pretend(FIVE, 100);
    let path = order.result(FIVE, "commit.json");
    let text = fs::read_to_string(&path).expect("a commit");
    let text = text.replace("0,\"files\":[]", "4,\"files\":[\"a\\nb\",\"c\"]");
    fs::write(&path, text).expect("a file");
    let refused = in_repository(&directory, &home, &["record", "five"]).expect(1);
    let second = short(&directory, "HEAD");
    let reason = format!(
        "can't record order::{FIVE}: measured at {second} with changes that are not in it: a\\nb, c and 2 more\n\
         help: commit them and run the benchmarks again, or mark the results with"
    );
    refused.complains(&[&format!("error: {reason}"), "--allow-dirty"]);
    // The others belong to the commit
    let recorded = in_repository(&directory, &home, &["record"]).expect(0);
    recorded.complains(&[
        &format!("recorded 1 result in the note of {second}, "),
        &format!("note: {reason}"),
    ]);
    let note = git(&directory, &["notes", "--ref", NOTES, "show", "HEAD"]);
    assert!(note.contains("::fifteen") && !note.contains("::five\""), "{note}");
    let _ = in_repository(&directory, &home, &["record", "--allow-dirty"]).expect(0);
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert!(history.stdout.contains("), with uncommitted changes  Second\n"), "{}", history.stdout);
    let json = in_repository(&directory, &home, &["history", "--json", "five"]).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let dirty = |commit: usize| json["commits"][commit]["results"][0]["dirty"].as_bool();
    assert_eq!((dirty(0), dirty(1)), (Some(false), Some(true)), "{json:#}");
    // A result of the commit itself replaces it, and is not replaced by it
    order.pretend(FIVE, 7);
    let marked = fs::read_to_string(&path).expect("a commit");
    let _ = record(&order, &directory, &["five"]).expect(0);
    fs::write(&path, marked).expect("a file");
    order.pretend(FIVE, 8);
    let _ = in_repository(&directory, &home, &["record", "--allow-dirty", "five"]).expect(0);
    let clean = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert!(
        clean.stdout.contains(" → 7 (") && !clean.stdout.contains("uncommitted"),
        "{}",
        clean.stdout
    );
}

#[test]
fn results_belong_to_the_commit_that_ran() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    order.measured_at(&directory);
    let first = short(&directory, "HEAD");
    // Another benchmark was measured later
    commit(&directory, "Second");
    let fifteen = order.result("numbers::fibonacci::fifteen", "commit.json");
    let earlier = fs::read_to_string(&fifteen).expect("a commit");
    order.measured_at(&directory);
    fs::write(&fifteen, earlier).expect("a file");
    let second = short(&directory, "HEAD");
    commit(&directory, "Third");
    fs::write(directory.join("file"), "changed after the run").expect("a file");
    let recorded = in_repository(&directory, &home, &["record"]).expect(0);
    for commit in [&first, &second] {
        let line = format!("recorded 1 result in the note of {commit}, ");
        assert!(recorded.stderr.contains(&line), "{}", recorded.stderr);
    }
    let list = git(&directory, &["notes", "--ref", NOTES, "list"]);
    assert_eq!(list.lines().count(), 2, "{list}");

    fs::write(&fifteen, "{").expect("a file");
    let without = in_repository(&directory, &home, &["record"]).expect(0);
    without.complains(&["this is not the commit of a result", "recorded 1 result in the note of "]);
    fs::remove_file(&fifteen).expect("a file");
    let unknown = in_repository(&directory, &home, &["record", "fifteen"]).expect(1);
    unknown.complains(&[
        "error: can't record order::numbers::fibonacci::fifteen: the commit that was measured is not known",
        "help: run the benchmarks again",
    ]);
    let outside = order.subdirectory("outside");
    in_repository(&outside, &home, &["record"]).expect(1).complains(&["not in a git work tree"]);
    let _ = git(&outside, &["init", "--quiet"]);
    let none = in_repository(&outside, &home, &["record"]).expect(1);
    none.complains(&["can't find a commit: the repository ", " has none\nhelp: commit the code"]);
    in_repository(&outside, &home, &["history"]).expect(1).complains(&["can't find a commit: "]);
    let _ = git(&outside, &["commit", "--quiet", "--allow-empty", "--message", "Other"]);
    let missing = format!("{}\n", "1".repeat(40));
    for (reference, content, error) in [
        (
            "HEAD",
            &*missing,
            ["error: can't read the commit that is checked out in ", "help: run `git fsck`"],
        ),
        ("HEAD", "garbage\n", ["error: can't use the git repository of ", "help: check `HEAD`"]),
        (
            NOTES,
            &missing,
            ["error: can't read the recorded results: ", "help: remove them with `git "],
        ),
        (NOTES, "garbage\n", ["error: can't read the recorded results: ", "help: remove /"]),
    ] {
        let file = outside.join(".git").join(reference);
        let old = fs::read(&file).ok();
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        fs::write(&file, content).expect("a file");
        in_repository(&outside, &home, &["history"]).expect(1).complains(&error);
        old.map_or_else(|| fs::remove_file(&file), |old| fs::write(&file, old)).expect("a file");
    }
    let foreign = in_repository(&outside, &home, &["record"]).expect(1);
    foreign.complains(&[
        "error: can't record order::numbers::fibonacci::fifteen: the commit that was measured is not known\n",
        &format!("five: measured at {second}, which is not in this repository\nhelp: fetch"),
    ]);
}

#[test]
fn commits_that_were_not_recorded_are_named() {
    let (order, _) = Suite::after("order", &["five"]);
    let (directory, home) = (repository(&order), order.home());
    order.pretend(FIVE, 100);
    let _ = record(&order, &directory, &[]).expect(0);
    let first = short(&directory, "HEAD");
    // A merged branch whose commits are recorded is one step
    let _ = git(&directory, &["checkout", "--quiet", "-b", "branch"]);
    commit(&directory, "Branch");
    order.pretend(FIVE, 900);
    let _ = record(&order, &directory, &[]).expect(0);
    let _ = git(&directory, &["checkout", "--quiet", "-"]);
    let _ = git(&directory, &["merge", "--quiet", "--no-ff", "--message", "Merge", "branch"]);
    commit(&directory, "Third");
    commit(&directory, "Fourth");
    order.pretend(FIVE, 150);
    let _ = record(&order, &directory, &[]).expect(0);
    let fourth = short(&directory, "HEAD");
    commit(&directory, "Fifth");
    order.pretend(FIVE, 120);
    let _ = record(&order, &directory, &[]).expect(0);

    let history = in_repository(&directory, &home, &["history"]).expect(0);
    let lines: Vec<_> = history.stdout.lines().skip(3).collect();
    assert_eq!(without_commit(lines[0]), "100 → 150 (+50 %)  Fourth", "{}", history.stdout);
    let between = format!("    between {first} and {fourth}, 2 commits are not recorded");
    assert_eq!(lines[1], between, "{}", history.stdout);
    assert_eq!(without_commit(lines[2]), "150 → 120 (-20 %)  Fifth");
    assert_eq!(lines.len(), 3, "{}", history.stdout);
    let note = format!(
        "note: 2 commits before changes are not recorded and can be their cause\n\
         help: measure and record them with `iai-callgrind-runner history {first}..{fourth} --record \
         --bench=order --package=benchmark-tests`\n"
    );
    assert_eq!(history.stderr, note);
    let json = in_repository(&directory, &home, &["history", "--json"]).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let commits = json["commits"].as_array().expect("commits").iter();
    let missing: Vec<_> = commits.map(|commit| commit["not_recorded_before"].as_u64()).collect();
    assert_eq!(missing, [None, Some(2), Some(0)]);
    let last = in_repository(&directory, &home, &["history", "HEAD~1..HEAD"]).expect(0);
    assert_eq!(last.stderr, "", "there is no gap in the range");
}

#[test]
fn two_writers_and_a_failed_push_lose_nothing() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (first, home) = (repository(&order), order.home());
    let remote = order.root().join("remote");
    let path = remote.to_str().expect("UTF-8");
    let unnamed = record(&order, &first, &["--push", "five"]).expect(1);
    unnamed.complains(&[
        "recorded 1 result in the note of ",
        "error: can't push the notes: there is no remote repository `origin`\n\
         help: add it with `git remote add origin URL`, and record again",
    ]);
    let address = record(&order, &first, &["--push", "--remote", path, "five"]).expect(1);
    address.complains(&["error: `git ls-remote` failed\n", path]);
    let _ = git(order.root(), &["init", "--quiet", "--bare", path]);
    let _ = git(&first, &["remote", "add", "origin", path]);
    let _ = git(&first, &["push", "--quiet", "origin", "HEAD:main"]);
    let _ = git(order.root(), &["clone", "--quiet", "--branch=main", path, "second"]);
    let second = order.root().join("second");

    // A shard each, and then another commit each
    let push =
        |directory: &Path, filter: &str| record(&order, directory, &["--push", filter]).expect(0);
    let pushed = push(&first, "five");
    assert!(pushed.stderr.contains("pushed the notes to origin"), "{}", pushed.stderr);
    let _ = push(&second, "fifteen");
    commit(&second, "Second");
    let _ = push(&second, "five");
    let missing = record(&order, &first, &["--push", "--remote=missing", "five"]).expect(1);
    missing.complains(&[
        "there is no remote repository `missing`\nhelp: name one with --remote, such as `origin`",
    ]);
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
    let _ = record(&order, &directory, &[]).expect(0);
    for note in ["Tested-by: me", "\u{fffd}{\"format\":1,\"name\":"] {
        commit(&directory, note);
        let _ = git(&directory, &["notes", "--ref", NOTES, "add", "--message", note]);
    }
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert_eq!(history.stderr.matches("1 line in the note of ").count(), 2, "{}", history.stderr);
    assert!(history.stdout.starts_with("Instructions at 3 recorded commits"), "{}", history.stdout);
    // Recording keeps what others wrote out of the way of results
    let _ = record(&order, &directory, &[]).expect(0);
    let again = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert!(again.stdout.contains("five  "), "{}", again.stdout);
}

#[test]
fn no_note_of_others_is_lost() {
    let (order, _) = Suite::after("order", &["fibonacci"]);
    let (directory, home) = (repository(&order), order.home());
    let foreign = b"Reviewed in the caf\xe9\n\nbinary \0\xff\n";
    let file = order.root().join("note");
    fs::write(&file, foreign).expect("a file");
    let path = file.to_str().expect("UTF-8");
    let blob = git(&directory, &["hash-object", "-w", path]);
    let _ = git(&directory, &["notes", "--ref", NOTES, "add", "-C", blob.trim()]);
    // Temporary files are in a directory whose name is not UTF-8
    let temporary = order.root().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&temporary).expect("a directory");
    order.measured_at(&directory);
    let mut command = Command::new(runner());
    clean(&mut command).arg("record").env("IAI_CALLGRIND_HOME", &home).env("TMPDIR", &temporary);
    let _ = run(command.current_dir(&directory)).expect(0);
    let note = Command::new("git")
        .args(["notes", "--ref", NOTES, "show"])
        .current_dir(&directory)
        .output()
        .expect("git");
    assert!(note.stdout.ends_with(foreign), "{}", String::from_utf8_lossy(&note.stdout));
    assert!(note.stdout.starts_with(b"{\"format\":1"), "the results are in it");

    // An object that git cannot read
    let blob = git(&directory, &["notes", "--ref", NOTES, "list", "HEAD"]);
    let (start, rest) = blob.trim().split_at(2);
    let object = directory.join(".git/objects").join(start).join(rest);
    fs::rename(&object, &file).expect("an object");
    let refused = record(&order, &directory, &[]).expect(1);
    assert!(refused.stderr.contains("can't read the note of "), "{}", refused.stderr);
    let shown = in_repository(&directory, &home, &["history"]).expect(1);
    assert!(shown.stderr.contains("can't read the note of "), "{}", shown.stderr);
    fs::rename(&file, &object).expect("an object");
    let history = in_repository(&directory, &home, &["history", "five"]).expect(0);
    assert!(history.stderr.contains("2 lines in the note of "), "{}", history.stderr);
}
