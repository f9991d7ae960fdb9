//! A benchmark executable finds or builds its runner.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Suite, VERSION, need, run, runner, script, tree};

/// Returns a directory with a runner of another version, which fails if it's used.
fn other_version(suite: &Suite) -> PathBuf {
    let directory = suite.subdirectory("other");
    let lines = "test \"$1\" = --version && echo iai-callgrind-runner 0.16.1 || exit 77";
    script(&directory.join("iai-callgrind-runner"), lines);
    directory
}

/// Returns `PATH` with these before all other directories.
fn path_with<'a>(directories: impl IntoIterator<Item = &'a Path>) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = directories.into_iter().map(ToOwned::to_owned);
    env::join_paths(directories.chain(env::split_paths(&path))).expect("a path list")
}

/// Returns the command without a runner in its environment.
fn without_runner(suite: &Suite) -> Command {
    let mut command = suite.command();
    command.env_remove("IAI_CALLGRIND_RUNNER");
    command
}

#[test]
fn another_version_in_the_variable_is_an_error() {
    let order = Suite::new("order");
    let other = other_version(&order).join("iai-callgrind-runner");
    let run = run(order.command().env("IAI_CALLGRIND_RUNNER", &other)).expect(1);
    let other = other.display().to_string();
    run.complains(&["IAI_CALLGRIND_RUNNER", &other, "0.16.1", VERSION]);
    assert_eq!(run.stdout, "");
    assert!(tree(&order.home()).is_empty());
}

#[test]
fn nothing_or_something_else_in_the_variable_is_an_error() {
    let order = Suite::new("order");
    for wrong in ["/no/such/runner", "/bin/true", "/"] {
        let run = run(order.command().env("IAI_CALLGRIND_RUNNER", wrong)).expect(1);
        run.complains(&["IAI_CALLGRIND_RUNNER", wrong]);
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn another_version_in_path_is_passed_over() {
    let order = Suite::new("order");
    let (other, ours) = (other_version(&order), runner().parent().expect("a directory"));
    let mut command = without_runner(&order);
    command.env("PATH", path_with([&*other, ours])).env("IAI_CALLGRIND_AUTO_INSTALL", "no");
    let run = run(&mut command).expect(0);
    assert_eq!(run.report().names().len(), 8);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_runner_that_is_missing_is_built_from_the_checkout() {
    need("cargo");
    let order = Suite::new("order");
    let other = other_version(&order);
    let mut command = without_runner(&order);
    command.env("PATH", path_with([&*other]));
    assert_eq!(run(&mut command).expect(0).report().names().len(), 8);
    // The second time there is nothing to say
    let again = run(&mut command).expect(0);
    assert_eq!(again.stderr, "");
}

#[test]
fn settings_of_the_users_build_do_not_change_the_runner() {
    need("cargo");
    let order = Suite::new("order");
    let mut command = without_runner(&order);
    command
        .env("CARGO_TARGET_DIR", order.subdirectory("target"))
        .env("CARGO_BUILD_TARGET", "no-such-target")
        .env("RUSTFLAGS", "--no-such-flag");
    assert_eq!(run(&mut command).expect(0).report().names().len(), 8);
    assert!(tree(&order.root().join("target")).is_empty());
}

#[test]
fn what_to_do_is_said_when_a_missing_runner_may_not_be_installed() {
    let order = Suite::new("order");
    let other = other_version(&order);
    for no in ["no", "NO", "false", "0", "never"] {
        let mut command = without_runner(&order);
        command.env("PATH", &other).env("IAI_CALLGRIND_AUTO_INSTALL", no);
        let run = run(&mut command).expect(1);
        run.complains(&[
            "IAI_CALLGRIND_AUTO_INSTALL",
            VERSION,
            "help: install the runner with `cargo install ",
        ]);
        assert_eq!(run.stdout, "");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    }
}
