//! Test mode: each case once, natively, without Valgrind, and the arguments that libtest takes.
//!
//! `cargo test --benches` and `cargo nextest` start a benchmark executable as they start a test.

use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use iai_callgrind_plan::filter::selects;
use iai_callgrind_plan::protocol::Measuring;
use iai_callgrind_plan::{self as plan, Plan};

use crate::launch::launch;
use crate::lower;
use crate::region::Region;
use crate::suite::{self, Case, Hooks, Suite};

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

/// Runs or lists the cases. Commands are the runner's business in this mode too.
pub(crate) fn run(
    suite: &Suite,
    executable: &Path,
    arguments: impl Iterator<Item = String>,
) -> Result<ExitCode, String> {
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!(
                "error: unexpected argument `{wrong}`\nWithout `--bench` this takes libtest's arguments: \
                 `--list`, `--exact`, `--skip FILTER` and filters"
            );
            return Ok(ExitCode::from(USAGE));
        }
    };
    if suite.groups.iter().any(suite::Group::is_binary) {
        return run_commands(lower::lower(suite, executable)?, &arguments);
    }
    let (cases, others): (Vec<_>, Vec<_>) =
        cases(suite).partition(|case| arguments.selects(&case.name));
    if arguments.list {
        list(cases.iter().map(|case| &*case.name), arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(test(suite, &cases, others.len()))
}

/// Runs or lists the commands of the plan.
fn run_commands(mut plan: Plan, arguments: &Arguments) -> Result<ExitCode, String> {
    let (mut selected, mut filtered_out) = (Vec::new(), 0);
    for group in &mut plan.groups {
        for function in &mut group.functions {
            let path = plan::path(&plan.file, &group.name, function.name.as_deref());
            function.cases.retain(|case| {
                let name = plan::name(&path, case.id.as_deref());
                let is_selected = arguments.selects(&name);
                if is_selected {
                    selected.push(name);
                } else {
                    filtered_out += 1;
                }
                is_selected
            });
        }
    }
    if arguments.list {
        list(selected.iter().map(|name| &**name), arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    launch(&plan, "test", &["--filtered-out".into(), filtered_out.to_string().into()])
}

fn list<'a>(names: impl Iterator<Item = &'a str>, terse: bool) {
    let mut number = 0;
    for name in names {
        println!("{name}: benchmark");
        number += 1;
    }
    if !terse {
        println!("\n0 tests, {number} benchmark{}", if number == 1 { "" } else { "s" });
    }
}

fn test(suite: &Suite, cases: &[TestCase], filtered_out: usize) -> ExitCode {
    let start = Instant::now();
    println!("\nrunning {} test{}", cases.len(), if cases.len() == 1 { "" } else { "s" });
    let Failures { cases: failed, hooks } = run_cases(suite, cases);
    let passed = failed == 0 && hooks == 0;
    println!(
        "\ntest result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {filtered_out} filtered out; \
         finished in {:.2}s\n",
        if passed { "ok" } else { "FAILED" },
        cases.len() - failed,
        start.elapsed().as_secs_f64()
    );
    if passed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

/// How many panicked.
#[derive(Default)]
struct Failures {
    cases: usize,
    hooks: usize,
}

/// Runs the cases and, around them, what the file and the groups have to run. Cases whose set-up panics
/// fail, and the tear-down that belongs to it is left out.
fn run_cases(suite: &Suite, cases: &[TestCase]) -> Failures {
    let mut failures = Failures::default();
    if cases.is_empty() {
        return failures;
    }
    let file = failures.set_up(suite.hooks, suite.file);
    for cases in cases.chunk_by(|left, right| left.group == right.group) {
        let group = &suite.groups[cases[0].group];
        let name = format!("{}::{}", suite.file, group.name);
        let is_ready = file && failures.set_up(group.hooks, &name);
        for TestCase { name, case, item, .. } in cases {
            let run = || (case.run)(&mut Region::new(Measuring::DEFAULT), *item);
            let passed = is_ready && catch_unwind(run).is_ok();
            println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
            failures.cases += usize::from(!passed);
        }
        if is_ready {
            failures.tear_down(group.hooks, &name);
        }
    }
    if file {
        failures.tear_down(suite.hooks, suite.file);
    }
    failures
}

impl Failures {
    /// Whether the benchmarks can run after this.
    fn set_up(&mut self, hooks: Hooks, of: &str) -> bool {
        let passed = hooks.setup.is_none_or(|setup| catch_unwind(setup).is_ok());
        if !passed {
            eprintln!("error: the set-up of {of} panicked, so none of its benchmarks can run");
            self.hooks += 1;
        }
        passed
    }

    fn tear_down(&mut self, hooks: Hooks, of: &str) {
        if hooks.teardown.is_some_and(|teardown| catch_unwind(teardown).is_err()) {
            eprintln!("error: the tear-down of {of} panicked");
            self.hooks += 1;
        }
    }
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
    /// The index of its group.
    group: usize,
    case: &'static Case,
    item: usize,
}

/// All cases with their names.
fn cases(suite: &Suite) -> impl Iterator<Item = TestCase> {
    let file = suite.file;
    suite.groups.iter().enumerate().flat_map(move |(index, group)| {
        group.library_functions().iter().flat_map(move |function| {
            let path = format!("{file}::{}::{}", group.name, function.name);
            function.cases.iter().flat_map(move |case| {
                let path = path.clone();
                case.runs(&path).enumerate().map(move |(item, run)| {
                    let id = run.id.map_or_else(String::new, |id| format!("::{id}"));
                    TestCase { name: format!("{path}{id}"), group: index, case, item }
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
