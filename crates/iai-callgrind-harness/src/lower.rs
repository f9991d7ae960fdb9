//! Converts the static suite to the plan.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use iai_callgrind_plan as plan;
use iai_callgrind_plan::{
    Build, Case, Compare, Config, Executable, Function, Group, HookKind, MeasuredHook,
    PLAN_VERSION, Plan, Subject, VERSION, ValgrindTool,
};

use crate::binary::BinaryBenchmark;
use crate::commands::{self, CommandCase, GroupCommands};
use crate::error::Cause;
use crate::listing::list;
use crate::serve::entry;
use crate::suite::{self, Functions, LibraryCase, LibraryFunction, Suite, curve, evaluate};

/// Returns the plan of this suite for this executable. An executable whose path is not UTF-8 is an error. The
/// runner checks names and commands.
pub(crate) fn lower(suite: &Suite, executable: &Path) -> Result<Plan, Cause> {
    let walked = suite.walk.map(|code| list(code, suite.file)).transpose()?;
    lower_walked(suite, executable, walked.unwrap_or_default())
}

/// Does the same for a walk that has reached these benchmarks.
pub(crate) fn lower_walked(
    suite: &Suite,
    executable: &Path,
    walked: Vec<Group>,
) -> Result<Plan, Cause> {
    let utf8 = executable.to_str();
    let executable = utf8.ok_or_else(|| Cause::ExecutableNotUtf8(executable.to_owned()))?;
    let groups = suite.groups.iter().map(|group| self::group(group, suite.file));
    let mut config = with_default_tool(evaluate(suite.config));
    if !walked.is_empty() {
        config.envs.extend(cargo_variables(suite, env::vars_os()));
    }
    Ok(Plan {
        plan_version: PLAN_VERSION,
        library_version: VERSION.to_owned(),
        package: suite.package.to_owned(),
        package_dir: suite.package_dir.to_owned(),
        file: suite.file.to_owned(),
        executable: Some(Executable { path: executable.to_owned(), build: build() }),
        config,
        hooks: hooks(suite.hooks),
        groups: groups.chain(walked).collect(),
    })
}

