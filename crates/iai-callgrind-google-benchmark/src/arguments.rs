//! The command line: options of Google Benchmark, and those of the runner.

use std::env;
use std::ffi::{CString, OsString};

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

/// Options of Google Benchmark with an effect, which variables of the environment set as well.
const WITH_EFFECT: [&str; 6] = [
    "benchmark_color",
    "benchmark_dry_run",
    "benchmark_filter",
    "benchmark_format",
    "benchmark_list_tests",
    "benchmark_out",
];

/// Options of Google Benchmark without an effect on counts.
const WITHOUT_EFFECT: [&str; 13] = [
    "benchmark_counters_tabular",
    "benchmark_display_aggregates_only",
    "benchmark_enable_random_interleaving",
    "benchmark_context",
    "benchmark_min_time",
    "benchmark_min_warmup_time",
    "benchmark_perf_counters",
    "benchmark_report_aggregates_only",
    "benchmark_repetitions",
    "benchmark_time_unit",
    "benchmark_out_format",
    "vmodule",
    "undefok",
];

/// A command line.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) mode: Mode,
    /// Value of `--benchmark_filter`.
    pub(crate) filter: CString,
    /// Number of arguments after `--`, which are those of the program.
    pub(crate) kept: usize,
    /// Value of `--v`, which only the file's code reads.
    pub(crate) verbosity: i32,
    runner: Vec<OsString>,
    without_effect: Vec<String>,
}

impl Arguments {
    /// Parses words and, for options that these do not set, variables such as `BENCHMARK_FILTER`.
    pub(crate) fn parse(
        words: impl Iterator<Item = OsString>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let words: Vec<_> = words.collect();
        let variables = options_of_variables(&words, variable);
        let mut words = words.into_iter();
        let mut parsed = Self {
            mode: Mode::Count,
            filter: CString::default(),
            kept: 0,
            verbosity: 0,
            runner: Vec::new(),
            without_effect: Vec::new(),
        };
        for option in &variables {
            parsed.option(option);
        }
        while let Some(word) = words.next() {
            if word == "--" {
                parsed.kept = words.by_ref().count();
                break;
            }
            if !parsed.option(&word.to_string_lossy()) {
                parsed.runner.push(word);
            }
        }
        parsed
    }

    /// Takes an option of Google Benchmark. Returns `false` for other words.
    fn option(&mut self, word: &str) -> bool {
        let Some(option) = word.strip_prefix("--") else { return false };
        let (name, value) = option.split_once('=').unwrap_or((option, "true"));
        let is_on = !matches!(value, "0" | "f" | "false" | "n" | "no" | "off");
        match name {
            "benchmark_filter" => self.filter = CString::new(value).unwrap_or_default(),
            "benchmark_list_tests" if is_on => self.mode = Mode::List,
            "benchmark_dry_run" if is_on => self.mode = Mode::DryRun,
            // `--bench` is added for each run
            "benchmark_list_tests" | "benchmark_dry_run" | "bench" => {}
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
            _ if WITHOUT_EFFECT.contains(&name) => self.without_effect.push(format!("--{name}")),
            _ => return false,
        }
        true
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
        let filter = self.filter.to_string_lossy();
        match filter.strip_prefix('-') {
            _ if filter.is_empty() || filter == "all" => {}
            Some(skipped) => arguments.push(format!("--skip={skipped}").into()),
            None => arguments.push(format!("--filter-regex={filter}").into()),
        }
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
    let names = WITH_EFFECT.iter().chain(&WITHOUT_EFFECT);
    let names = names.filter(|name| name.starts_with("benchmark_") && !is_given(name));
    names.filter_map(|name| Some(format!("--{name}={}", variable(&name.to_uppercase())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Arguments {
        Arguments::parse(words.iter().map(OsString::from), |_| None)
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
            Arguments::parse(words.iter().map(OsString::from), variable)
        };
        let arguments = parse(&["--", "--benchmark_filter=a"]);
        let expected = ["--output-format=google-benchmark", "--filter-regex=^b", "--bench"];
        assert_eq!(arguments.to_runner(), expected);
        assert_eq!(arguments.without_effect, ["--benchmark_repetitions"]);
        let arguments = parse(&["--benchmark_filter=a", "--benchmark_format=console"]);
        assert_eq!(arguments.to_runner(), ["--filter-regex=a", "--bench"]);
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
            "--filter-regex=^a/8$",
            "--bench",
        ];
        assert_eq!(arguments.to_runner(), expected);
        assert_eq!((arguments.kept, arguments.mode), (1, Mode::Count));
        assert_eq!(arguments.without_effect, ["--benchmark_repetitions"]);
    }

    #[test]
    fn modes_are_options_without_a_value_too() {
        assert_eq!(parse(&["--benchmark_list_tests"]).mode, Mode::List);
        assert_eq!(parse(&["--benchmark_list_tests=false"]).mode, Mode::Count);
        assert_eq!(parse(&["--benchmark_dry_run=true"]).mode, Mode::DryRun);
        assert_eq!(parse(&["--v=42"]).verbosity, 42);
    }

    #[test]
    fn the_runner_gets_its_own_mode_once() {
        assert_eq!(parse(&["--bench", "--home=x"]).to_runner(), ["--home=x", "--bench"]);
    }
}
