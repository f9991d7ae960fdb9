//! The command line: Criterion's options that have no effect are left out.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use iai_callgrind_harness::__private::{Suite, main_with_arguments};

/// Options of Criterion that have no effect on counts, and `true` for those with a value.
const WITHOUT_EFFECT: [(&str, bool); 15] = [
    ("--sample-size", true),
    ("--warm-up-time", true),
    ("--measurement-time", true),
    ("--nresamples", true),
    ("--noise-threshold", true),
    ("--confidence-level", true),
    ("--significance-level", true),
    ("--plotting-backend", true),
    ("--noplot", false),
    ("-n", false),
    ("--quick", false),
    ("--verbose", false),
    ("-v", false),
    ("--quiet", false),
    ("--discard-baseline", false),
];

/// Options of Criterion that have another name here. Short ones can be joined with their value.
const RENAMED: [(&str, &str); 4] =
    [("--colour", "--color"), ("-c", "--color"), ("-b", "--baseline"), ("-s", "--save-baseline")];

/// Runs a file of Criterion with the arguments of this process.
#[must_use]
pub fn main(suite: &Suite) -> ExitCode {
    let arguments = understood(env::args_os().skip(1));
    if arguments.iter().any(|argument| argument == "--help") {
        let options: Vec<_> = WITHOUT_EFFECT.iter().map(|(name, _)| *name).collect();
        println!("Options of Criterion without effect on counts: {}\n", options.join(", "));
    }
    main_with_arguments(suite, &arguments)
}

/// Starts the walk of a file that has its own `main`.
pub(crate) fn begin_walk() {
    iai_callgrind_harness::__private::begin_walk(|| understood(env::args_os().skip(1)));
}

/// Prints a note if this run is for a profiler: that of the file does not run.
#[cfg(not(feature = "profilers"))]
pub(crate) fn note_unused_profiler() {
    static NOTE: std::sync::Once = std::sync::Once::new();
    if env::args().any(|word| word.starts_with("--profile-time")) {
        NOTE.call_once(|| {
            eprintln!(
                "note: the profiler of `with_profiler` does not run\n\
                 help: enable the feature `profilers` of iai-callgrind-criterion"
            );
        });
    }
}

/// Returns the arguments that iai-callgrind understands. With `--test`, the benchmarks run as with `cargo test`.
fn understood(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.peekable();
    let mut understood = Vec::new();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, has_value) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (&*text, false),
        };
        match WITHOUT_EFFECT.iter().find(|(option, _)| *option == name) {
            Some((_, takes_value)) => {
                if *takes_value && !has_value {
                    words.next();
                }
            }
            None => understood.push(renamed(&text).map_or_else(|| word.clone(), OsString::from)),
        }
    }
    if understood.iter().any(|word| word == "--test") {
        understood.retain(|word| word != "--bench");
    }
    understood
}

/// Returns an option of Criterion under its name here.
fn renamed(text: &str) -> Option<String> {
    RENAMED.iter().find_map(|(name, here)| {
        let value = text.strip_prefix(name)?;
        let is_long = name.starts_with("--");
        match value.strip_prefix('=') {
            Some(value) => Some(format!("{here}={value}")),
            None if value.is_empty() => Some((*here).to_owned()),
            None => (!is_long).then(|| format!("{here}={value}")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        understood(words.iter().map(OsString::from))
    }

    #[test]
    fn options_without_effect_are_left_out_with_their_values() {
        assert_eq!(
            words(&[
                "--sample-size",
                "10",
                "fib",
                "--measurement-time=5",
                "--noplot",
                "--profile-time",
                "5",
                "--bench"
            ]),
            ["fib", "--profile-time", "5", "--bench"]
        );
    }

    #[test]
    fn options_have_their_names_here() {
        for (option, expected) in [
            ("--colour=never", "--color=never"),
            ("--color=never", "--color=never"),
            ("-c", "--color"),
            ("-bmain", "--baseline=main"),
            ("-s=main", "--save-baseline=main"),
            ("--colours", "--colours"),
            ("--baseline-lenient=main", "--baseline-lenient=main"),
            ("--save-baseline", "--save-baseline"),
        ] {
            assert_eq!(words(&[option]), [expected]);
        }
    }

    #[test]
    fn a_test_is_no_benchmark() {
        assert_eq!(words(&["--test", "fib", "--bench"]), ["--test", "fib"]);
    }
}
