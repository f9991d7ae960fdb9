//! The command line: options of Google Benchmark, and those of the runner.

use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::filter;

/// Action of a process on the benchmarks.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Counts them.
    Count,
    /// Prints their names.
    List,
    /// Runs each of them once.
    DryRun,
}

/// The values that an option of Google Benchmark has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Any text.
    Any,
    /// A switch: on without a value, and off with one that means off.
    Switch,
    /// `auto`, or a switch.
    Color,
    /// A whole number that is not negative.
    Number,
    /// A whole number, 0 if it is empty.
    Level,
    /// A number of seconds, 0 if it is empty.
    Seconds,
    /// A unit of time, or the default if it is empty.
    Unit,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Pairs of a key and a value, or none.
    Pairs,
}

/// Options of Google Benchmark with an effect, which variables of the environment set as well.
const WITH_EFFECT: [(&str, Values); 6] = [
    ("benchmark_color", Values::Color),
    ("benchmark_dry_run", Values::Switch),
    ("benchmark_filter", Values::Any),
    ("benchmark_format", FORMATS),
    ("benchmark_list_tests", Values::Switch),
    ("benchmark_out", Values::Any),
];

/// Options of Google Benchmark without an effect on counts.
const WITHOUT_EFFECT: [(&str, Values); 13] = [
    ("benchmark_counters_tabular", Values::Switch),
    ("benchmark_display_aggregates_only", Values::Switch),
    ("benchmark_enable_random_interleaving", Values::Switch),
    ("benchmark_context", Values::Pairs),
    // Google Benchmark ignores a value that is neither seconds nor iterations
    ("benchmark_min_time", Values::Any),
    ("benchmark_min_warmup_time", Values::Seconds),
    ("benchmark_perf_counters", Values::Any),
    ("benchmark_report_aggregates_only", Values::Switch),
    ("benchmark_repetitions", Values::Number),
    ("benchmark_time_unit", Values::Unit),
    ("benchmark_out_format", FORMATS),
    ("vmodule", Values::Any),
    ("undefok", Values::Any),
];

/// Units of time.
const UNITS: [&str; 4] = ["ns", "us", "ms", "s"];

/// Formats of Google Benchmark's reports.
const FORMATS: Values = Values::OneOf(&["console", "json", "csv"]);

impl Values {
    /// Returns `true` if an option can have the value.
    fn allow(self, value: &str) -> bool {
        match self {
            Self::Any | Self::Switch => true,
            Self::Color => !value.is_empty(),
            Self::Number => value.parse::<u32>().is_ok(),
            Self::Level | Self::Seconds | Self::Pairs | Self::Unit if value.is_empty() => true,
            Self::Level => value.parse::<i32>().is_ok(),
            Self::Seconds => value.parse::<f64>().is_ok(),
            Self::Unit => UNITS.contains(&value),
            Self::OneOf(words) => words.contains(&value),
            Self::Pairs => value.split(',').all(|pair| pair.split('=').count() == 2),
        }
    }

    /// Describes the values in an error.
    fn expected(self) -> String {
        match self {
            Self::Any | Self::Switch => "a value".to_owned(),
            Self::Color => "auto, true or false".to_owned(),
            Self::Number => "a whole number, 0 or more".to_owned(),
            Self::Level => "a whole number".to_owned(),
            Self::Seconds => "a number of seconds".to_owned(),
            Self::Unit => format!("one of {}", UNITS.join(", ")),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Pairs => "pairs like key=value, with commas between them".to_owned(),
        }
    }
}

/// Returns the state of a switch with this value: as with Google Benchmark, all that does not mean off means on.
fn is_on(value: &str) -> bool {
    let is_sign = value.len() == 1 && !value.starts_with(|it: char| it.is_ascii_alphanumeric());
    let off = ["0", "f", "false", "n", "no", "off"];
    !is_sign && !off.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The filter in the runner's arguments, and so in those of the executable of another revision.
const FILTER_OF_RUNNER: &str = "framework-filter";

/// An argument of the program in the runner's arguments, which the runner passes to servers after `--`.
const PROGRAM_ARGUMENT: &str = "--program-argument=";

/// Returns the values of an option of Google Benchmark.
fn values(name: &str) -> Option<Values> {
    let others = [("v", Values::Level), (FILTER_OF_RUNNER, Values::Any)];
    let mut known = WITH_EFFECT.iter().chain(&WITHOUT_EFFECT).chain(&others);
    known.find(|(known, _)| *known == name).map(|&(_, values)| values)
}

/// An argument of the program, after `--` or as the runner passes it to the executable of another revision.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Place on the command line, after the name of the program.
    pub(crate) index: usize,
    /// Number of bytes before it.
    pub(crate) start: usize,
    text: OsString,
}

