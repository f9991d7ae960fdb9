//! `cargo xtask test`: the checks before a commit, and with `--all` the checks before a change is merged.

use std::fmt;
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::ValueEnum;
use xtask::command;
use xtask::install;
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::tally;
use xtask::times::Slowest;

use crate::browser;
use crate::examples;
use crate::i386;
use crate::lanes;
use crate::minimal_versions;
use crate::msrv::{self, CRATES};
use crate::newer;
use crate::platforms;
use crate::roots;
use crate::testing;
use crate::typos;
use crate::vm;
use crate::workflows;

/// All code but a package with as many dependencies as half of the rest.
const SHORT: &[&str] = &["--workspace", "--exclude", LIBCLANG];

/// The tests that `cargo test` does not run, and that `--all-targets` leaves out too.
const END_TO_END: &[&str] = &["--test", "e2e", "--test", "crates"];

/// The packages with features. The code of all others is the same whichever features these have.
const WITH_FEATURES: &[&str] = &[
    "iai-callgrind",
    "iai-callgrind-bencher",
    "iai-callgrind-criterion",
    "iai-callgrind-divan",
    "iai-callgrind-flamegraph",
    "iai-callgrind-harness",
    "iai-callgrind-history",
    "iai-callgrind-plan",
    "iai-callgrind-requests",
    "iai-callgrind-runner",
    "iai-callgrind-summary",
];

/// The package with features that only long checks build
const LIBCLANG: &str = "libclang-tests";

/// The packages of the library that have its features
const LIBRARY: &[&str] = &["-p", "iai-callgrind", "-p", "iai-callgrind-harness"];

/// The feature with functions that make no requests
const DEFINITIONS: &str = "client_requests_defs";

/// A check that can be picked on the command line; declared in the order that they run in
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// All files are formatted
    Fmt,
    /// No lint complains about the code as `cargo test` builds it
    Clippy,
    /// Unit tests, and those of stored cases and benchmark files; the latter run Valgrind
    Test,
    /// The documentation builds without a warning
    Doc,
    /// No lint complains with all features and in the combinations that users have
    ClippyVariants,
    /// Runs that are killed, cancelled, timed out or out of space
    Ends,
    /// Functions and commands see the same machine in each run
    Machine,
    /// Commands with all of their processes, and real programs
    Commands,
    /// Files that the macros accept, and their errors for others
    Ui,
    /// Tools other than Callgrind
    Tools,
    /// Benchmark files of other harnesses
    Harnesses,
    /// Tests that build crates of users, other revisions and the runner
    Crates,
    /// A file that counts and times with the real Criterion
    Criterion,
    /// The blocks of the guide compile, and its commands print what it shows
    Guide,
    /// The benchmarks of the runner itself
    Parsers,
    /// The evaluations' own tests
    Evaluations,
    /// Pages sort, filter, zoom and search in a headless Chromium, and ask for nothing
    Browser,
    /// The end-to-end tests of what Valgrind counts and writes, under a newer Valgrind
    Newer,
    /// The Quickstart, exact counts and a case for each tool on another architecture, in a virtual machine
    Vm,
    /// Exact counts, clocks and waits in C with an old and with new C libraries and Valgrinds
    Roots,
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
    /// All words are spelled right, and terms are those of the glossary
    Typos,
}

/// The thoroughness of a check
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Short,
    Long,
}

/// A check that can run, or cannot because something couldn't be installed.
pub(crate) struct Prepared {
    pub(crate) step: Step,
    pub(crate) ready: Result<(), String>,
}

