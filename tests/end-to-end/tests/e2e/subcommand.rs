//! Subcommands of the runner, given to it or to a benchmark executable.

use std::env::consts::ARCH;
use std::fs;
use std::process::Command;

use end_to_end_tests::{Run, Suite, VERSION, run, runner};

#[test]
fn the_version_names_the_platforms() {
    let version = |option| run(Command::new(runner()).arg(option)).expect(0).stdout;
    let first = format!("iai-callgrind-runner {VERSION}\n");
    assert_eq!(version("-V"), first);
    let platforms = format!("platform: {ARCH} linux\ncounts on: x86_64 linux, aarch64 linux\n");
    assert_eq!(version("--version"), first + &platforms);
}

#[test]
fn a_variable_with_a_wrong_value_is_named() {
    let order = Suite::new("order");
    for name in ["IAI_CALLGRIND_COLOR", "IAI_CALLGRIND_LOG"] {
        // The library asks the runner for its version
        let mut command = order.bare();
        let variables = [("CARGO_PKG_NAME", "benchmark-tests"), ("CARGO_MANIFEST_DIR", "/")];
        command.envs(variables).env("IAI_CALLGRIND_RUNNER", runner()).env(name, "nonsense");
        let refused = run(command.arg("--bench")).expect(2);
        refused.complains(&[&format!("error: invalid value 'nonsense' for '{name}'")]);
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
    let incomplete = as_cargo(&order, &["bisect"]).expect(2);
    incomplete
        .complains(&["not provided:\n  <GOOD>\n\nUsage: cargo bench --bench order -- bisect "]);
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
