//! Converts the static suite to the plan.

use std::collections::HashSet;
use std::path::Path;

use iai_callgrind_plan as plan;
use iai_callgrind_plan::{
    Case, Config, Function, Group, HookKind, MeasuredHook, PLAN_VERSION, Plan, Subject, VERSION,
    ValgrindTool,
};

use crate::binary::BinaryBenchmark;
use crate::commands::{self, CommandCase, GroupCommands};
use crate::error::Cause;
use crate::serve::entry;
use crate::suite::{self, Functions, LibraryCase, LibraryFunction, Suite, evaluate};

/// Returns the plan of this suite for this executable. Benchmarks with the same name are an error, and
/// so is an executable whose path is not UTF-8.
pub(crate) fn lower(suite: &Suite, executable: &Path) -> Result<Plan, Cause> {
    let utf8 = executable.to_str();
    let executable = utf8.ok_or_else(|| Cause::ExecutableNotUtf8(executable.to_owned()))?;
    let groups = suite.groups.iter().map(|group| self::group(group, suite.file));
    Ok(Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: suite.package.to_owned(),
        package_dir: suite.package_dir.to_owned(),
        file: suite.file.to_owned(),
        executable: executable.to_owned(),
        target: env!("IAI_CALLGRIND_TARGET").to_owned(),
        config: with_default_tool(evaluate(suite.config)),
        hooks: hooks(suite.hooks),
        groups: groups.collect::<Result<_, _>>()?,
    })
}

fn group(group: &suite::Group, file: &str) -> Result<Group, Cause> {
    let path = format!("{file}::{}", group.name);
    let mut lowered = Group {
        name: group.name.to_owned(),
        compare_by_id: group.compare_by_id,
        max_parallel: group.max_parallel,
        config: evaluate(group.config),
        hooks: hooks(group.hooks),
        hooks_in_sandbox: false,
        measured_hooks: Vec::new(),
        functions: Vec::new(),
    };
    match &group.functions {
        Functions::Library(functions) => {
            let functions = functions.iter().map(|function| library_function(function, &path));
            lowered.functions = functions.collect();
            return Ok(lowered);
        }
        Functions::Binary(_) => {}
        Functions::Filled(filled) => {
            lowered.hooks_in_sandbox = filled.hooks_in_sandbox;
            lowered.measured_hooks = filled.measured_hooks.iter().map(measured_hook).collect();
        }
    }
    if let Some(GroupCommands { config, benchmarks }) = GroupCommands::collect(group, file) {
        lowered.config.update(config);
        lowered.functions = binary_functions(benchmarks);
        check(&lowered, file)?;
    }
    Ok(lowered)
}

fn library_function(function: &LibraryFunction, group: &str) -> Function {
    let path = format!("{group}::{}", function.title);
    let cases = function.cases.iter().flat_map(|case| library_cases(function, case, &path));
    Function {
        name: Some(function.title.to_owned()),
        config: evaluate(function.config),
        cases: cases.collect(),
    }
}

fn library_cases(
    function: &LibraryFunction,
    case: &LibraryCase,
    path: &str,
) -> impl Iterator<Item = Case> + use<> {
    let config = evaluate(case.config);
    let subjects = (0..).map(library_subject(function, case));
    case.runs(path).zip(subjects).map(move |(run, subject)| Case {
        id: run.id,
        arguments: run.arguments.to_owned(),
        subject,
        config: config.clone(),
    })
}

/// Returns a function from the index of an item to the subject of the case.
fn library_subject(
    function: &LibraryFunction,
    case: &LibraryCase,
) -> impl Fn(u64) -> Subject + use<> {
    let (owner, name, entry) = ((function.owner)(), function.name, entry(case));
    move |item| Subject::Library { owner: owner.to_owned(), function: name.to_owned(), entry, item }
}

fn measured_hook((kind, function): &(HookKind, LibraryFunction)) -> MeasuredHook {
    // The macro declares a single case, whose id is the name that the user gave the function
    let case = &function.cases[0];
    let name = case.id.unwrap_or_default().to_owned();
    MeasuredHook { kind: *kind, name, subject: library_subject(function, case)(0) }
}

fn binary_functions(benchmarks: Vec<BinaryBenchmark>) -> Vec<Function> {
    let mut indices = 0..;
    let mut functions = Vec::with_capacity(benchmarks.len());
    for benchmark in benchmarks {
        let (name, config) = (benchmark.id.clone(), benchmark.config.clone());
        let cases = commands::cases(benchmark).zip(&mut indices);
        let cases = cases.map(|(case, index)| binary_case(case, index)).collect();
        functions.push(Function { name: name.map(|id| id.0), config, cases });
    }
    functions
}

fn binary_case(case: CommandCase, index: u64) -> Case {
    let CommandCase { id, command, mut config, setup, teardown } = case;
    config.update(command.config);
    let hooks = plan::Hooks { setup: setup.is_some(), teardown: teardown.is_some() };
    Case {
        id,
        arguments: command.command.to_string(),
        subject: Subject::Binary { command: command.command, index, hooks },
        config,
    }
}

/// Checks that all cases have a command and a name of their own, by which titles, filters and directories
/// identify them.
fn check(group: &Group, file: &str) -> Result<(), Cause> {
    let mut names = HashSet::new();
    for function in &group.functions {
        let path = plan::path(file, &group.name, function.name.as_deref());
        let own_path = function.name.as_ref().map(|_| &path);
        let cases = function.cases.iter().map(|case| plan::name(&path, case.id.as_deref()));
        for name in own_path.cloned().into_iter().chain(cases.filter(|name| *name != path)) {
            if name.ends_with("::") {
                return Err(Cause::EmptyId { path });
            }
            if let Some(taken) = names.replace(name) {
                return Err(Cause::DuplicateName(taken));
            }
        }
        function.cases.iter().try_for_each(|case| check_program(case, &path))?;
    }
    Ok(())
}

fn check_program(case: &Case, path: &str) -> Result<(), Cause> {
    match &case.subject {
        Subject::Binary { command, .. } if command.program.is_empty() => {
            Err(Cause::NoCommand(plan::name(path, case.id.as_deref())))
        }
        _ => Ok(()),
    }
}

/// Applies the cargo feature `cachegrind`, which changes the default tool.
fn with_default_tool(mut config: Config) -> Config {
    if cfg!(feature = "cachegrind") {
        config.default_tool.get_or_insert(ValgrindTool::Cachegrind);
    }
    config
}

fn hooks(hooks: suite::Hooks) -> plan::Hooks {
    plan::Hooks { setup: hooks.setup.is_some(), teardown: hooks.teardown.is_some() }
}