/// A command line.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) mode: Mode,
    /// Value of `--benchmark_filter`.
    pub(crate) filter: CString,
    /// The arguments of the program.
    pub(crate) kept: Vec<Kept>,
    /// Value of `--v`, which only the file's code reads.
    pub(crate) verbosity: i32,
    runner: Vec<OsString>,
    without_effect: Vec<String>,
}

impl Arguments {
    /// Parses words and, for options that these do not set, variables such as `BENCHMARK_FILTER`. The error of a wrong value is a
    /// message.
    pub(crate) fn parse(
        words: impl Iterator<Item = OsString>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let words: Vec<_> = words.collect();
        let variables = options_of_variables(&words, variable);
        let mut words = words.into_iter().enumerate();
        let mut parsed = Self {
            mode: Mode::Count,
            filter: CString::default(),
            kept: Vec::new(),
            verbosity: 0,
            runner: Vec::new(),
            without_effect: Vec::new(),
        };
        for option in &variables {
            parsed.option(option)?;
        }
        while let Some((index, word)) = words.next() {
            if word == "--" {
                let rest = words.by_ref();
                parsed.kept.extend(rest.map(|(index, text)| Kept { index, start: 0, text }));
            } else if let Some(text) = word.as_bytes().strip_prefix(PROGRAM_ARGUMENT.as_bytes()) {
                let text = OsStr::from_bytes(text).to_owned();
                parsed.kept.push(Kept { index, start: PROGRAM_ARGUMENT.len(), text });
            } else if !parsed.option(&word.to_string_lossy())? {
                parsed.runner.push(word);
            }
        }
        Ok(parsed)
    }

    /// Takes an option of Google Benchmark. Returns `false` for other words.
    fn option(&mut self, word: &str) -> Result<bool, String> {
        let Some(option) = word.strip_prefix("--") else { return Ok(false) };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        // `--bench` is added for each run
        if name == "bench" {
            return Ok(true);
        }
        let Some(values) = values(name) else { return Ok(false) };
        let value = match value {
            Some(value) if values.allow(value) => value,
            Some(value) => {
                return Err(format!(
                    "invalid value '{value}' for '--{name}': {} is expected",
                    values.expected()
                ));
            }
            None if matches!(values, Values::Switch | Values::Color) => "true",
            None => return Err(format!("'--{name}' has no value: --{name}=...")),
        };
        let is_on = is_on(value);
        match name {
            "benchmark_filter" | FILTER_OF_RUNNER => {
                self.filter = CString::new(value).unwrap_or_default();
                filter::check(&self.filter).map_err(|reason| {
                    format!("invalid value '{value}' for '--{name}': {reason}")
                })?;
            }
            "benchmark_list_tests" if is_on => self.mode = Mode::List,
            "benchmark_dry_run" if is_on => self.mode = Mode::DryRun,
            "benchmark_list_tests" | "benchmark_dry_run" => {}
            "benchmark_out" if value.is_empty() => {}
            "v" => self.verbosity = value.parse().unwrap_or(0),
            "benchmark_format" => match value {
                "json" => self.runner.push("--output-format=google-benchmark".into()),
                "console" => {}
                _ => self.without_effect.push(format!("--{name}={value}")),
            },
            "benchmark_out" => {
                self.runner.push(format!("--report=google-benchmark:{value}").into());
            }
            "benchmark_color" => {
                let color = match value {
                    "auto" => "auto",
                    _ if is_on => "always",
                    _ => "never",
                };
                self.runner.push(format!("--color={color}").into());
            }
            _ => self.without_effect.push(format!("--{name}")),
        }
        Ok(true)
    }

