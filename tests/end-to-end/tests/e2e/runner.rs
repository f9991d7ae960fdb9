//! A benchmark executable finds or builds its runner.

use std::env::{self, consts::ARCH};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end_tests::{Run, Suite, VERSION, need, run, runner, script, tree};

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
fn the_version_names_the_platforms() {
    let version = |option| run(Command::new(runner()).arg(option)).expect(0).stdout;
    let first = format!("iai-callgrind-runner {VERSION}\n");
    assert_eq!(version("-V"), first);
    let platforms = format!("platform: {ARCH} linux\ncounts on: x86_64 linux, aarch64 linux\n");
    assert_eq!(version("--version"), first + &platforms);
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
    for no in ["no", "NO", "false", "0"] {
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

/// Runs the executable as `cargo bench -- ARGUMENTS`, which appends `--bench`.
fn as_cargo(suite: &Suite, arguments: &[&str]) -> Run {
    let mut command = suite.bare();
    let variables = [("CARGO_PKG_NAME", "benchmark-tests"), ("CARGO_MANIFEST_DIR", "/")];
    command.envs(variables).env("IAI_CALLGRIND_RUNNER", runner());
    run(command.env("IAI_CALLGRIND_HOME", suite.home()).args(arguments).arg("--bench"))
}

#[test]
fn a_subcommand_as_the_first_argument_is_handed_over() {
    let order = Suite::new("order");
    let measured = as_cargo(&order, &["fibonacci::five", "--save-baseline=main"]).expect(0);
    assert_eq!(measured.report().names().len(), 1);
    let list = as_cargo(&order, &["list"]).expect(0);
    assert_eq!(list.stdout, "benchmark-tests\n  order::numbers::fibonacci::five  main\n");
    let missing = as_cargo(&order, &["list", "missing"]).expect(1);
    missing.complains(&["\nhelp: `cargo bench --bench order -- list` without a filter"]);
    let compare = as_cargo(&order, &["compare", "main", "main", "--callgrind-limits=ir=5%"]);
    assert!(compare.expect(0).stdout.contains("fibonacci::five"));
    assert_eq!(as_cargo(&order, &["annotate"]).expect(2).stdout, "");
    // The file is known
    let incomplete = as_cargo(&order, &["bisect", "HEAD"]).expect(2);
    incomplete
        .complains(&["not provided:\n  <BAD>\n\nUsage: cargo bench --bench order -- bisect "]);
    // Elsewhere it is a filter
    for arguments in [&["--", "list"][..], &["--parallel=1", "list"], &["lists"], &["LIST"]] {
        let run = as_cargo(&order, arguments).expect(0);
        assert_eq!(run.report().names().len(), 0, "{}", run.stdout);
    }
    let as_test = run(order.bare().arg("list")).expect(0);
    assert!(as_test.stdout.contains("8 filtered out"), "{}", as_test.stdout);
}

#[test]
fn files_of_other_harnesses_hand_a_subcommand_over_too() {
    for file in ["criterion_own_main", "criterion_file", "divan_file"] {
        let suite = Suite::new(file);
        let list = as_cargo(&suite, &["list"]).expect(1);
        let home = suite.home().display().to_string();
        list.complains(&[&home, "help: run the benchmarks first"]);
        // The `main` of the first file prints before its walk
        assert!(
            ["", "printed before the benchmarks\n"].contains(&&*list.stdout),
            "{}",
            list.stdout
        );
    }
}

#[test]
fn a_subcommand_finds_the_results_of_the_target_directory_of_its_executable() {
    let order = Suite::new("order").with_copy("target/release/deps/order-0123456789abcdef");
    let target = order.root().join("target");
    fs::write(target.join("CACHEDIR.TAG"), "").unwrap();
    let mut command = order.bare();
    command.env("IAI_CALLGRIND_RUNNER", runner()).args(["fibonacci::five", "--bench"]);
    let _ = run(&mut command).expect(0);
    let mut command = order.bare();
    command.env("IAI_CALLGRIND_RUNNER", runner()).args(["list", "--bench"]);
    let list = run(&mut command).expect(0);
    assert_eq!(list.stdout, "benchmark-tests\n  order::numbers::fibonacci::five  @last\n");
}
