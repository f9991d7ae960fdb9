//! Benchmarks that are repeated natively, for a profiler.

use std::collections::HashSet;
use std::fs;

use end_to_end_tests::{Run, Suite, run};

/// Runs benchmarks of the file for as long as the option says. Returns the lines that they wrote, too.
fn profile(suite: &Suite, arguments: &[&str]) -> (Run, Vec<String>) {
    let lines = suite.root().join("lines");
    let mut command = suite.command();
    command.arg(format!("--envs=PROFILED={}", lines.display())).args(arguments);
    command.env("IAI_CALLGRIND_VALGRIND_PATH", "/nowhere/valgrind");
    let run = run(&mut command);
    let lines = fs::read_to_string(lines).unwrap_or_default();
    (run, lines.lines().map(ToOwned::to_owned).collect())
}

/// Returns the text between two others on the standard error.
fn between<'a>(run: &'a Run, before: &str, after: &str) -> &'a str {
    let found = run.stderr.split_once(before).and_then(|(_, rest)| rest.split_once(after));
    found.unwrap_or_else(|| panic!("{before}…{after} in\n{}", run.stderr)).0
}

#[test]
fn a_function_is_repeated_natively_for_the_time() {
    let suite = Suite::new("profiled");
    let (run, lines) = profile(&suite, &["--profile-time=0.4", "sleeps"]);
    let run = run.expect(0);
    let name = "profile: profiled::functions::sleeps ten:10: ";
    let process = between(&run, &format!("{name}process "), ", for 400ms\n");
    let (calls, seconds) =
        between(&run, &format!(", for 400ms\n{name}"), " s\n").split_once(" calls in ").unwrap();
    assert_eq!(calls, lines.len().to_string(), "{}", run.stderr);
    assert!(seconds.parse::<f64>().unwrap() >= 0.4, "{seconds}");
    // Each sleeps for 10 ms, and only one more can start before the end
    assert!((2..=40).contains(&lines.len()), "{lines:?}");
    for line in &lines {
        let [pid, tools, ancestors] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert_eq!((pid, tools), (process, "0"), "{line}");
        assert!(
            !ancestors
                .split(',')
                .any(|name| name.starts_with("valgrind") || name.starts_with("callgrind")),
            "{line}"
        );
    }
    assert!(run.stdout.contains("Ok. 1 benchmark ran"), "{}", run.stdout);
    assert!(!suite.home().exists(), "nothing is stored");
}

#[test]
fn a_command_is_run_again_and_again() {
    let suite = Suite::new("profiled");
    let (run, lines) = profile(&suite, &["--profile-time=200ms", "::command"]);
    let run = run.expect(0);
    let name = "profile: profiled::functions::command: ";
    run.complains(&[&format!("{name}a process for each run, for 200ms\n")]);
    let runs = between(&run, &format!("200ms\n{name}"), " run").to_owned();
    assert_eq!(runs, lines.len().to_string(), "{}", run.stderr);
    let processes: HashSet<_> = lines.iter().collect();
    assert_eq!(processes.len(), lines.len(), "each is a process of its own");
    assert!(!suite.home().exists(), "nothing is stored");
}

#[test]
fn a_benchmark_that_fails_leaves_the_others_running() {
    let suite = Suite::new("profiled");
    let (run, lines) = profile(&suite, &["--profile-time=100ms"]);
    let run = run.expect(1);
    run.complains(&["error: profiled::functions::panics: the benchmark panicked", "not today"]);
    assert!(!lines.is_empty(), "{}", run.stderr);
    assert!(
        run.stdout.contains("Failed. 3 benchmarks ran, 0 regressed, 1 failed"),
        "{}",
        run.stdout
    );
}

#[test]
fn options_about_results_are_errors() {
    for option in ["--time", "--against=main", "--save-baseline=x"] {
        let run = Suite::new("profiled").run(&["--profile-time=1", option]).expect(2);
        let name = option.split('=').next().unwrap();
        run.complains(&[&format!("--profile-time <DURATION>' cannot be used with '{name}")]);
    }
    let run = Suite::new("profiled").run(&["--profile-time=0"]).expect(2);
    run.complains(&["expected a duration above zero"]);
}

#[test]
fn unused_options_are_named_once() {
    let suite = Suite::new("profiled");
    let report = format!("--report=json:{}/report.json", suite.root().display());
    let arguments = [
        "--profile-time=10ms",
        "::command",
        &report,
        "--output-format=json",
        "--save-summary",
        "--record",
        "--limit=auto",
        "--callgrind-limits=ir=1",
        "--counter-limits=a=1",
        "--strict-environment",
    ];
    let (run, _) = profile(&suite, &arguments);
    let run = run.expect(0);
    let note = "note: --report, --output-format, --save-summary, --record, --limit, --callgrind-limits, \
                --counter-limits and --strict-environment have no effect with --profile-time, which has no results\n";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
    let (run, _) = profile(&suite, &arguments[..2]);
    assert!(!run.expect(0).stderr.contains("note:"));
}

#[test]
fn files_of_other_harnesses_are_repeated() {
    for (file, filter, title) in [
        ("criterion_file", "first/sort", "criterion_file::first::sort"),
        ("divan_file", "first::sort_refs", "divan_file::first::sort_refs"),
    ] {
        let suite = Suite::new(file);
        let run = suite.run(&["--profile-time", "0.1", filter]).expect(0);
        let calls = between(&run, ", for 100ms\n", " calls in ").rsplit_once(' ').unwrap().1;
        let calls: u64 = calls.replace(',', "").parse().unwrap();
        assert!(calls > 1000, "{title}: {}", run.stderr);
        assert!(run.stderr.contains(title), "{}", run.stderr);
    }
}
