//! `cargo xtask test`: what has to hold before a commit, and with `--all` what has to hold before a change is merged.

use std::fmt;
use std::io::{self, Seek};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::ValueEnum;
use xtask::command;
use xtask::failures::Failures;
use xtask::install;
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::browser;
use crate::examples;
use crate::i386;
use crate::minimal_versions;
use crate::msrv::{self, CRATES};
use crate::newer;
use crate::platforms;
use crate::threads::set_threads;
use crate::vm;
use crate::workflows;

/// The tests that `cargo test` does not run, and that `--all-targets` leaves out too.
const END_TO_END: &[&str] = &["-p", "end-to-end-tests", "--test", "e2e", "--test", "crates"];

/// The packages of the library that have its features
const LIBRARY: &[&str] = &["-p", "iai-callgrind", "-p", "iai-callgrind-harness"];

/// The feature with functions that make no requests
const DEFINITIONS: &str = "client_requests_defs";

/// A check that can be picked on the command line; declared in the order that they run in
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Step {
    /// All files are formatted
    Fmt,
    /// No lint complains, with all features and in the combinations that users have
    Clippy,
    /// Unit, compile-fail, end-to-end and documentation tests; the end-to-end ones run Valgrind
    Test,
    /// Pages sort, filter, zoom and search in a headless Chromium, and ask for nothing
    Browser,
    /// The end-to-end tests of what Valgrind counts and writes, under a newer Valgrind
    Newer,
    /// The Quickstart, exact counts and a case for each tool on another architecture, in a virtual machine
    Vm,
    /// The documentation builds without a warning
    Doc,
    /// The oldest supported Rust builds the crates that users compile
    Msrv,
    /// The library builds with the oldest versions of its dependencies that it allows
    Minimal,
    /// The library and benchmarks compile on macOS and Windows
    Platforms,
    /// Benchmarks of i386 have exact counts
    I386,
    /// The crates in `examples` print what their READMEs show
    Examples,
    /// actionlint accepts the workflows of this repository and of the guide
    Workflows,
}

/// The thoroughness of a check
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Short,
    Long,
}

/// A check that has run
struct Row {
    step: Step,
    outcome: Outcome,
    seconds: f64,
}

/// Runs these checks; the exit code is 1 if one failed
pub(crate) fn run(steps: &[Step], form: Form) -> ExitCode {
    // All that is missing is installed first, so that a question for a password comes at once
    let machine = Machine::this();
    let prepared: Vec<_> = steps.iter().map(|step| (*step, step.prepare(&machine))).collect();
    let rows = prepared.into_iter().map(|(step, ready)| Row::of(step, ready, form));
    let rows: Vec<_> = rows.collect();

    print!("\n{}", Summary(&rows));
    if rows.iter().any(|row| row.outcome.is_failure()) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

impl Step {
    /// The checks of this machine, before a commit
    pub(crate) const HERE: &[Self] = &[Self::Fmt, Self::Clippy, Self::Test, Self::Newer, Self::Doc];

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Test => "test",
            Self::Browser => "browser",
            Self::Newer => "newer",
            Self::Vm => "vm",
            Self::Doc => "doc",
            Self::Msrv => "msrv",
            Self::Minimal => "minimal",
            Self::Platforms => "platforms",
            Self::I386 => "i386",
            Self::Examples => "examples",
            Self::Workflows => "workflows",
        }
    }

    /// Installs what the check needs
    fn prepare(self, machine: &Machine) -> Result<(), String> {
        match self {
            Self::Fmt => install::component(machine, "rustfmt", "fmt"),
            Self::Clippy => install::component(machine, "clippy", "clippy"),
            Self::Test | Self::Browser | Self::I386 | Self::Examples => install::valgrind(machine),
            Self::Newer
            | Self::Vm
            | Self::Doc
            | Self::Msrv
            | Self::Minimal
            | Self::Platforms
            | Self::Workflows => Ok(()),
        }
    }

    fn run(self, form: Form) -> Outcome {
        match self {
            Self::Fmt => tally::outcomes([command::cargo(["fmt", "--all", "--check"])]),
            Self::Clippy => tally::outcomes([
                clippy(everything(form)),
                clippy(END_TO_END),
                clippy(&[LIBRARY, &["--all-targets"]].concat()),
                clippy(&[LIBRARY, &["--no-default-features"]].concat()),
                clippy(&[LIBRARY, &["--no-default-features", "-F", "benchmark"]].concat()),
                clippy(&[LIBRARY, &["--no-default-features", "-F", "client_requests"]].concat()),
                clippy(&[LIBRARY, &["--no-default-features", "-F", DEFINITIONS]].concat()),
            ]),
            Self::Test => tests(form),
            Self::Browser => browser::check(),
            Self::Newer => newer::check(),
            Self::Vm => vm::check(),
            Self::Doc => {
                let mut doc = command::cargo(["doc", "--no-deps", "--all-features"]);
                doc.args(CRATES.iter().flat_map(|name| ["-p", name]));
                doc.env("RUSTDOCFLAGS", "-D warnings");
                tally::outcomes([doc])
            }
            Self::Msrv => msrv::check(),
            Self::Minimal => minimal_versions::check(),
            Self::Platforms => platforms::check(),
            Self::I386 => i386::check(),
            Self::Examples => examples::check(),
            Self::Workflows => workflows::check(),
        }
    }
}

/// Returns the arguments for all code. The short form leaves out a package with as many dependencies as half of
/// the rest.
fn everything(form: Form) -> &'static [&'static str] {
    match form {
        Form::Long => &["--workspace", "--all-targets", "--all-features"],
        Form::Short => {
            &["--workspace", "--exclude", "libclang-tests", "--all-targets", "--all-features"]
        }
    }
}