    /// Prints a note about options without effect.
    pub(crate) fn print_note(&self) {
        if !self.without_effect.is_empty() {
            eprintln!("note: without effect on counts: {}", self.without_effect.join(", "));
        }
    }

    /// Returns `true` if the command line or the environment names a default tool.
    pub(crate) fn names_tool(&self) -> bool {
        let is_tool = |word: &OsString| word.to_string_lossy().starts_with("--default-tool");
        self.runner.iter().any(is_tool) || env::var_os("IAI_CALLGRIND_DEFAULT_TOOL").is_some()
    }

    /// Returns the arguments that the harness understands.
    pub(crate) fn to_runner(&self) -> Vec<OsString> {
        if self.mode == Mode::DryRun {
            return Vec::new();
        }
        let mut arguments = self.runner.clone();
        if !filter::selects_all(&self.filter) {
            let filter = self.filter.to_string_lossy();
            arguments.push(format!("--{FILTER_OF_RUNNER}={filter}").into());
        }
        let kept = self.kept.iter().map(|kept| {
            let mut argument = OsString::from(PROGRAM_ARGUMENT);
            argument.push(&kept.text);
            argument
        });
        arguments.extend(kept);
        arguments.push("--bench".into());
        arguments
    }
}

/// Returns the options that variables set and the command line does not.
fn options_of_variables(
    words: &[OsString],
    variable: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let own = words.iter().take_while(|word| *word != "--");
    let given: Vec<_> = own.map(|word| word.to_string_lossy()).collect();
    let is_given = |name: &str| {
        let mut options = given.iter().filter_map(|word| word.strip_prefix("--"));
        options.any(|option| option.split('=').next() == Some(name))
    };
    let names = WITH_EFFECT.iter().chain(&WITHOUT_EFFECT).map(|(name, _)| *name);
    let names = names.filter(|name| name.starts_with("benchmark_") && !is_given(name));
    names.filter_map(|name| Some(format!("--{name}={}", variable(&name.to_uppercase())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::parse(words.iter().map(OsString::from), |_| None).unwrap()
    }

    #[test]
    fn variables_set_what_the_command_line_does_not() {
        let parse = |words: &[&str]| {
            let variable = |name: &str| match name {
                "BENCHMARK_FILTER" => Some("^b".to_owned()),
                "BENCHMARK_FORMAT" => Some("json".to_owned()),
                "BENCHMARK_REPETITIONS" => Some("3".to_owned()),
                _ => None,
            };
            Arguments::parse(words.iter().map(OsString::from), variable).unwrap()
        };
        let arguments = parse(&["--", "--benchmark_filter=a"]);
        let expected = [
            "--output-format=google-benchmark",
            "--framework-filter=^b",
            "--program-argument=--benchmark_filter=a",
            "--bench",
        ];
        assert_eq!(arguments.to_runner(), expected);
        assert_eq!(arguments.without_effect, ["--benchmark_repetitions"]);
        let arguments = parse(&["--benchmark_filter=a", "--benchmark_format=console"]);
        assert_eq!(arguments.to_runner(), ["--framework-filter=a", "--bench"]);
    }

    #[test]
    fn options_become_those_of_the_runner() {
        let arguments = parse(&[
            "--benchmark_filter=^a/8$",
            "--benchmark_repetitions=3",
            "--save-baseline=x",
            "--benchmark_out=f.json",
            "--",
            "--benchmark_filter=b",
        ]);
        let expected = [
            "--save-baseline=x",
            "--report=google-benchmark:f.json",
            "--framework-filter=^a/8$",
            "--program-argument=--benchmark_filter=b",
            "--bench",
        ];
        assert_eq!(arguments.to_runner(), expected);
        assert_eq!(arguments.mode, Mode::Count);
        assert_eq!(arguments.without_effect, ["--benchmark_repetitions"]);
    }

    #[test]
    fn another_revision_has_the_filter_and_the_arguments_of_its_runner() {
        let arguments =
            parse(&["--framework-filter=^a", "--home=x", "--program-argument=-s", "--bench"]);
        assert_eq!(arguments.filter.as_c_str(), c"^a");
        let expected = ["--home=x", "--framework-filter=^a", "--program-argument=-s", "--bench"];
        assert_eq!(arguments.to_runner(), expected);
        assert_eq!(arguments.kept, [Kept { index: 2, start: 19, text: "-s".into() }]);
        let of_server = parse(&["--", "-s", "--"]);
        let kept: Vec<_> = of_server.kept.iter().map(|kept| (kept.index, kept.start)).collect();
        assert_eq!(kept, [(1, 0), (2, 0)]);
    }

    #[test]
    fn modes_are_options_without_a_value_too() {
        assert_eq!(parse(&["--benchmark_list_tests"]).mode, Mode::List);
        assert_eq!(parse(&["--benchmark_list_tests=false"]).mode, Mode::Count);
        assert_eq!(parse(&["--benchmark_dry_run=true"]).mode, Mode::DryRun);
        assert_eq!(parse(&["--v=42"]).verbosity, 42);
        assert_eq!(parse(&["--v=-1"]).verbosity, -1);
    }

    #[test]
    fn a_switch_is_on_unless_its_value_means_off() {
        for (value, mode) in [
            ("", Mode::DryRun),
            ("red", Mode::DryRun),
            ("2", Mode::DryRun),
            ("-1", Mode::DryRun),
            ("Off", Mode::Count),
            ("N", Mode::Count),
            ("0", Mode::Count),
            ("-", Mode::Count),
        ] {
            assert_eq!(parse(&[&format!("--benchmark_dry_run={value}")]).mode, mode, "{value}");
        }
        for (value, color) in [("red", "always"), ("auto", "auto"), ("no", "never")] {
            let arguments = parse(&[&format!("--benchmark_color={value}")]);
            assert_eq!(arguments.to_runner(), [&format!("--color={color}"), "--bench"]);
        }
    }

    #[test]
    fn an_empty_path_of_the_output_is_none() {
        assert_eq!(parse(&["--benchmark_out="]).to_runner(), ["--bench"]);
    }

    #[test]
    fn a_wrong_value_is_an_error_with_its_option() {
        let error =
            |word: &str| Arguments::parse([OsString::from(word)].into_iter(), |_| None).err();
        for (name, right, wrong) in [
            ("benchmark_repetitions", &["0", "3"][..], &["abc", "-1", "1.5", ""][..]),
            ("benchmark_min_time", &["", "0.5", "2s", "100x", "1m"], &[]),
            ("benchmark_min_warmup_time", &["0.25", "-1", ""], &["1s"]),
            ("benchmark_time_unit", &["ns", "s", ""], &["h"]),
            ("benchmark_format", &["console", "json", "csv"], &["xml"]),
            ("benchmark_out_format", &["json"], &["JSON"]),
            ("benchmark_context", &["", "a=", "a=b", "a=b,c=d"], &["a", "a=b,c", "a=b=c", "a=b,"]),
            ("benchmark_counters_tabular", &["true", "No", "ON", "", "maybe"], &[]),
            ("benchmark_dry_run", &["FALSE"], &[]),
            ("benchmark_color", &["auto", "no", "red"], &[""]),
            ("benchmark_filter", &["", "all", "a|b", "-a"], &["[", "-("]),
            ("v", &["2", "-3", ""], &["two"]),
        ] {
            for value in right {
                assert_eq!(error(&format!("--{name}={value}")), None);
            }
            for value in wrong {
                let error = error(&format!("--{name}={value}")).unwrap();
                assert!(
                    error.starts_with(&format!("invalid value '{value}' for '--{name}': ")),
                    "{error}"
                );
            }
        }
        let variable = |name: &str| (name == "BENCHMARK_REPETITIONS").then(|| "abc".to_owned());
        assert!(Arguments::parse([].into_iter(), variable).is_err());
        for name in ["benchmark_repetitions", "benchmark_filter", "benchmark_out"] {
            assert!(error(&format!("--{name}")).unwrap().contains(name));
        }
        assert_eq!(parse(&["--benchmark_dry_run=FALSE"]).mode, Mode::Count);
    }

    #[test]
    fn the_runner_gets_its_own_mode_once() {
        assert_eq!(parse(&["--bench", "--home=x"]).to_runner(), ["--home=x", "--bench"]);
    }
}
