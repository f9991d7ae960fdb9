//! Test mode: each case once, natively, without Valgrind, and the arguments that libtest takes.
//!
//! `cargo test --benches` and `cargo nextest` start a benchmark executable as they start a test.

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

use iai_callgrind_runner::filter::selects;
use iai_callgrind_runner::protocol::Measuring;

use crate::region::Region;
use crate::suite::{Case, Suite};

/// The exit code for a wrong argument.
const USAGE: u8 = 2;

/// The exit code of libtest when a test fails.
const FAILED: u8 = 101;

/// Options of libtest that change nothing here: those without a value, and those with one.
const FLAGS: [&str; 11] = [
    "--bench",
    "--ensure-time",
    "--include-ignored",
    "--no-capture",
    "--nocapture",
    "--quiet",
    "--report-time",
    "--show-output",
    "--shuffle",
    "--test",
    "-q",
];
const OPTIONS: [&str; 6] =
    ["--color", "--logfile", "--shuffle-seed", "--test-threads", "--format", "-Z"];

/// What to do with which cases.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are libtest's flags")]
struct Arguments {
    list: bool,
    terse: bool,
    exact: bool,
    /// Only what is marked as ignored: nothing here ever is.
    ignored: bool,
    filters: Vec<String>,
    skip: Vec<String>,
}

/// Runs or lists the cases.
pub(crate) fn run(suite: &Suite, arguments: impl Iterator<Item = String>) -> ExitCode {
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!(
                "error: unexpected argument `{wrong}`\nWithout `--bench` this takes libtest's arguments: \
                 `--list`, `--exact`, `--skip FILTER` and filters"
            );
            return ExitCode::from(USAGE);
        }
    };
    let (cases, others): (Vec<_>, Vec<_>) =
        cases(suite).partition(|case| arguments.selects(&case.name));
    if arguments.list {
        list(&cases, arguments.terse);
        return ExitCode::SUCCESS;
    }
    test(&cases, others.len())
}

fn list(cases: &[TestCase], terse: bool) {
    for TestCase { name, .. } in cases {
        println!("{name}: benchmark");
    }
    if !terse {
        let number = cases.len();
        println!("\n0 tests, {number} benchmark{}", if number == 1 { "" } else { "s" });
    }
}

fn test(cases: &[TestCase], filtered_out: usize) -> ExitCode {
    let start = Instant::now();
    println!("\nrunning {} test{}", cases.len(), if cases.len() == 1 { "" } else { "s" });
    let mut failed = 0;
    for TestCase { name, case, item } in cases {
        let result = catch_unwind(|| (case.run)(&mut Region::new(Measuring::DEFAULT), *item));
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        failed += usize::from(result.is_err());
    }
    println!(
        "\ntest result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {filtered_out} filtered out; \
         finished in {:.2}s\n",
        if failed == 0 { "ok" } else { "FAILED" },
        cases.len() - failed,
        start.elapsed().as_secs_f64()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

impl Arguments {
    /// Reads libtest's arguments. The error is the one that is none of them.
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (name, Some(value.to_owned())),
                _ => (&*word, None),
            };
            match name {
                "--list" => arguments.list = true,
                "--exact" => arguments.exact = true,
                "--ignored" => arguments.ignored = true,
                "--skip" => arguments.skip.extend(value.or_else(|| words.next())),
                _ if OPTIONS.contains(&name) => {
                    let value = value.or_else(|| words.next());
                    arguments.terse |= name == "--format" && value.as_deref() == Some("terse");
                }
                _ if FLAGS.contains(&name) => {}
                _ if name.starts_with('-') => return Err(word),
                _ => arguments.filters.push(word),
            }
        }
        Ok(arguments)
    }

    fn selects(&self, name: &str) -> bool {
        let matches = |filter: &String| {
            if self.exact { filter == name } else { selects(filter, name) }
        };
        let is_wanted = self.filters.is_empty() || self.filters.iter().any(matches);
        is_wanted && !self.skip.iter().any(matches) && !self.ignored
    }
}

/// What runs as a test.
struct TestCase {
    name: String,
    case: &'static Case,
    item: usize,
}

/// All cases with their names.
fn cases(suite: &Suite) -> impl Iterator<Item = TestCase> {
    let file = suite.file;
    suite.groups.iter().flat_map(move |group| {
        group.functions.iter().flat_map(move |function| {
            let path = format!("{file}::{}::{}", group.name, function.name);
            function.cases.iter().flat_map(move |case| {
                let path = path.clone();
                case.runs().enumerate().map(move |(item, run)| {
                    let id = run.id.map_or_else(String::new, |id| format!("::{id}"));
                    TestCase { name: format!("{path}{id}"), case, item }
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, String> {
        Arguments::parse(words.iter().map(ToString::to_string))
    }

    #[test]
    fn what_nextest_asks() {
        let list = parse(&["--list", "--format", "terse", "--ignored"]).unwrap();
        assert!(list.list && list.terse && !list.selects("a::b::c"));
        let run = parse(&["--exact", "a::b::c", "--nocapture"]).unwrap();
        assert!(run.selects("a::b::c") && !run.selects("a::b::cc"));
    }

    #[test]
    fn filters_and_skipped_ones() {
        let some = parse(&["b", "*::x", "--skip", "c", "--test-threads=1", "-q"]).unwrap();
        assert!(some.selects("a::b") && some.selects("a::x"));
        assert!(!some.selects("a::b::c") && !some.selects("a::y"));
    }

    #[test]
    fn an_argument_that_is_none() {
        assert_eq!(parse(&["--parallel=2"]), Err("--parallel=2".to_owned()));
    }
}