/// A check that has run
pub(crate) struct Row {
    pub(crate) step: Step,
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

/// Runs all checks; the exit code is 1 if one failed
pub(crate) fn run_all(form: Form) -> ExitCode {
    report(&lanes::run(prepare(Step::value_variants()), form))
}

/// Runs these checks; the exit code is 1 if one failed
pub(crate) fn run(steps: &[Step], form: Form) -> ExitCode {
    let rows = prepare(steps).into_iter().map(|prepared| Row::of(prepared, form));
    report(&rows.collect::<Vec<_>>())
}

/// Installs all that is missing before anything runs, so that a question for a password comes at once.
fn prepare(steps: &[Step]) -> Vec<Prepared> {
    let machine = Machine::this();
    let prepared = steps.iter().map(|step| Prepared { step: *step, ready: step.prepare(&machine) });
    prepared.collect()
}

fn report(rows: &[Row]) -> ExitCode {
    print!("\n{}{}", Summary(rows), Slowest::of_process());
    if rows.iter().any(|row| row.outcome.is_failure()) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

impl Step {
    /// The checks of this machine, before a commit
    pub(crate) const HERE: &[Self] = &[Self::Fmt, Self::Clippy, Self::Test];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Test => "test",
            Self::Doc => "doc",
            Self::ClippyVariants => "clippy-variants",
            Self::Ends => "ends",
            Self::Machine => "machine",
            Self::Commands => "commands",
            Self::Ui => "ui",
            Self::Tools => "tools",
            Self::Harnesses => "harnesses",
            Self::Crates => "crates",
            Self::Criterion => "criterion",
            Self::Guide => "guide",
            Self::Parsers => "parsers",
            Self::Evaluations => "evaluations",
            Self::Browser => "browser",
            Self::Newer => "newer",
            Self::Vm => "vm",
            Self::Roots => "roots",
            Self::Msrv => "msrv",
            Self::Minimal => "minimal",
            Self::Platforms => "platforms",
            Self::I386 => "i386",
            Self::Examples => "examples",
            Self::Workflows => "workflows",
            Self::Typos => "typos",
        }
    }

    /// Installs what the check needs
    fn prepare(self, machine: &Machine) -> Result<(), String> {
        match self {
            Self::Fmt => install::component(machine, "rustfmt", "fmt"),
            Self::Clippy | Self::ClippyVariants => install::component(machine, "clippy", "clippy"),
            Self::Test
            | Self::Ends
            | Self::Machine
            | Self::Commands
            | Self::Ui
            | Self::Tools
            | Self::Crates
            | Self::Criterion
            | Self::Guide
            | Self::Parsers
            | Self::Browser
            | Self::I386
            | Self::Examples => install::valgrind(machine),
            Self::Harnesses => {
                // The tests say what they skip without it
                if let Err(reason) = install::programs(machine, &[&testing::CLANG]) {
                    println!("{reason}");
                }
                install::valgrind(machine)
            }
            Self::Doc
            | Self::Evaluations
            | Self::Newer
            | Self::Vm
            | Self::Roots
            | Self::Msrv
            | Self::Minimal
            | Self::Platforms
            | Self::Workflows
            | Self::Typos => Ok(()),
        }
    }

