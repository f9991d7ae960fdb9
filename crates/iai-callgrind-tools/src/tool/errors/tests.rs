//! Reads real logs, and damaged ones.

use std::fs;
use std::path::Path;

use iai_callgrind_plan::{EntryPoint, SanitizeOutput};
use tempfile::TempDir;

use super::super::fixtures::{
    assert_names_line, describe, fixture, fixtures, garbage_changes_nothing, outcome, truncations,
};
use super::*;

fn read_log(path: &Path, _: &TempDir) -> Result<Measurement> {
    read(&MEMCHECK, path)
}

fn options(arguments: &[&str]) -> LaunchOptions {
    LaunchOptions {
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        entry_point: EntryPoint::Default,
        frames: Vec::new(),
        sanitize_output: SanitizeOutput::default(),
        cold_caches: false,
        separate_threads: false,
        traces_heap: false,
    }
}

#[test]
fn errors_and_leaks_of_all_processes() {
    for version in ["319", "324"] {
        let read = |name: &str| {
            describe(
                &read(&MEMCHECK, &fixture("errors", &format!("{name}_{version}.log"))).unwrap(),
            )
        };
        assert_eq!(
            read("memcheck_processes"),
            "Errors=2 Contexts=2 SuppressedErrors=0 SuppressedContexts=0 DefinitelyLostBytes=1500 \
             DefinitelyLostBlocks=1 IndirectlyLostBytes=0 IndirectlyLostBlocks=0 PossiblyLostBytes=0 \
             PossiblyLostBlocks=0 ReachableBytes=0 ReachableBlocks=0",
            "{version}"
        );
        let errors = "Errors=1 Contexts=1 SuppressedErrors=0 SuppressedContexts=0";
        assert_eq!(read("memcheck_no_leaks"), errors, "{version}");
        for tool in ["helgrind_processes", "drd_processes"] {
            assert!(!read(tool).starts_with("Errors=0 "), "{version} {tool}");
        }
    }
}

#[test]
fn processes_are_separate() {
    let counted = read(&HELGRIND, &fixture("errors", "helgrind_processes_319.log")).unwrap();
    let commands: Vec<_> = counted.parts.iter().map(|part| &*part.command).collect();
    assert_eq!(commands, ["./err x", "./t2"]);
}

#[test]
fn a_log_without_a_whole_summary_is_an_error() {
    for path in fixtures("errors") {
        let content = fs::read(&path).unwrap();
        for start in truncations(&content) {
            match outcome(start, read_log) {
                Err(error) => assert_names_line(&error),
                // The end of one process, before the first line of the next
                Ok(_) => assert!(String::from_utf8_lossy(start).trim_end().ends_with(')')),
            }
        }
    }
}

#[test]
fn garbage_in_any_field_changes_nothing() {
    for path in fixtures("errors") {
        garbage_changes_nothing(&fs::read(&path).unwrap(), read_log);
    }
}

#[test]
fn the_report_is_what_valgrind_said_of_processes_with_errors() {
    let report = report(&fixture("errors", "memcheck_processes_319.log")).unwrap();
    assert!(
        report.starts_with("Invalid read of size 1\n   at 0x1091FC: main (err.c:8)\n"),
        "{report}"
    );
    assert!(report.contains("1,500 bytes in 1 blocks are definitely lost"), "{report}");
    assert!(!report.contains("Command: ") && !report.contains("All heap blocks"), "{report}");
}

#[test]
fn the_last_exit_code_that_is_given_holds() {
    assert_eq!(exit_code(&options(&[])), 201);
    assert_eq!(exit_code(&options(&["--error-exitcode=0"])), 0);
    assert_eq!(exit_code(&options(&["--error-exitcode=0", "-v", "--error-exitcode=7"])), 7);
}
