//! The configuration in a benchmark file takes effect: environment, arguments, entry points, hooks.

use end_to_end_tests::{Report, Suite, run};

/// Returns the output of the benchmark with this title.
fn printed(stdout: &str, title: &str) -> Vec<String> {
    let lines = stdout.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| !line.starts_with("- end of")).map(ToOwned::to_owned).collect()
}

#[test]
fn the_command_line_wins() {
    let configuration = Suite::new("configuration");
    let arguments = ["--nocapture=stdout", "--envs=LEVEL=line", "--env-clear", "environment"];
    let mut command = configuration.command();
    command.args(arguments).env("PASSED", "1");
    let stdout = run(&mut command).expect(0).stdout;
    let printed = printed(&stdout, "configuration::environment::not_cleared");
    assert_eq!(printed, ["LEVEL=line", "MAIN=yes", "GROUP=yes"]);
}

#[test]
fn titles_and_parts_are_shown_as_configured() {
    let stdout = Suite::new("configuration").run(&["output"]).expect(0).stdout;
    for expected in [
        "configuration::output::titles short:\"a long...\n",
        "configuration::output::titles long:\"a long argument\"\n",
        " thread: 1 ",
        " thread: 2 ",
        "  Command: ",
        "  ## Total\n",
    ] {
        assert!(stdout.contains(expected), "{expected:?} in\n{stdout}");
    }
}

#[test]
fn the_parts_add_up_to_the_total() {
    let configuration = Suite::new("configuration");
    let stdout = configuration.run(&["titles::short"]).expect(0).stdout;
    let values = |label: &str| -> Vec<u64> {
        let lines = stdout.lines().filter(|line| line.trim_start().starts_with(label));
        let value = |line: &str| line.split_once('|')?.0.split_whitespace().last()?.parse().ok();
        lines.filter_map(value).collect()
    };
    for label in ["Instructions:", "Total read+write:"] {
        let [first, second, total] = values(label)[..] else { panic!("{label} in\n{stdout}") };
        assert_eq!(first + second, total, "{label}");
    }
    // Each part is compared with the same one of the last run
    let again = configuration.run(&["titles::short"]).expect(0).stdout;
    assert_eq!(again.matches("|pid: ").count(), 2, "{again}");
    // Together they count the same as if they are not shown separately
    let report: Report = configuration.report(&["--show-intermediate=no", "titles::short"]);
    let line = &report.benchmarks[0].lines[0];
    assert!(line.old.is_some_and(|old| old.abs_diff(line.new) < 200), "{line:?}");
}
