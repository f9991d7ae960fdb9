//! Documented examples of binary benchmarks do what the documentation says.

use std::env::consts::ARCH;

use end_to_end_tests::{Suite, run};

#[test]
fn the_quickstart() {
    let quickstart = Suite::new("my_binary_benchmark");
    let run = quickstart.run(&[]).expect(0);
    let titles: Vec<_> = run.stdout.lines().filter(|line| line.contains("::")).collect();
    assert_eq!(
        titles,
        [
            "my_binary_benchmark::my_exe_group do foo with test1:benchmark-tests-printargs \"--foo=fixt...",
            "my_binary_benchmark::my_exe_group positional arguments:benchmark-tests-printargs foo \"foo ba...",
            "my_binary_benchmark::my_exe_group no argument:benchmark-tests-printargs",
        ]
    );
    let report = run.report();
    let count = |id: &str| report.instructions(&format!("my_exe_group::{id}"));
    // An entry point of a command counts to the end of the process where callgrind does not know the calls
    let factor = if ARCH == "aarch64" { 1 } else { 50 };
    assert!(count("positional arguments") < count("no argument") / factor);
    assert!(quickstart.directory().join("my_exe_group").is_dir());

    let shown = quickstart.run(&["--nocapture", "do foo"]).expect(0).stdout;
    for line in [
        "We can put code in here which will be run before each benchmark run",
        "--foo=fixtures/test1.txt",
        "the first fixture",
    ] {
        assert!(shown.contains(&format!("{line}\n")), "no {line:?} in {shown}");
    }
}

#[test]
fn a_command_for_one_run() {
    let report = Suite::new("with_cmd").report(&[]);
    assert_eq!(report.benchmarks[0].title, "with_cmd::my_exe_group some id:my-exe");
}

#[test]
fn groups_may_be_empty() {
    for name in ["discovery", "no_sandbox"] {
        assert!(Suite::new(name).report(&[]).benchmarks.is_empty());
    }
}

#[test]
fn an_exit_code_that_is_expected() {
    let suite = Suite::new("exit_with");
    let report = suite.report(&[]);
    assert_eq!(report.benchmarks[0].title, "exit_with::my_exe_group some id:my-exe");
    // The command line configures on top of `main!`
    let run = suite.run(&["--envs=EXIT=3"]).expect(1);
    run.complains(&["exit code 3, but exit code 100 is expected"]);
}

#[test]
fn variables_are_cleared_set_and_passed_through() {
    let variables = |value: Option<&str>| -> Vec<String> {
        let suite = Suite::new("variables");
        let mut command = suite.command();
        command.env("OTHER", "not passed").env_remove("KEY").arg("--nocapture");
        if let Some(value) = value {
            command.env("KEY", value);
        }
        let stdout = run(&mut command).expect(0).stdout;
        let lines = stdout.lines().filter(|line| line.contains('=') && !line.contains("::"));
        let own = ["GLIBC_TUNABLES", "LD_PRELOAD", "VALGRIND_LIB"];
        let others = lines.filter(|line| !own.iter().any(|name| line.starts_with(name)));
        others.map(ToOwned::to_owned).collect()
    };
    assert_eq!(variables(None), ["KEY=VALUE"]);
    assert_eq!(variables(Some("passed")), ["KEY=passed"]);
}
