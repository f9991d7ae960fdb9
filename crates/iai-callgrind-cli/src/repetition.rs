//! The arguments that repeat a run: its options, from the command line and from variables.

use std::collections::BTreeSet;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::arguments::ids;
use super::{Bench, Exec, Output};

/// Other options that neither select, measure, compare nor check: places, the end of the run, and what is done with the results.
const OTHERS: [&str; 13] = [
    "aggregates_only",
    "flamegraph",
    "format",
    "home",
    "keep_sandbox",
    "list",
    "parallel",
    "profile_time",
    "record",
    "regression-fail-fast",
    "save_baseline",
    "separate_targets",
    "valgrind_path",
];

/// Options of the output that change the comparison or check it.
const COMPARING: [&str; 3] = ["processes", "strict_environment", "tolerance"];

/// Filter of Google Benchmark, with the name of its option.
const FRAMEWORK_FILTER: &str = "framework_filter";
const GOOGLE_FILTER: &str = "benchmark_filter";

/// Arguments of the program, which its files take after `--`.
const PROGRAM_ARGUMENT: &str = "program_argument";

/// Program and arguments of a single command, after `--`.
const COMMAND: &str = "command";

/// Variables of benchmarks.
const VARIABLES: &str = "envs";

/// Mode of snapshots, one of which changes the file.
const SNAPSHOT: &str = "snapshot";

/// The arguments that repeat a run, without an option of its own.
#[derive(Debug, Clone, Default)]
pub struct Repetition(pub(crate) Vec<String>);

