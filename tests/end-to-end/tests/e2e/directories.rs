//! Functions in a sandbox and in other directories.

use std::fs;
use std::path::Path;
use std::process::Command;

use end_to_end_tests::{Run, Suite, run, runner};

/// Runs a command of the suite with a directory for temporary files of its own, in the directory of the package.
/// Afterwards no sandbox is left.
fn run_all(suite: &Suite, mut command: Command, arguments: &[&str]) -> Run {
    let temporary = suite.root().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let run = run(command.env("TMPDIR", &temporary).args(arguments));
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0, "{}", run.stderr);
    run
}

fn bench(suite: &Suite, arguments: &[&str]) -> Run {
    let mut command = suite.command();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmark-tests"));
    run_all(suite, command, arguments)
}

#[test]
fn a_function_runs_in_its_directory_and_counts_the_same() {
    let suite = Suite::new("directories");
    let first = bench(&suite, &["::good::"]).expect(0);
    let report = first.report();
    let count = |id: &str| report.instructions(&format!("good::sum::{id}"));
    for id in ["fixture", "directory", "directory_of_a_sandbox"] {
        assert_eq!(count(id), count("package"), "{id}");
    }
    let again = bench(&suite, &["--parallel=2", "::good::"]).expect(0);
    let counts = again.stdout.lines().filter(|line| line.starts_with("  Instructions:"));
    assert_eq!(counts.clone().count(), 9);
    for line in counts {
        assert!(line.ends_with("(No change)"), "{}", again.stdout);
    }
    let staging = fs::read_dir(suite.directory()).unwrap().flatten();
    assert!(staging.map(|entry| entry.file_name()).all(|name| name != ".staging"));
}

#[test]
fn a_function_without_its_directory_fails_and_the_others_run() {
    let suite = Suite::new("directories");
    let run = bench(&suite, &["::bad::", "has_cargo_toml"]).expect(1);
    let error = |id: &str| run.error_of(&format!("directories::bad::wrong {id}"));
    assert!(error("no_fixture").contains("missing.txt"), "{}", run.stderr);
    assert!(
        error("no_directory").contains("/missing: there is no such directory"),
        "{}",
        run.stderr
    );
    assert!(error("panics").contains("in the sandbox"), "{}", run.stderr);
    assert_eq!(run.report().names().len(), 2, "{}", run.stdout);
}

// Massif measures a whole process, so each case has a Valgrind of its own.
#[test]
fn every_tool_runs_functions_in_their_directories() {
    let suite = Suite::new("directories");
    let run = bench(&suite, &["--tools=dhat,massif", "copy_a_file"]).expect(0);
    assert_eq!(run.stdout.matches("MASSIF").count(), 2, "{}", run.stdout);
}

#[test]
fn the_sandbox_of_a_function_is_kept_if_that_is_asked_for() {
    let suite = Suite::new("directories");
    let run = suite.run(&["--keep-sandbox", "copy_a_file::first"]).expect(0);
    let note = "note: the sandbox of directories::good::copy_a_file::first is ";
    let path = run.stderr.lines().find_map(|line| line.strip_prefix(note)).expect("a note");
    assert_eq!(fs::read_to_string(format!("{path}/read.txt")).unwrap(), "first");
    fs::remove_dir_all(path).unwrap();
}

// They have no configuration that could ask for it.
#[test]
fn benchmarks_of_other_harnesses_have_a_sandbox_with_an_option() {
    for name in ["criterion_counters", "divan_counters"] {
        let suite = Suite::new(name);
        let files = |arguments: &[&str]| -> u32 {
            let stdout = bench(&suite, &[&["directory"], arguments].concat()).expect(0).stdout;
            let line = stdout.lines().find_map(|line| line.trim().strip_prefix("files:"));
            let (new, _) = line.and_then(|line| line.split_once('|')).expect("a counter");
            new.trim().parse().expect("a number")
        };
        assert!(files(&[]) > 1, "the directory of the package has files");
        assert_eq!(files(&["--sandbox", "--tools=dhat"]), 0, "{name}");
    }
}

#[test]
fn test_mode_runs_functions_in_their_directories() {
    let suite = Suite::new("directories");
    let test = |arguments: &[&str]| {
        let mut command = suite.bare();
        command.env("IAI_CALLGRIND_RUNNER", runner());
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmark-tests"));
        run_all(&suite, command, arguments)
    };
    let passed = test(&["::good::"]).expect(0);
    for line in [
        "test directories::good::sum::package ... ok",
        "test directories::good::sum::directory_of_a_sandbox ... ok",
        "test directories::good::copy_a_file::second ... ok",
        "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out;",
    ] {
        assert!(passed.stdout.contains(line), "no {line:?} in {}", passed.stdout);
    }
    let failed = test(&["::bad::", "has_cargo_toml"]).expect(101);
    assert!(failed.stdout.contains("test directories::good::has_cargo_toml::sandbox ... ok\n"));
    assert!(failed.stdout.contains("test directories::bad::wrong::no_directory ... FAILED\n"));
    failed.complains(&["missing.txt", "/missing: there is no such directory", "in the sandbox"]);
}