/// Returns the variables that cargo sets for this file of another harness, which has no configuration: the package, and the paths
/// of its programs. They take the same space in every checkout and for every version of the package: more slashes are the
/// same path.
fn cargo_variables(
    suite: &Suite,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<plan::Variable> {
    /// Length of the directory, unless it is longer.
    const DIRECTORY: usize = 512;
    /// Length of all variables, unless they are longer. A path can have 4095 bytes.
    const ALL: usize = 3 * 1024;
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let (mut variables, mut programs) = (BTreeMap::new(), BTreeMap::new());
    for (name, value) in environment.filter_map(text) {
        if name.starts_with("CARGO_PKG_") {
            variables.insert(name, value);
        } else if name.starts_with("CARGO_BIN_EXE_") {
            programs.insert(name, with_length(&value, DIRECTORY));
        }
    }
    let directory = with_length(suite.package_dir, DIRECTORY);
    variables.insert("CARGO_PKG_NAME".to_owned(), suite.package.to_owned());
    variables.insert("CARGO_MANIFEST_DIR".to_owned(), directory);
    // Each has a pointer to it, an equals sign and an end
    let space = |name: &str, value: &str| size_of::<usize>() + name.len() + value.len() + 2;
    let others: usize = variables.iter().map(|(name, value)| space(name, value)).sum();
    let manifest = "CARGO_MANIFEST_PATH";
    let path = format!("{}/Cargo.toml", suite.package_dir);
    let path = with_length(&path, ALL.saturating_sub(others + space(manifest, "")));
    variables.insert(manifest.to_owned(), path);
    // Cargo 1.94 and newer sets one for each program of the package
    variables.extend(programs);
    let variables = variables.into_iter();
    variables.map(|(name, value)| plan::Variable { name, value: Some(value) }).collect()
}

/// Returns a path with this length, unless it is longer.
fn with_length(path: &str, length: usize) -> String {
    format!("{}{path}", "/".repeat(length.saturating_sub(path.len())))
}

/// Returns the build of this crate, which the benchmark file shares.
fn build() -> Build {
    // Often empty
    const FLAGS: &str = env!("IAI_CALLGRIND_FLAGS");
    let level = env!("IAI_CALLGRIND_OPT_LEVEL");
    let assertions = if cfg!(debug_assertions) { " with debug assertions" } else { "" };
    Build {
        target: env!("IAI_CALLGRIND_TARGET").to_owned(),
        optimization: format!("{level}{assertions}"),
        flags: FLAGS.to_owned(),
        compiler: env!("IAI_CALLGRIND_COMPILER").to_owned(),
        llvm: env!("IAI_CALLGRIND_LLVM").to_owned(),
        features: env!("IAI_CALLGRIND_FEATURES").to_owned(),
        panic: env!("IAI_CALLGRIND_PANIC").to_owned(),
    }
}

fn group(group: &suite::Group, file: &str) -> Group {
    let path = format!("{file}::{}", group.name);
    let mut lowered = Group {
        compare: if group.compare_by_id { Compare::ById } else { Compare::No },
        max_parallel: group.max_parallel,
        config: evaluate(group.config),
        hooks: hooks(group.hooks),
        ..Group::new(group.name.to_owned(), Vec::new())
    };
    match &group.functions {
        Functions::Library(functions) => {
            let functions = functions.iter().map(|function| library_function(function, &path));
            lowered.functions = functions.collect();
            return lowered;
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
    }
    lowered
}

fn library_function(function: &LibraryFunction, group: &str) -> Function {
    let path = format!("{group}::{}", function.title);
    let mut cases = Vec::new();
    for case in function.cases {
        let config = evaluate(case.config);
        for (item, run) in case.runs(&path).into_iter().enumerate() {
            cases.push(Case {
                id: run.id,
                arguments: run.arguments,
                subject: library_subject(function, case, item),
                config: case.throughput.apply(&config, item),
                external_id: None,
                is_selected: None,
                size: case.size.map(|size| size(item)),
                curve: Some(curve(function.title, case.curve)),
            });
        }
    }
    let name = Some(function.title.to_owned());
    Function { name, config: evaluate(function.config), cases }
}

fn library_subject(function: &LibraryFunction, case: &LibraryCase, item: usize) -> Subject {
    Subject::Library {
        owner: (function.owner)().to_owned(),
        function: function.name.to_owned(),
        entry: entry(case),
        item: item as u64,
    }
}

fn measured_hook((kind, function): &(HookKind, LibraryFunction)) -> MeasuredHook {
    // The macro declares a single case, whose id is the name that the user gave the function
    let case = &function.cases[0];
    let name = case.id.unwrap_or_default().to_owned();
    MeasuredHook { kind: *kind, name, subject: library_subject(function, case, 0) }
}

fn binary_functions(benchmarks: Vec<BinaryBenchmark>) -> Vec<Function> {
    let mut index = 0;
    let mut functions = Vec::with_capacity(benchmarks.len());
    for benchmark in benchmarks {
        let (name, config) = (benchmark.id.clone(), benchmark.config.clone());
        let mut cases = Vec::new();
        for case in commands::cases(benchmark) {
            cases.push(binary_case(case, index));
            index += 1;
        }
        functions.push(Function { name: name.map(|id| id.0), config, cases });
    }
    functions
}

fn binary_case(case: CommandCase, index: u64) -> Case {
    let CommandCase { id, command, mut config, size, curve, setup, teardown } = case;
    config.update(command.config);
    let hooks = plan::Hooks { setup: setup.is_some(), teardown: teardown.is_some() };
    Case {
        id,
        arguments: command.command.to_string(),
        subject: Subject::Binary { command: command.command, index, hooks },
        config,
        external_id: None,
        is_selected: None,
        size,
        curve,
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

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Complexity;
    use iai_callgrind_plan::metric::MetricKind;

    use super::*;
    use crate::binary::Command;
    use crate::conversions::{with_complexity, with_per_element};
    use crate::suite::{BinaryCase, BinaryFunction, CaseThroughput, Hooks, Items};

    const CASE: LibraryCase = LibraryCase {
        id: Some("n"),
        arguments: "",
        config: None,
        throughput: CaseThroughput::None,
        size: Some(|item| if item == 0 { 8 } else { 64 }),
        curve: Some("n"),
        items: Items::Lines(&["a", "b"]),
        run: |_, _| {},
    };

    const FUNCTION: LibraryFunction = LibraryFunction {
        name: "sort",
        title: "sort_2",
        owner: || "sort",
        config: Some(|| with_complexity(Config::default(), Complexity::NLogN)),
        cases: &[
            CASE,
            LibraryCase {
                id: Some("one"),
                config: Some(|| with_per_element(Config::default(), 2)),
                size: None,
                curve: None,
                items: Items::One,
                ..CASE
            },
        ],
    };

    /// Returns the ids, sizes and curves of the cases.
    fn growth(function: &Function) -> Vec<(&str, Option<i64>, &str)> {
        fn point(case: &Case) -> (&str, Option<i64>, &str) {
            let Case { id: Some(id), size, curve: Some(curve), .. } = case else {
                panic!("no id or no curve");
            };
            (id, *size, curve)
        }
        function.cases.iter().map(point).collect()
    }

    #[test]
    fn cargos_variables_have_the_same_length_in_every_checkout() {
        let hooks = Hooks { setup: None, teardown: None };
        let suite = Suite {
            package: "crate",
            package_dir: "/home/me/crate",
            file: "file",
            config: None,
            hooks,
            groups: &[],
            walk: None,
        };
        let plan = |suite: &Suite, walked| lower_walked(suite, Path::new("/x"), walked).unwrap();
        assert!(plan(&suite, Vec::new()).config.envs.is_empty());
        let variables = |package_dir| {
            let walked = vec![Group::new("group".to_owned(), Vec::new())];
            plan(&Suite { package_dir, ..suite }, walked).config.envs
        };
        let value = |variables: &[plan::Variable], name: &str| {
            let found = variables.iter().find(|variable| variable.name == name);
            found.and_then(|variable| variable.value.clone()).unwrap()
        };
        let near = variables("/home/me/crate");
        assert_eq!(value(&near, "CARGO_PKG_NAME"), "crate");
        assert_eq!(value(&near, "CARGO_PKG_VERSION"), VERSION);
        assert!(value(&near, "CARGO_MANIFEST_DIR").ends_with("//home/me/crate"));
        let manifest = value(&near, "CARGO_MANIFEST_PATH");
        assert!(manifest.ends_with("//home/me/crate/Cargo.toml") && manifest.len() < 4096);
        let space = |variables: &[plan::Variable]| -> usize {
            let value = |variable: &plan::Variable| variable.value.as_deref().unwrap().len();
            variables.iter().map(|it| it.name.len() + value(it) + 10).sum()
        };
        let far = variables("/home/someone-else/crate");
        assert_eq!(value(&far, "CARGO_MANIFEST_DIR").len(), 512);
        let changed = &Suite { package: "a-longer-name", ..suite };
        let renamed = plan(changed, vec![Group::new("group".to_owned(), Vec::new())]).config.envs;
        assert_eq!([&near, &far, &renamed].map(|variables| space(variables)), [3072; 3]);
        let program = ("CARGO_BIN_EXE_my-tool".into(), "/home/me/crate/target/my-tool".into());
        let with_program = cargo_variables(&suite, [program].into_iter());
        let path = value(&with_program, "CARGO_BIN_EXE_my-tool");
        assert!(path.ends_with("//home/me/crate/target/my-tool") && path.len() == 512, "{path}");
    }

    #[test]
    fn cases_have_their_sizes_and_the_curve_of_the_title() {
        let function = library_function(&FUNCTION, "file::group");
        let expected =
            [("n_0", Some(8), "sort_2 n"), ("n_1", Some(64), "sort_2 n"), ("one", None, "sort_2")];
        assert_eq!(growth(&function), expected);
        assert_eq!(function.config.complexity, [(MetricKind::Ir, Complexity::NLogN)]);
        assert_eq!(function.cases[2].config.per_element, [(MetricKind::Ir, 2.0.into())]);
    }

    #[test]
    fn commands_have_their_sizes_and_curves() {
        let function = BinaryFunction {
            name: "sort",
            owner: || "sort",
            config: None,
            cases: &[BinaryCase {
                id: Some("n"),
                config: None,
                throughput: CaseThroughput::None,
                size: CASE.size,
                curve: CASE.curve,
                items: CASE.items,
                command: |_| Command::new("true"),
                setup: None,
                teardown: None,
            }],
        };
        let functions = binary_functions(vec![commands::declared(&function)]);
        let expected = [("n_0", Some(8), "sort n"), ("n_1", Some(64), "sort n")];
        assert_eq!(growth(&functions[0]), expected);
    }
}