impl Args for Repetition {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for Repetition {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(words(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = words(matches);
        Ok(())
    }
}

/// Returns the options first, then filters or commands.
fn words(matches: &ArgMatches) -> Vec<String> {
    let is_exec = matches.try_contains_id(COMMAND).is_ok();
    let command = Command::new("repetition");
    let command = if is_exec { Exec::augment_args(command) } else { Bench::augment_args(command) };
    let printing = ids(Output::augment_args);
    let (mut options, mut texts, mut last) = (Vec::new(), Vec::new(), Vec::new());
    for argument in command.get_arguments().filter(|argument| is_repeated(argument, &printing)) {
        let id = argument.get_id().as_str();
        let given = [ValueSource::CommandLine, ValueSource::EnvVariable];
        if !matches.value_source(id).is_some_and(|source| given.contains(&source)) {
            continue;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        let values = values.map(|value| value.to_string_lossy().into_owned());
        let long = if id == FRAMEWORK_FILTER { Some(GOOGLE_FILTER) } else { argument.get_long() };
        match long.filter(|_| id != PROGRAM_ARGUMENT) {
            Some(long) => options.extend(values.map(|value| option(argument, long, value))),
            None if id == COMMAND || id == PROGRAM_ARGUMENT => last.extend(values),
            None => texts.extend(values),
        }
    }
    options.extend(texts);
    if !last.is_empty() {
        options.push("--".to_owned());
        options.extend(last);
    }
    options
}

/// Returns true if an argument changes what is selected, measured, compared or checked.
fn is_repeated(argument: &Arg, printing: &BTreeSet<String>) -> bool {
    let id = argument.get_id().as_str();
    let is_passed_on = [FRAMEWORK_FILTER, PROGRAM_ARGUMENT].contains(&id);
    let is_printing = printing.contains(id) && !COMPARING.contains(&id);
    (is_passed_on || !argument.is_hide_set()) && !is_printing && !OTHERS.contains(&id)
}

/// Returns an option with its value as one word.
fn option(argument: &Arg, long: &str, value: String) -> String {
    let value = match argument.get_id().as_str() {
        VARIABLES => names(&value),
        // Repeated, `accept` finds no difference
        SNAPSHOT if value != "no" => return format!("--{long}"),
        _ => value,
    };
    match argument.get_action() {
        ArgAction::SetTrue => format!("--{long}"),
        _ => format!("--{long}={value}"),
    }
}

/// Returns the names of variables without their values, which can be secret. A name alone passes the variable on.
fn names(variables: &str) -> String {
    let words = shlex::split(variables).unwrap_or_default();
    let names = words.iter().map(|word| word.split('=').next().unwrap_or_default());
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::Cli;

    fn repeated(subcommand: &str, arguments: &[&str]) -> Vec<String> {
        let words = ["iai-callgrind-runner", subcommand].into_iter();
        let words = words.chain(arguments.iter().copied());
        match Cli::try_parse_from(words).unwrap().command {
            crate::Command::Bench(bench) => bench.repetition.0,
            crate::Command::Exec(exec) => exec.repetition.0,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_that_selects_measures_compares_or_checks_is_repeated() {
        for (arguments, expected) in [
            (
                &["--bench", "short", "--skip", "a b", "--exact"][..],
                &["--skip=a b", "--exact", "short"][..],
            ),
            (&["--filter=x", "--filter-regex=^y", "z"], &["--filter=x", "--filter-regex=^y", "z"]),
            (
                &["--framework-filter=^a/b", "--shard=1/2"],
                &["--benchmark_filter=^a/b", "--shard=1/2"],
            ),
            (&["--program-argument=-s", "--bench", "x"], &["x", "--", "-s"]),
            (&["--snapshot"], &["--snapshot"]),
            (&["--snapshot=accept"], &["--snapshot"]),
            (&["--snapshot=no"], &["--snapshot=no"]),
            (&["--baseline-lenient=main", "--save-baseline=new"], &["--baseline-lenient=main"]),
            (&["--load-baseline=a", "--baseline=b"], &["--baseline=b", "--load-baseline=a"]),
            (
                &["--tools=dhat,memcheck", "--callgrind-args=--branch-sim=yes --x=1"],
                &["--tools=dhat", "--tools=memcheck", "--callgrind-args=--branch-sim=yes --x=1"],
            ),
            (
                &["--callgrind-limits=ir=5%|9,dr=1%", "--regression=ir=1", "--limit=auto"],
                &["--limit=auto", "--callgrind-limits=ir=5%|9,dr=1%", "--regression=ir=1"],
            ),
            (
                &["--time", "--time-limit=5%", "--seed=3", "--native=ids,memory", "--calls", "9"],
                &[
                    "--seed=3",
                    "--calls=9",
                    "--native=ids",
                    "--native=memory",
                    "--time=changed",
                    "--time-limit=5%",
                ],
            ),
            (
                &["--strict-environment", "--tolerance"],
                &["--strict-environment=yes", "--tolerance=0.00001"],
            ),
            (&["--complexity=ir=n", "--timeout=9s"], &["--complexity=ir=n", "--timeout=9s"]),
        ] {
            let mut expected: Vec<_> = expected.iter().map(|word| (*word).to_owned()).collect();
            let mut words = repeated("bench", arguments);
            expected.sort_unstable();
            words.sort_unstable();
            assert_eq!(words, expected, "{arguments:?}");
        }
    }

    #[test]
    fn what_is_printed_or_stored_is_not_repeated() {
        let arguments = [
            "--report=json:x",
            "--output-format=json",
            "--save-summary",
            "--explain=all",
            "--explain-lines=3",
            "--show=changed",
            "--nocapture",
            "--color=never",
            "--home=h",
            "--parallel=2",
            "--record",
            "--flamegraph",
            "--save-baseline=a",
            "--nosummary",
            "--show-grid",
            "--profile-note=no",
            "--valgrind-path=v",
            "--keep-sandbox",
            "--quiet",
            "--aggregates-only",
            "--separate-targets",
            "--bench",
            "--regression-fail-fast=yes",
            "--truncate-description=9",
            "--show-intermediate",
            "--show-only-comparison",
        ];
        assert!(repeated("bench", &arguments).is_empty());
    }

    #[test]
    fn values_of_variables_are_left_out() {
        let words = repeated("bench", &["--envs=TOKEN='a b' HOME", "--envs", "MODE=x"]);
        assert_eq!(words, ["--envs=TOKEN HOME", "--envs=MODE"]);
    }

    #[test]
    fn commands_are_repeated_as_they_are() {
        let words = ["--baseline=main", "--home=h", "--", "wc", "-l", "a b"];
        assert_eq!(repeated("exec", &words), ["--baseline=main", "--", "wc", "-l", "a b"]);
        let words = ["--filter=x", "--name", "a", "grep -c 'x y' f"];
        assert_eq!(repeated("exec", &words), ["--name=a", "--filter=x", "grep -c 'x y' f"]);
    }
}
