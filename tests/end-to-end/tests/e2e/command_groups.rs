//! Groups that a function fills, and what runs around their commands.

use std::fs;

use end_to_end_tests::{Suite, run};

/// Runs the selected benchmarks. Returns their titles, and the lines that the hooks wrote.
fn titles_and_hooks(arguments: &[&str]) -> (Vec<String>, Vec<String>) {
    let runs = Suite::new("runs");
    let file = runs.root().join("hooks");
    let run = run(runs.command().env("HOOKS", &file).args(arguments)).expect(0);
    let titles = run.stdout.lines().filter(|line| line.starts_with("runs::"));
    let hooks = fs::read_to_string(file).unwrap_or_default();
    (titles.map(ToOwned::to_owned).collect(), hooks.lines().map(ToOwned::to_owned).collect())
}

#[test]
fn the_older_spelling() {
    let (titles, hooks) = titles_and_hooks(&["runs::older"]);
    assert_eq!(
        titles,
        [
            "runs::older fixture, before & setup:benchmark-tests-cat fixtures/test1.tx...",
            "runs::older a:benchmark-tests-cat of_setup.txt",
            "runs::older b:benchmark-tests-cat of_before.txt",
            "runs::older nothing:benchmark-tests-cat",
            "runs::older missing:benchmark-tests-cat missing.txt",
            "runs::older other command:echo",
        ]
    );
    let each = ["setup", "teardown"].repeat(6);
    assert_eq!(hooks, [&["before"][..], &each, &["after"]].concat());
}

#[test]
fn hooks_can_be_benchmarks() {
    let (titles, hooks) = titles_and_hooks(&["runs::measured"]);
    assert_eq!(
        titles,
        [
            "runs::measured::before",
            "runs::measured::set_up",
            "runs::measured first:benchmark-tests-cat of_before.txt",
            "runs::measured::tear_down",
            "runs::measured second:benchmark-tests-cat of_setup.txt",
            "runs::measured::after",
        ]
    );
    // What is measured finds an empty environment, and so is silent
    assert_eq!(hooks, ["setup", "teardown"]);
}

#[test]
fn the_newer_spelling() {
    let (titles, hooks) = titles_and_hooks(&["runs::newer"]);
    assert_eq!(
        titles,
        [
            "runs::newer::printing own:benchmark-tests-echo own",
            "runs::newer::printing many_3_0:echo a",
            "runs::newer::printing many_3_1:echo b",
            "runs::newer::lines of file_0:echo \"first line\"",
            "runs::newer::lines of file_1:echo \"second line\"",
        ]
    );
    let each = ["setup", "teardown", "setup", "setup"];
    assert_eq!(hooks, [&["group setup"][..], &each, &["group teardown"]].concat());
}

#[test]
fn without_a_sandbox_everything_runs_in_the_package() {
    let (titles, _) = titles_and_hooks(&["without_a_sandbox"]);
    assert_eq!(titles, ["runs::without_a_sandbox manifest:ls Cargo.toml"]);
}

#[test]
fn a_directory_can_have_any_name() {
    let runs = Suite::new("runs");
    let _ = runs.run(&["*fixture, before*"]).expect(0);
    let name = "fixture%2C%20before%20%26%20setup";
    let result = runs.directory().join("older").join(name).join(format!("callgrind.{name}.out"));
    assert!(result.is_file(), "{}", result.display());
}
