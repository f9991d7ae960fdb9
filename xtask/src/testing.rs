//! The checks that run tests.

use std::process::Command;

use xtask::command;
use xtask::install::Program;
use xtask::outcome::Outcome;
use xtask::quiet;
use xtask::scratch;

use crate::browser;
use crate::checks::Form;

/// The module with the real Criterion among the tests that build crates.
const CRITERION: &str = "time::";

/// The modules of end-to-end tests about runs that end early.
pub(crate) const ENDS: &[&str] = &[
    "command_cancellation::",
    "command_failures::",
    "faults::",
    "foreign_messages::",
    "function_cancellation::",
    "function_failures::",
    "killed_runs::",
    "output_directories::",
    "sabotage::",
    "servers::",
    "spinning::",
    "timeouts::",
];

/// The modules of end-to-end tests about the machine that benchmarks see.
pub(crate) const MACHINE: &[&str] =
    &["fixed_surroundings::", "inherited::", "machine_values::", "one_machine::", "process_ids::"];

/// The modules of end-to-end tests about commands that count with all of their processes.
pub(crate) const COMMANDS: &[&str] = &["commands::", "exec::", "real_programs::"];

/// The modules of end-to-end tests about tools other than Callgrind.
pub(crate) const TOOLS: &[&str] = &["peaks::", "tool_runners::", "tools::"];

/// The modules of end-to-end tests about files of other harnesses.
pub(crate) const HARNESSES: &[&str] =
    &["bencher::", "criterion::", "divan::", "google_benchmark::", "migrated::", "own_main::"];

/// The second compiler of C++.
pub(crate) const CLANG: Program = Program { name: "clang++", packages: "clang" };

/// Runs the unit tests, the tests of stored cases and those of the benchmark files, and with the long form what takes
/// an hour.
pub(crate) fn tests(form: Form) -> Outcome {
    let mut tests = command::cargo(["test", "--no-run"]);
    // As the tests do. At the same time, because each of both ends with one large crate
    let mut benchmarks = command::cargo(["bench", "--no-run", "--package", "benchmark-tests"]);
    // A failed build is reported, and the tests then fail for the same reason
    let built = quiet::side_by_side(&mut tests, benchmarks.arg("--benches"));

    // Each of these is a check of its own
    let apart = [&[browser::TESTS], ENDS, MACHINE, COMMANDS, TOOLS, HARNESSES].concat();
    let skipped: Vec<_> = apart.into_iter().flat_map(|module| ["--skip", module]).collect();
    let mut end_to_end = end_to_end("e2e", &skipped);
    let mut others = command::cargo(["test", "--no-fail-fast"]);
    let _scratch = [&mut end_to_end, &mut others].map(scratch::in_memory);
    let short = built.and(quiet::side_by_side(&mut end_to_end, &mut others));
    if form == Form::Short {
        return short;
    }
    let mut runner = command::cargo(["test", "--release", "-p", "iai-callgrind-runner"]);
    runner.args(["--", "--ignored"]);
    let libclang = command::cargo(["test", "-p", "libclang-tests", "--features", "libclang"]);
    let long = [end_to_end_of("e2e"), end_to_end_of("crates"), runner, libclang];
    long.into_iter().fold(short, |outcome, mut test| outcome.and(quiet::outcome(&mut test)))
}

/// Returns the long forms in a test target.
fn end_to_end_of(target: &str) -> Command {
    end_to_end(target, &["--ignored"])
}

/// Returns the end-to-end tests of a target.
fn end_to_end(target: &str, arguments: &[&str]) -> Command {
    let mut tests = command::cargo(["test", "--test", target, "--"]);
    quiet::set_threads(tests.args(arguments));
    tests
}

/// Runs the end-to-end tests in these modules.
pub(crate) fn modules(names: &[&str]) -> Outcome {
    quiet::outcome(&mut end_to_end("e2e", names))
}

/// Compiles benchmark files, right ones and wrong ones.
pub(crate) fn ui() -> Outcome {
    quiet::outcome(&mut command::cargo(["test", "-p", "iai-callgrind", "--test", "ui"]))
}

/// Runs the tests that build crates of users, revisions and the runner.
pub(crate) fn crates() -> Outcome {
    quiet::outcome(&mut end_to_end("crates", &["--skip", CRITERION]))
}

/// Runs benchmarks with the real Criterion.
pub(crate) fn criterion() -> Outcome {
    quiet::outcome(&mut end_to_end("crates", &[CRITERION]))
}

/// Compiles the blocks of the guide and runs its commands.
pub(crate) fn guide() -> Outcome {
    quiet::outcome(&mut command::cargo(["test", "--test", "documentation", "--", "--ignored"]))
}

/// Runs the benchmarks of the runner, in the profile of the runner that users have: both share their dependencies.
pub(crate) fn parsers() -> Outcome {
    let mut parsers = command::cargo(["bench", "--profile", "release"]);
    parsers.args(["-p", "runner-benchmarks", "--bench", "parsers", "--", "--profile-note=no"]);
    quiet::outcome(&mut parsers)
}

/// Runs the tests of the evaluations, which `cargo test` leaves out.
pub(crate) fn evaluations() -> Outcome {
    quiet::outcome(&mut command::cargo(["test", "-p", "evaluations"]))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_module_with_a_check_of_its_own_exists() {
        let directory = command::root().join("tests/end-to-end/tests/e2e");
        for name in [ENDS, MACHINE, COMMANDS, TOOLS, HARNESSES].concat() {
            let file = directory.join(name.trim_end_matches(':')).with_extension("rs");
            assert!(fs::exists(&file).unwrap(), "no {}", file.display());
            assert!(name.ends_with("::"), "{name}");
        }
    }

    // A filter is any part of a name
    #[test]
    fn no_module_ends_like_one_with_a_check_of_its_own() {
        let directory = command::root().join("tests/end-to-end/tests/e2e");
        let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
        let modules = files.map(|file| format!("{}::", file.file_stem().unwrap().display()));
        for module in modules {
            for name in [ENDS, MACHINE, COMMANDS, TOOLS, HARNESSES].concat() {
                assert!(module == name || !module.ends_with(name), "{module} has {name} in it");
            }
        }
    }
}