    fn run(self, form: Form) -> Outcome {
        match self {
            Self::Fmt => tally::outcomes([command::cargo(["fmt", "--all", "--check"])]),
            Self::Clippy => tally::outcomes([
                clippy(&[SHORT, &["--all-targets"]]),
                clippy(&[SHORT, END_TO_END]),
            ]),
            Self::Test => testing::tests(form),
            Self::Doc => {
                let mut doc = command::cargo(["doc", "--no-deps", "--all-features"]);
                doc.args(CRATES.iter().flat_map(|name| ["-p", name]));
                doc.env("RUSTDOCFLAGS", "-D warnings");
                tally::outcomes([doc])
            }
            Self::ClippyVariants => tally::outcomes([
                clippy(&[&with_features(form), &["--all-targets", "--all-features"]]),
                clippy(&[LIBRARY, &["--all-targets"]]),
                clippy(&[LIBRARY, &["--no-default-features"]]),
                clippy(&[LIBRARY, &["--no-default-features", "-F", "benchmark"]]),
                clippy(&[LIBRARY, &["--no-default-features", "-F", "client_requests"]]),
                clippy(&[LIBRARY, &["--no-default-features", "-F", DEFINITIONS]]),
            ]),
            Self::Ends => testing::modules(testing::ENDS),
            Self::Machine => testing::modules(testing::MACHINE),
            Self::Commands => testing::modules(testing::COMMANDS),
            Self::Ui => testing::ui(),
            Self::Tools => testing::modules(testing::TOOLS),
            Self::Harnesses => testing::modules(testing::HARNESSES),
            Self::Crates => testing::crates(),
            Self::Criterion => testing::criterion(),
            Self::Guide => testing::guide(),
            Self::Parsers => testing::parsers(),
            Self::Evaluations => testing::evaluations(),
            Self::Browser => browser::check(),
            Self::Newer => newer::check(),
            Self::Vm => vm::check(),
            Self::Roots => roots::check(),
            Self::Msrv => msrv::check(),
            Self::Minimal => minimal_versions::check(),
            Self::Platforms => platforms::check(),
            Self::I386 => i386::check(),
            Self::Examples => examples::check(),
            Self::Workflows => workflows::check(),
            Self::Typos => typos::check(),
        }
    }
}

/// Returns the arguments for the packages with features, of which the short form leaves one out.
fn with_features(form: Form) -> Vec<&'static str> {
    let names = WITH_FEATURES.iter().copied().chain((form == Form::Long).then_some(LIBCLANG));
    names.flat_map(|name| ["-p", name]).collect()
}

/// Returns `cargo clippy` with these lists of arguments, where a warning is an error.
fn clippy(arguments: &[&[&str]]) -> Command {
    let mut clippy = command::cargo(["clippy"]);
    clippy.args(arguments.concat()).args(["--", "-D", "warnings"]);
    clippy
}

impl Row {
    /// Runs the step, unless it isn't ready
    pub(crate) fn of(prepared: Prepared, form: Form) -> Self {
        let Prepared { step, ready } = prepared;
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
pub(crate) struct Summary<'a>(pub(crate) &'a [Row]);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|row| row.step.name().len() + 1).max().unwrap_or(0).max(10);
        writeln!(f, "{:<width$}{:<9}{:>7}", "check", "result", "seconds")?;
        for Row { step, outcome, seconds } in self.0 {
            write!(f, "{:<width$}{outcome:<9}{seconds:>7.1}", step.name())?;
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
    use std::fs;

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
    fn each_package_with_features_is_linted_with_all_of_them() {
        let mut git = command::new("git");
        git.args(["grep", "--files-with-matches", r"^\[features\]", "--", "*Cargo.toml"]);
        let files = command::output(&mut git).unwrap();
        let manifests = files.lines().map(|file| fs::read_to_string(command::root().join(file)));
        let manifests = manifests.map(Result::unwrap);
        // Packages of other workspaces have versions of their own
        let members = manifests.filter(|manifest| manifest.contains("\nversion.workspace = true"));
        let mut names: Vec<_> = members
            .map(|manifest| manifest.split('"').nth(1).unwrap_or_default().to_owned())
            .collect();
        names.sort_unstable();
        let known = WITH_FEATURES.iter().copied().chain([LIBCLANG]);
        assert_eq!(names, known.collect::<Vec<_>>());
    }

    #[test]
    fn a_failing_command_does_not_stop_the_next() {
        let expected = vec!["sh -c 'exit 1'".to_owned(), "sh -c 'exit 2'".to_owned()];
        let commands = [shell("exit 1"), shell("exit 0"), shell("exit 2")];
        assert_eq!(tally::outcomes(commands), Outcome::Failed(expected));
    }

    #[test]
    fn a_check_that_cannot_run_fails_with_the_reason() {
        let ready = Err("Valgrind is not installed".into());
        let row = Row::of(Prepared { step: Step::Test, ready }, Form::Short);
        assert_eq!(row.outcome, Outcome::Failed(vec!["Valgrind is not installed".into()]));
    }
}