/// Runs all tests, the benchmarks of the runner itself and, for the long form, its own tests.
fn tests(form: Form) -> Outcome {
    let build = command::cargo(["test", "--no-run"]);
    // In the profile of the runner that users have, so that both share their dependencies
    let mut parsers = command::cargo(["bench", "--profile", "release"]);
    parsers.args(["-p", "runner-benchmarks", "--bench", "parsers"]);
    // At the same time, because each build ends with one large crate, and they have directories of their own.
    // A failed build is reported, and the tests then fail for the same reason
    let first = side_by_side(build, parsers);

    let others = command::cargo(["test", "--no-fail-fast"]);
    let mut end_to_end = command::cargo(["test", "--test", "e2e"]);
    // They are a check of their own
    end_to_end.args(["--", "--skip", browser::TESTS]);
    set_threads(&mut end_to_end);
    let together = side_by_side(end_to_end, others);
    let crates = command::cargo(["test", "--test", "crates"]);
    let short = first.and(together).and(tally::outcomes([crates]));
    if form == Form::Short {
        return short;
    }
    let long = command::cargo(["test", "--test", "e2e", "--test", "crates", "--", "--ignored"]);
    let mut runner = command::cargo(["test", "--release", "-p", "iai-callgrind-runner"]);
    runner.args(["--", "--ignored"]);
    let libclang = command::cargo(["test", "-p", "libclang-tests", "--features", "libclang"]);
    short.and(tally::outcomes([long, runner, libclang]))
}

/// Runs two commands at the same time. The output of the second one follows that of the first one.
fn side_by_side(first: Command, mut second: Command) -> Outcome {
    let line = command::line(&second);
    let start = || {
        let mut output = tempfile::tempfile()?;
        second.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
        let mut running = second.spawn()?;
        let outcome = tally::outcomes([first]);
        let status = running.wait()?;
        println!("\n$ {line}");
        output.rewind()?;
        let failures = Failures::in_output(output, &mut io::stdout())?;
        Ok(outcome.and(tally::finished(line.clone(), status, failures)))
    };
    let result: io::Result<Outcome> = start();
    result.unwrap_or_else(|error| Outcome::Failed(vec![format!("`{line}`: {error}")]))
}

/// Returns `cargo clippy` of `what`, where a warning is an error.
fn clippy(what: &[&str]) -> Command {
    let mut clippy = command::cargo(["clippy"]);
    clippy.args(what).args(["--", "-D", "warnings"]);
    clippy
}

impl Row {
    /// Runs the step, unless it isn't `ready` to run because something couldn't be installed
    fn of(step: Step, ready: Result<(), String>, form: Form) -> Self {
        println!("\n== {} ==", step.name());
        let start = Instant::now();
        let outcome = match ready {
            Ok(()) => step.run(form),
            Err(error) => {
                println!("{error}");
                Outcome::Failed(vec![error])
            }
        };
        Self { step, outcome, seconds: start.elapsed().as_secs_f64() }
    }
}

/// The table of results, then what failed
struct Summary<'a>(&'a [Row]);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10}{:<9}{:>7}", "check", "result", "seconds")?;
        for Row { step, outcome, seconds } in self.0 {
            write!(f, "{:<10}{outcome:<9}{seconds:>7.1}", step.name())?;
            if let Outcome::Skipped(reason) = outcome {
                write!(f, "  {reason}")?;
            }
            writeln!(f)?;
        }
        for Row { step, outcome, .. } in self.0 {
            if let Outcome::Failed(commands) = outcome {
                writeln!(f, "\n{} failed:", step.name())?;
                commands.iter().try_for_each(|command| writeln!(f, "    {command}"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: Step, outcome: Outcome, seconds: f64) -> Row {
        Row { step, outcome, seconds }
    }

    #[test]
    fn the_summary_repeats_what_failed() {
        let rows = [
            row(Step::Fmt, Outcome::Passed, 0.42),
            row(Step::Clippy, Outcome::Failed(vec!["cargo a".into(), "cargo b".into()]), 12.0),
            row(Step::Msrv, Outcome::Skipped("no compiler".into()), 0.0),
        ];
        let expected = "\
check     result   seconds
fmt       passed       0.4
clippy    FAILED      12.0
msrv      skipped      0.0  no compiler

clippy failed:
    cargo a
    cargo b
";
        assert_eq!(Summary(&rows).to_string(), expected);
    }

    fn shell(script: &str) -> Command {
        let mut shell = command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_failure_at_the_side_is_a_failure() {
        let outcome = side_by_side(shell("exit 0"), shell("exit 3"));
        assert_eq!(outcome, Outcome::Failed(vec!["sh -c 'exit 3'".into()]));
        assert_eq!(side_by_side(shell("exit 0"), shell("exit 0")), Outcome::Passed);
    }

    #[test]
    fn a_failing_command_does_not_stop_the_next() {
        let expected = vec!["sh -c 'exit 1'".to_owned(), "sh -c 'exit 2'".to_owned()];
        let commands = [shell("exit 1"), shell("exit 0"), shell("exit 2")];
        assert_eq!(tally::outcomes(commands), Outcome::Failed(expected));
    }

    #[test]
    fn a_check_that_cannot_run_fails_with_the_reason() {
        let row = Row::of(Step::Test, Err("Valgrind is not installed".into()), Form::Short);
        assert_eq!(row.outcome, Outcome::Failed(vec!["Valgrind is not installed".into()]));
    }
}
