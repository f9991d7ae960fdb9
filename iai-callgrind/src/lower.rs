//! From the static suite to the plan.

use std::collections::HashSet;
use std::env;
use std::path::Path;

use iai_callgrind_plan as plan;
use iai_callgrind_plan::{
    Case, Function, Group, HookKind, MeasuredHook, PLAN_VERSION, Plan, Subject, VERSION,
};

use crate::binary;
use crate::serve::entry;
use crate::suite::{self, Suite, evaluate};

/// The plan of this suite for this executable; an error if that has no UTF-8 path, or if the
/// suite has benchmarks that can't be told apart.
pub(crate) fn lower(suite: &Suite, executable: &Path) -> Result<Plan, String> {
    let executable = executable
        .to_str()
        .ok_or_else(|| format!("{} is not a path in UTF-8", executable.display()))?;
    Ok(Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: suite.package.to_owned(),
        package_dir: suite.package_dir.to_owned(),
        file: suite.file.to_owned(),
        executable: executable.to_owned(),
        target: target(),
        config: with_default_tool(evaluate(suite.config)),
        hooks: hooks(suite.hooks),
        groups: suite.groups.iter().map(|it| group(it, suite.file)).collect::<Result<_, _>>()?,
    })
}

fn group(group: &suite::Group, file: &str) -> Result<Group, String> {
    let path = format!("{file}::{}", group.name);
    let mut lowered = Group {
        name: group.name.to_owned(),
        compare_by_id: group.compare_by_id,
        config: evaluate(group.config),
        hooks: hooks(group.hooks),
        hooks_in_sandbox: false,
        measured_hooks: Vec::new(),
        functions: Vec::new(),
    };
    match &group.functions {
        suite::Functions::Library(functions) => {
            lowered.functions = functions.iter().map(|it| library_function(it, &path)).collect();
            return Ok(lowered);
        }
        suite::Functions::Binary(_) => {}
        suite::Functions::Filled(filled) => {
            lowered.hooks_in_sandbox = filled.hooks_in_sandbox;
            lowered.measured_hooks = filled.measured_hooks.iter().map(measured_hook).collect();
        }
    }
    if let Some((config, functions)) = binary::functions(group, file) {
        lowered.config.update(config);
        lowered.functions = binary_functions(functions);
        check(&lowered, file)?;
    }
    Ok(lowered)
}

fn library_function(function: &suite::Function, group: &str) -> Function {
    let path = format!("{group}::{}", function.name);
    Function {
        name: Some(function.name.to_owned()),
        config: evaluate(function.config),
        cases: function.cases.iter().flat_map(|it| library_cases(function, it, &path)).collect(),
    }
}

fn library_cases(
    function: &suite::Function,
    case: &suite::Case,
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

/// The case's subject for an item.
fn library_subject(
    function: &suite::Function,
    case: &suite::Case,
) -> impl Fn(u64) -> Subject + use<> {
    let (owner, name, entry) = ((function.owner)(), function.name, entry(case));
    move |item| Subject::Library { owner: owner.to_owned(), function: name.to_owned(), entry, item }
}

fn measured_hook((kind, function): &(HookKind, suite::Function)) -> MeasuredHook {
    // The macro gives it a single case, under the name that the user gave the function
    let case = &function.cases[0];
    let name = case.id.unwrap_or_default().to_owned();
    MeasuredHook { kind: *kind, name, subject: library_subject(function, case)(0) }
}

fn binary_functions(functions: Vec<binary::Function>) -> Vec<Function> {
    let mut indices = 0..;
    let mut cases = |cases: Vec<binary::Case>| {
        cases.into_iter().zip(&mut indices).map(|(case, index)| binary_case(case, index)).collect()
    };
    functions
        .into_iter()
        .map(|it| Function { name: it.name, config: it.config, cases: cases(it.cases) })
        .collect()
}

fn binary_case(case: binary::Case, index: u64) -> Case {
    let binary::Case { id, command, mut config, setup, teardown } = case;
    config.update(command.config);
    let hooks = plan::Hooks { setup: setup.is_some(), teardown: teardown.is_some() };
    Case {
        id,
        arguments: command.command.to_string(),
        subject: Subject::Binary { command: command.command, index, hooks },
        config,
    }
}

/// Titles, filters and directories tell benchmarks apart by their ids.
fn check(group: &Group, file: &str) -> Result<(), String> {
    let mut names = HashSet::new();
    for function in &group.functions {
        let path = plan::path(file, &group.name, function.name.as_deref());
        let own_path = function.name.as_ref().map(|_| &path);
        let cases = function.cases.iter().map(|case| plan::name(&path, case.id.as_deref()));
        for name in own_path.cloned().into_iter().chain(cases.filter(|name| *name != path)) {
            if name.ends_with("::") {
                return Err(format!("there is an empty id in {path}: give each benchmark one"));
            }
            if let Some(taken) = names.replace(name) {
                return Err(format!("{taken} is there twice: ids must be unique within a group"));
            }
        }
        function.cases.iter().try_for_each(|case| check_program(case, &path))?;
    }
    Ok(())
}

fn check_program(case: &Case, path: &str) -> Result<(), String> {
    match &case.subject {
        Subject::Binary { command, .. } if command.program.is_empty() => Err(format!(
            "{} has no command: name one for the group, as in `benchmark = |\"name\", group: &mut \
             BinaryBenchmarkGroup| ..`, or for the run, with `Run::with_cmd`",
            plan::name(path, case.id.as_deref())
        )),
        _ => Ok(()),
    }
}

/// The target triple as far as the compiler's settings tell it, which is enough to keep the results of
/// targets apart.
fn target() -> String {
    let arch = match env::consts::ARCH {
        "x86" => "i686",
        "riscv64" => "riscv64gc",
        "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
        arch => arch,
    };
    let vendor = if cfg!(target_vendor = "apple") { "apple" } else { "unknown" };
    let abi = if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "gnu") {
        "-gnu"
    } else {
        ""
    };
    let float = if cfg!(target_abi = "eabihf") { "eabihf" } else { "" };
    format!("{arch}-{vendor}-{}{abi}{float}", env::consts::OS)
}

/// The cargo feature `cachegrind` makes that the tool that runs if nothing else is configured.
fn with_default_tool(mut config: plan::Config) -> plan::Config {
    if cfg!(feature = "cachegrind") {
        config.default_tool.get_or_insert(plan::ValgrindTool::Cachegrind);
    }
    config
}

fn hooks(hooks: suite::Hooks) -> plan::Hooks {
    plan::Hooks { setup: hooks.setup.is_some(), teardown: hooks.teardown.is_some() }
}
