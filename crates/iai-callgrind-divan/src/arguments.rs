//! The command line: divan's options that have no effect are left out.

use std::ffi::OsString;

use crate::counter::{BytesCount, CharsCount, CyclesCount, IntoCounter, ItemsCount};
use crate::throughput::Throughput;
use crate::walk::Ignored;

/// Options of divan with a value that have no effect on counts.
const WITHOUT_EFFECT: [&str; 10] = [
    "--bytes-format",
    "--color",
    "--max-time",
    "--min-time",
    "--sample-count",
    "--sample-size",
    "--sort",
    "--sortr",
    "--threads",
    "--timer",
];

/// The option whose value can be missing.
const FLAG: &str = "--skip-ext-time";

/// A command line of divan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The words that iai-callgrind understands.
    pub(crate) words: Vec<OsString>,
    pub(crate) ignored: Ignored,
    pub(crate) throughput: Throughput,
}

impl Arguments {
    /// Parses a command line. With `--test`, the benchmarks run as with `cargo test`.
    pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Self {
        let mut arguments = Self::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (&*text, None),
            };
            let is_bool = |word: &OsString| word == "true" || word == "false";
            match name {
                "--ignored" => arguments.ignored = Ignored::Only,
                "--include-ignored" => arguments.ignored = Ignored::Included,
                FLAG if value.is_none() => drop(words.next_if(is_bool)),
                FLAG => {}
                "--bytes-count" | "--chars-count" | "--cycles-count" | "--items-count" => {
                    let next = || words.next().map(|word| word.to_string_lossy().into_owned());
                    match value.clone().or_else(next).and_then(|value| value.parse().ok()) {
                        Some(number) => arguments.insert(name, number),
                        // The error message names the option
                        None => arguments.words.push(word),
                    }
                }
                _ if WITHOUT_EFFECT.contains(&name) => {
                    if value.is_none() {
                        words.next();
                    }
                }
                _ => arguments.words.push(word),
            }
        }
        if arguments.has("--test") {
            arguments.words.retain(|word| word != "--bench");
        }
        arguments
    }

    /// Returns `true` if this word is one of those that are left.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    fn insert(&mut self, option: &str, number: u64) {
        fn set(throughput: &mut Throughput, counter: impl IntoCounter) {
            throughput.insert(counter);
        }
        let throughput = &mut self.throughput;
        match option {
            "--bytes-count" => set(throughput, BytesCount::new(number)),
            "--chars-count" => set(throughput, CharsCount::new(number)),
            "--cycles-count" => set(throughput, CyclesCount::new(number)),
            _ => set(throughput, ItemsCount::new(number)),
        }
    }
}

/// Returns a list of the options without effect, for `--help`.
pub(crate) fn help() -> String {
    let options: Vec<_> = WITHOUT_EFFECT.into_iter().chain([FLAG]).collect();
    format!("Options of divan without effect on counts: {}\n", options.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::parse(words.iter().map(OsString::from))
    }

    #[test]
    fn options_without_effect_are_left_out_with_their_values() {
        let words = [
            "--sample-count",
            "10",
            "sort",
            "--min-time=5",
            "--skip-ext-time",
            "--sort",
            "name",
            "--skip-ext-time",
            "true",
            "--save-baseline",
            "main",
            "--bench",
        ];
        assert_eq!(parse(&words).words, ["sort", "--save-baseline", "main", "--bench"]);
    }

    #[test]
    fn a_test_is_no_benchmark() {
        assert_eq!(parse(&["--test", "sort", "--bench"]).words, ["--test", "sort"]);
    }

    #[test]
    fn options_of_selections_are_not_the_runners() {
        assert_eq!(parse(&["--ignored"]).ignored, Ignored::Only);
        let arguments = parse(&["--include-ignored", "--items-count", "7", "--bytes-count=8"]);
        let throughput = Throughput { items: Some(7), bytes: Some(8), ..Throughput::default() };
        let expected = Arguments { ignored: Ignored::Included, throughput, ..Arguments::default() };
        assert_eq!(arguments, expected);
        assert_eq!(parse(&["--items-count", "many"]).words, ["--items-count"]);
    }
}
