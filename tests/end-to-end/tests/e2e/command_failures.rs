//! Commands that fail: each is reported once with the command, its output and Valgrind's log, and the
//! others run.

use end_to_end_tests::Suite;

/// Those that fail: the title without the command, the cause, and other parts of the error.
const BAD: [(&str, &str, &[&str]); 22] = [
    ("ends code", "exit code 3, but success is expected", RAN),
    ("ends reason", "exit code 3, but success is expected", RAN),
    ("ends other_code", "exit code 3, but exit code 100 is expected", RAN),
    ("ends no_failure", "exit code 0, but failure is expected", RAN),
    ("ends killed", "killed by signal 9 (SIGKILL)", RAN),
    ("ends crashed", "killed by signal 11 (SIGSEGV)", RAN),
    (
        "not_found in_path",
        "no program `no-such-program` in PATH",
        &["env!(\"CARGO_BIN_EXE_no-such-program\")", "no-such-program argument"],
    ),
    ("not_found path", "there is no program ", &["./no/such/program argument"]),
    ("not_found not_executable", "/etc/passwd can't be executed", &["/etc/passwd argument"]),
    ("hooks setup", "the setup failed", &["no way in", "output of the set-up", ECHO]),
    ("hooks teardown", "the teardown failed", &["no way out", ECHO]),
    (
        "hooks_next_to_others parallel",
        "the setup failed",
        &["no way in", "output of the set-up", ECHO],
    ),
    ("hooks_next_to_others pipe", "the setup failed", &["no way in", ECHO]),
    ("delays path", "the delay timed out: there was no never within 100ms", &[ECHO]),
    ("delays tcp", "no TCP connection with 127.0.0.1:9 within 100ms", &["refused", ECHO]),
    ("delays udp", "no UDP response from 127.0.0.1:9 within 100ms", &["refused", ECHO]),
    (
        "configurations entry_point",
        "no function that the entry point `no_such_crate::main` matches",
        &["callgrind_annotate", ECHO, "== Command: "],
    ),
    ("configurations fixture", "there is no fixture ", &["no/such/fixture", ECHO]),
    ("configurations directory", "there is no such directory", &["no/such/directory", ECHO]),
    ("stdin_file", "can't read ", &["no/such/input", ECHO]),
    ("no_setup", "no setup: the standard input of the command is the output of its setup", &[ECHO]),
    // Before or after it has become `sleep`
    ("leaves_a_process", ", which outlived it or was killed", &["sh -c", "== Command: "]),
];

/// Parts of the error of a command that ran.
const RAN: &[&str] = &[
    "  command:\n    /",
    "benchmark-tests-exit-with ",
    "  output:\n    output before the end",
    "  error output:\n    error output before the end: ",
    "  log:\n    ==",
    "== Command: /",
];

const ECHO: &str = "/benchmark-tests-echo";

#[test]
fn each_is_reported_once_and_the_others_run() {
    let suite = Suite::new("command_failures");
    let run = suite.run(&[]).expect(1);
    let report = run.report();
    assert_eq!(report.names(), ["group::good::before", "group::good::after"]);
    let summary =
        format!("Failed. {} benchmarks ran, 0 regressed, {} failed, ", BAD.len() + 2, BAD.len());
    assert!(report.summary.starts_with(&summary), "{}", report.summary);
    assert_eq!(run.stderr.matches("error: ").count(), BAD.len(), "{}", run.stderr);
    for (title, cause, parts) in BAD {
        let error = run.error_of(&format!("command_failures::group::{title}"));
        let (first, _) = error.split_once('\n').unwrap_or((error, ""));
        assert!(first.contains(cause), "{title}: {error}");
        for part in parts {
            assert!(error.contains(part), "{title}: no {part:?} in {error}");
        }
    }
}
