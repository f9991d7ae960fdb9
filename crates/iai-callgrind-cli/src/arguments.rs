//! Passes the arguments of a run on to another run, without the options of some structs.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use clap::{Arg, Args as _, Command};
use iai_callgrind_revisions::MeasuringArguments;

use super::{Baselines, Bench, Growth, Output, Selection, Snapshots, StoredLimits, Time};

/// Structs with options that matter only to the run that prints the results.
const PRINTING: [fn(Command) -> Command; 6] = [
    Baselines::augment_args,
    Growth::augment_args,
    Output::augment_args,
    Snapshots::augment_args,
    StoredLimits::augment_args,
    Time::augment_args,
];

/// Other options that do not affect what is measured, or that another run gets separately. The
/// other run can have other benchmarks, and so other shards.
const OTHERS: [&str; 4] = ["flamegraph", "home", "regression-fail-fast", "shard"];

/// Selects the arguments that a run of another revision gets as well.
pub fn measuring_arguments(arguments: &[OsString]) -> MeasuringArguments {
    let mut command = Bench::augment_args(Command::new("bench"));
    // Before, flags and options can't be distinguished
    command.build();
    let printing: BTreeSet<_> = PRINTING.into_iter().flat_map(ids).collect();
    let selecting = ids(Selection::augment_args);
    let is_removed = |argument: &Arg| {
        let name = argument.get_id().as_str();
        printing.contains(name) || OTHERS.contains(&name)
    };
    let is_selecting =
        |argument: &Arg| is_removed(argument) || selecting.contains(argument.get_id().as_str());
    let all = without(arguments, &command, &is_removed);
    let options = without(arguments, &command, &is_selecting);
    let (removed, kept): (Vec<_>, Vec<_>) =
        command.get_arguments().partition(|argument| is_removed(argument));
    let names = |arguments: Vec<&Arg>| {
        let variables = arguments.into_iter().filter_map(Arg::get_env);
        variables.map(OsStr::to_owned).collect()
    };
    MeasuringArguments { all, options, variables: names(kept), removed: names(removed) }
}

/// Returns the ids of the arguments that a struct adds to a command.
pub(crate) fn ids(augment: fn(Command) -> Command) -> BTreeSet<String> {
    let command = augment(Command::new("options"));
    command.get_arguments().map(|argument| argument.get_id().to_string()).collect()
}

/// Returns the arguments without those that this function selects, and without their values.
fn without(
    arguments: &[OsString],
    command: &Command,
    is_removed: &dyn Fn(&Arg) -> bool,
) -> Vec<OsString> {
    let positional = command.get_positionals().next();
    let mut kept = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        let option = find(command, name);
        let argument = if name.starts_with('-') { option } else { positional };
        let has_value =
            name == text && option.is_some_and(|option| takes_next(option, rest.peek()));
        let value = if has_value { rest.next() } else { None };
        if !argument.is_some_and(is_removed) {
            kept.push(word.clone());
            kept.extend(value.cloned());
        }
    }
    kept
}

/// Returns the option or flag with this name or alias.
fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let mut options = command.get_arguments().filter(|argument| !argument.is_positional());
    if let Some(long) = name.strip_prefix("--") {
        let is_alias = |argument: &Arg| {
            argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
        };
        return options.find(|option| option.get_long() == Some(long) || is_alias(option));
    }
    let short = name.strip_prefix('-')?.chars().next();
    options.find(|option| option.get_short() == short)
}

/// Returns true if the word after an option is its value.
fn takes_next(option: &Arg, next: Option<&&OsString>) -> bool {
    let Some(values) = option.get_num_args().filter(|_| !option.is_require_equals_set()) else {
        return false;
    };
    let is_option = next.is_some_and(|next| next.as_encoded_bytes().starts_with(b"-"));
    values.min_values() > 0 || (values.max_values() > 0 && !is_option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_arguments_that_change_what_is_measured_stay() {
        let of = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
            let MeasuringArguments { all, options, .. } = measuring_arguments(&arguments);
            [all, options].map(|words| words.join(OsStr::new(" ")).into_string().unwrap())
        };
        for (arguments, all, options) in [
            (&["--bench", "--against", "main"][..], "--bench", "--bench"),
            (&["--bench", "--against=main", "short"], "--bench short", "--bench"),
            (&["--save-baseline", "a", "--seed", "3"], "--seed 3", "--seed 3"),
            (&["--save-baseline", "--seed=3"], "--seed=3", "--seed=3"),
            (&["--report=json:x", "--color", "never", "--explain=all", "-q"], "-q", "-q"),
            (&["--explain-lines", "3", "--tools=dhat", "f"], "--tools=dhat f", "--tools=dhat"),
            (&["--skip", "x", "--exact", "--home", "h"], "--skip x --exact", ""),
            (&["--shard", "2/5", "f"], "f", ""),
            (&["--callgrind-limits=ir=5%", "--regression", "ir=1", "--flamegraph"], "", ""),
            (&["--no-capture", "f", "--parallel", "g"], "f --parallel g", "--parallel"),
            (
                &["--output-format=json", "--callgrind-args", "--x=1"],
                "--callgrind-args --x=1",
                "--callgrind-args --x=1",
            ),
        ] {
            assert_eq!(of(arguments), [all, options], "{arguments:?}");
        }
    }

    #[test]
    fn variables_are_those_of_the_options() {
        let MeasuringArguments { variables, removed, .. } = measuring_arguments(&[]);
        let has = |names: &[OsString], name: &str| names.iter().any(|other| other == name);
        for name in ["IAI_CALLGRIND_SEED", "IAI_CALLGRIND_TOOLS", "IAI_CALLGRIND_FILTER_REGEX"] {
            assert!(has(&variables, name) && !has(&removed, name), "{name}");
        }
        for name in [
            "IAI_CALLGRIND_AGAINST",
            "IAI_CALLGRIND_REPORT",
            "IAI_CALLGRIND_HOME",
            "IAI_CALLGRIND_EXPLAIN_LINES",
            "IAI_CALLGRIND_SAVE_SUMMARY",
        ] {
            assert!(has(&removed, name) && !has(&variables, name), "{name}");
        }
    }
}
