//! Test mode: runs each case once, natively and without Valgrind, with libtest's arguments.
//!
//! `cargo test --benches` and `cargo nextest` start a benchmark executable as they start a test.

mod arguments;
mod output;
mod settings;
mod summary;
mod timeout;
mod walk;

use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;

use iai_callgrind_plan::protocol::Measuring;
use iai_callgrind_plan::{self as plan, Plan};

use self::arguments::Arguments;
use self::settings::Settings;
use self::summary::{Failures, Numbers, list, test};
pub(crate) use self::walk::{End, begin};
use crate::commands::{self, GroupCommands};
use crate::error::Cause;
use crate::launch::launch;
use crate::lower::lower;
use crate::region::Region;
use crate::suite::{Group, Hooks, LibraryCase, Suite, has_place};
use crate::{message, platform};

/// Runs or lists the cases. The runner runs commands, and functions in a sandbox, in this mode too. Where it does not
/// exist, these are ignored.
pub(crate) fn run(
    suite: &Suite,
    executable: &Path,
    arguments: Vec<String>,
) -> Result<ExitCode, Cause> {
    let arguments = Arguments::parse(arguments)?;
    if let Some(code) = suite.walk {
        return walk::run(code, suite.file, &arguments);
    }
    let has_commands = suite.groups.iter().any(Group::is_binary);
    let has_places = has_place(suite.config) || suite.groups.iter().any(Group::has_places);
    if (has_commands || has_places) && platform::HAS_RUNNER {
        return run_by_runner(lower(suite, executable)?, &arguments);
    }
    let mut cases = cases(suite);
    let number = cases.len();
    cases.retain(|case| case.is_selected(&arguments));
    if arguments.list {
        let names: Vec<_> = cases.iter().map(|case| &*case.name).collect();
        list(&names, arguments.terse);
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::of_this_process()?;
    let (selected, ignored) = (cases.len(), cases.iter().filter(|case| case.run.is_none()).count());
    let numbers = Numbers { selected, ignored, filtered_out: number - selected };
    Ok(test(&numbers, || run_cases(suite, &cases, &settings)))
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

/// Runs the cases with the hooks of the file and the groups. If a setup panics, its cases fail and its
/// teardown does not run. Hooks without a case that can run do not run.
fn run_cases(suite: &Suite, cases: &[TestCase], settings: &Settings) -> Failures {
    let mut failures = Failures::default();
    let can_run = |cases: &[TestCase]| cases.iter().any(|case| case.run.is_some());
    let file = if can_run(cases) { suite.hooks } else { Hooks::default() };
    let is_file_ready = failures.set_up(file, suite.file);
    for cases in cases.chunk_by(|left, right| left.group == right.group) {
        let group = &suite.groups[cases[0].group];
        let hooks = if can_run(cases) { group.hooks } else { Hooks::default() };
        let name = format!("{}::{}", suite.file, group.name);
        let is_ready = is_file_ready && failures.set_up(hooks, &name);
        for TestCase { name, run, .. } in cases {
            let Some((case, item)) = run else {
                println!("test {name} ... ignored, {}", message::NEEDS_RUNNER);
                continue;
            };
            let run = || (case.run)(&mut Region::new(Measuring::DEFAULT), *item);
            let passed = settings.run(name, is_ready, run);
            failures.cases += usize::from(!passed);
        }
        if is_ready {
            failures.tear_down(hooks, &name);
        }
    }
    if is_file_ready {
        failures.tear_down(file, suite.file);
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
    /// Code of the case and the index of its item; none if only the runner can run it.
    run: Option<(&'static LibraryCase, usize)>,
}

impl TestCase {
    fn is_selected(&self, arguments: &Arguments) -> bool {
        match self.run {
            Some(_) => arguments.selects(&self.name),
            None => arguments.selects_ignored(&[&self.name]),
        }
    }
}

/// Returns all cases with their names.
fn cases(suite: &Suite) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for (index, group) in suite.groups.iter().enumerate() {
        let in_group = has_place(suite.config) || has_place(group.config);
        for function in group.library_functions() {
            let in_function = in_group || has_place(function.config);
            let path = plan::path(suite.file, group.name, Some(function.title));
            for case in function.cases {
                let needs_runner = in_function || has_place(case.config);
                for (item, run) in case.runs(&path).into_iter().enumerate() {
                    let name = plan::name(&path, run.id.as_deref());
                    let run = (!needs_runner).then_some((case, item));
                    cases.push(TestCase { name, group: index, run });
                }
            }
        }
        let commands = GroupCommands::collect(group, suite.file).unwrap_or_default();
        for benchmark in commands.benchmarks {
            let id = benchmark.id.as_ref().map(|id| &*id.0);
            let path = plan::path(suite.file, group.name, id);
            for case in commands::cases(benchmark) {
                let name = plan::name(&path, case.id.as_deref());
                cases.push(TestCase { name, group: index, run: None });
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::Command;
    use crate::suite::{
        BinaryCase, BinaryFunction, CaseThroughput, Functions, Items, LibraryFunction,
    };

    const FUNCTION: LibraryFunction = LibraryFunction {
        name: "native",
        title: "native",
        owner: || "owner",
        config: None,
        cases: &[LibraryCase {
            id: Some("id"),
            arguments: "",
            config: None,
            throughput: CaseThroughput::None,
            size: None,
            curve: None,
            items: Items::One,
            run: |_, _| {},
        }],
    };

    const IN_SANDBOX: LibraryFunction = LibraryFunction {
        title: "in_sandbox",
        config: Some(|| plan::Config { sandbox: Some(true), ..plan::Config::default() }),
        ..FUNCTION
    };

    const COMMAND: BinaryFunction = BinaryFunction {
        name: "command",
        owner: || "command",
        config: None,
        cases: &[BinaryCase {
            id: Some("id"),
            config: None,
            throughput: CaseThroughput::None,
            size: None,
            curve: None,
            items: Items::Lines(&["a", "b"]),
            command: |_| Command::new("true"),
            setup: None,
            teardown: None,
        }],
    };

    const GROUP: Group = Group {
        name: "functions",
        compare_by_id: false,
        max_parallel: 0,
        config: None,
        hooks: Hooks { setup: None, teardown: None },
        functions: Functions::Library(&[FUNCTION, IN_SANDBOX]),
    };

    const SUITE: Suite = Suite {
        package: "package",
        package_dir: "/package",
        file: "file",
        config: None,
        hooks: Hooks { setup: None, teardown: None },
        walk: None,
        groups: &[
            GROUP,
            Group {
                name: "commands",
                functions: Functions::Binary(&[COMMAND]),
                // Only runs with a case of the group
                hooks: Hooks { setup: Some(|| panic!("nothing is to be set up")), teardown: None },
                ..GROUP
            },
        ],
    };

    fn selected(arguments: &[&str]) -> Vec<(String, bool)> {
        let words = arguments.iter().map(ToString::to_string).collect();
        let arguments = Arguments::parse(words).unwrap();
        let selected = cases(&SUITE).into_iter().filter(|case| case.is_selected(&arguments));
        selected.map(|case| (case.name, case.run.is_some())).collect()
    }

    #[test]
    fn without_a_runner_commands_and_sandboxes_are_ignored() {
        let [native, in_sandbox] = [
            ("file::functions::native::id".to_owned(), true),
            ("file::functions::in_sandbox::id".to_owned(), false),
        ];
        let command = |item| (format!("file::commands::command::id_{item}"), false);
        let ignored = [in_sandbox, command(0), command(1)];
        assert_eq!(selected(&["--ignored"]), ignored);
        assert_eq!(selected(&[]), [&[native][..], &ignored].concat());

        let settings = Settings::default();
        let Failures { cases: failed, hooks } = run_cases(&SUITE, &cases(&SUITE), &settings);
        assert_eq!((failed, hooks), (0, 0));
    }
}
