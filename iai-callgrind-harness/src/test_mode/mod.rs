//! Test mode: runs each case once, natively and without Valgrind, with libtest's arguments.
//!
//! `cargo test --benches` and `cargo nextest` start a benchmark executable as they start a test.

mod arguments;
mod output;
mod timeout;

use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use iai_callgrind_plan::protocol::Measuring;
use iai_callgrind_plan::{self as plan, Plan};

use self::arguments::Arguments;
use self::output::HiddenStreams;
use self::timeout::Timeout;
use crate::error::Cause;
use crate::launch::launch;
use crate::lower::lower;
use crate::message;
use crate::region::Region;
use crate::suite::{Group, Hooks, LibraryCase, Suite, has_place};

/// Exit code of libtest when a test fails.
const FAILED: u8 = 101;

/// Runs or lists the cases. The runner runs commands, and functions in a sandbox, in this mode too.
pub(crate) fn run(
    suite: &Suite,
    executable: &Path,
    arguments: Vec<String>,
) -> Result<ExitCode, Cause> {
    let arguments = Arguments::parse(arguments)?;
    let has_commands = suite.groups.iter().any(Group::is_binary);
    let has_places = has_place(suite.config) || suite.groups.iter().any(Group::has_places);
    if has_commands || has_places {
        return run_by_runner(lower(suite, executable)?, &arguments);
    }
    let mut cases = cases(suite);
    let number = cases.len();
    cases.retain(|case| arguments.selects(&case.name));
    if arguments.list {
        let names: Vec<_> = cases.iter().map(|case| &*case.name).collect();
        list(&names, arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings {
        timeout: Timeout::of_this_process()?,
        hidden: HiddenStreams::of_this_process()?,
    };
    Ok(test(suite, &cases, &settings, number - cases.len()))
}

/// Environment variables that apply to native runs. No results are stored, so there is no home.
struct Settings {
    timeout: Option<Timeout>,
    hidden: HiddenStreams,
}

/// Runs or lists the benchmarks of the plan: commands, or functions of which some have a directory.
fn run_by_runner(mut plan: Plan, arguments: &Arguments) -> Result<ExitCode, Cause> {
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
        let names: Vec<_> = selected.iter().map(|name| &**name).collect();
        list(&names, arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    launch(&plan, "test", &["--filtered-out".into(), filtered_out.to_string().into()])
}

fn list(names: &[&str], terse: bool) {
    let number = names.len();
    for name in names {
        println!("{name}: benchmark");
    }
    if !terse {
        println!("\n0 tests, {number} benchmark{}", if number == 1 { "" } else { "s" });
    }
}

fn test(suite: &Suite, cases: &[TestCase], settings: &Settings, filtered_out: usize) -> ExitCode {
    let start = Instant::now();
    println!("\nrunning {} test{}", cases.len(), if cases.len() == 1 { "" } else { "s" });
    let Failures { cases: failed, hooks } = run_cases(suite, cases, settings);
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

/// Numbers of cases and hooks that panicked.
#[derive(Default)]
struct Failures {
    cases: usize,
    hooks: usize,
}

/// Runs the cases with the hooks of the file and the groups. If a setup panics, its cases fail and its
/// teardown does not run.
fn run_cases(suite: &Suite, cases: &[TestCase], settings: &Settings) -> Failures {
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
            let guard = settings.timeout.as_ref().map(|timeout| timeout.watch(name));
            let passed = is_ready && settings.hidden.run(|| catch_unwind(run).is_ok());
            drop(guard);
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
    /// Runs the setup of a group or of the file, and returns `true` if its benchmarks can run.
    fn set_up(&mut self, hooks: Hooks, level: &str) -> bool {
        let passed = hooks.setup.is_none_or(|setup| catch_unwind(setup).is_ok());
        if !passed {
            eprintln!("{}", message::setup_panicked(level));
            self.hooks += 1;
        }
        passed
    }

    fn tear_down(&mut self, hooks: Hooks, level: &str) {
        if hooks.teardown.is_some_and(|teardown| catch_unwind(teardown).is_err()) {
            eprintln!("{}", message::teardown_panicked(level));
            self.hooks += 1;
        }
    }
}

/// Case that runs as a test.
struct TestCase {
    name: String,
    /// Index of the case's group.
    group: usize,
    case: &'static LibraryCase,
    item: usize,
}

/// Returns all cases with their names.
fn cases(suite: &Suite) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for (index, group) in suite.groups.iter().enumerate() {
        for function in group.library_functions() {
            let path = plan::path(suite.file, group.name, Some(function.title));
            for case in function.cases {
                for (item, run) in case.runs(&path).into_iter().enumerate() {
                    let name = plan::name(&path, run.id.as_deref());
                    cases.push(TestCase { name, group: index, case, item });
                }
            }
        }
    }
    cases
}
