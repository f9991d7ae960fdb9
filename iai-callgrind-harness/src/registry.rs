//! Benchmark functions that their attributes register: the groups of a file that lists none, and notes about functions that
//! no group lists.
//!
//! The fork server does not need them, because it addresses a case by its code.

use std::collections::HashSet;

use crate::commands::GroupCommands;
use crate::message;
use crate::suite::{Functions, Group, Hooks, RegisteredFunction, Registration, Suite};

inventory::collect!(Registration);

/// Name of the group of the functions that are not in a module.
const ROOT: &str = "functions";

/// Returns the suite with the groups of all registered functions, if it lists no groups itself.
pub(crate) fn complete(suite: &Suite) -> Suite {
    if suite.groups.is_empty() && suite.walk.is_none() {
        Suite { groups: groups(&of_file(suite)).leak(), ..*suite }
    } else {
        *suite
    }
}

/// Prints a note for each function that no group lists, or a single one if the file has no benchmarks.
pub(crate) fn print_notes(suite: &Suite) {
    if suite.groups.is_empty() && suite.walk.is_none() {
        eprintln!("{}", message::nothing_registered(suite.file));
    }
    let functions = of_file(suite);
    for Registration { place, function, .. } in not_listed(suite, &functions) {
        eprintln!("{}", message::not_listed(&place, function.name()));
    }
}

/// Returns the functions of the benchmark file in the order of the source. Those of other crates are left out: the linker
/// decides which object files of a library are in the executable.
fn of_file(suite: &Suite) -> Vec<Registration> {
    let all = inventory::iter::<Registration>.into_iter().copied();
    let mut functions: Vec<_> = all
        .filter(|function| {
            function.package_dir == suite.package_dir && function.crate_name() == suite.file
        })
        .collect();
    // The functions that one call of a macro declares have the same place
    functions.sort_by_key(|registered| (registered.place, registered.function.owner()));
    functions
}

/// Returns the groups of functions. Those of one module with the same name have both kinds of benchmarks in turn.
fn groups(functions: &[Registration]) -> Vec<Group> {
    let mut names: Vec<String> = Vec::new();
    for function in functions {
        let name = function.group();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut groups = Vec::new();
    for name in names {
        let of_group = functions.iter().filter(|function| function.group() == name);
        let of_group: Vec<_> = of_group.map(|registered| registered.function).collect();
        let name: &'static str = name.leak();
        for part in of_group.chunk_by(|left, right| left.is_library() == right.is_library()) {
            groups.push(group(name, part));
        }
    }
    groups
}

/// Returns a group of functions of the same kind.
fn group(name: &'static str, functions: &[RegisteredFunction]) -> Group {
    let (mut library, mut binary) = (Vec::new(), Vec::new());
    for function in functions {
        match *function {
            RegisteredFunction::Library(function) => library.push(function),
            RegisteredFunction::Binary(function) => binary.push(function),
        }
    }
    let functions = if binary.is_empty() {
        Functions::Library(library.leak())
    } else {
        Functions::Binary(binary.leak())
    };
    let hooks = Hooks::default();
    Group { name, compare_by_id: false, max_parallel: 0, config: None, hooks, functions }
}

/// Returns the functions that are in no group of the suite.
fn not_listed(suite: &Suite, functions: &[Registration]) -> Vec<Registration> {
    let (mut owners, mut filling) = (HashSet::new(), Vec::new());
    for group in suite.groups {
        match group.functions {
            Functions::Library(listed) => owners.extend(listed.iter().map(|each| (each.owner)())),
            Functions::Binary(listed) => owners.extend(listed.iter().map(|each| (each.owner)())),
            Functions::Filled(_) => filling.push(group),
        }
    }
    let is_listed = |function: &&Registration| owners.contains(function.function.owner());
    let mut remaining: Vec<_> =
        functions.iter().filter(|function| !is_listed(function)).copied().collect();
    let has_commands = remaining.iter().any(|function| !function.function.is_library());
    if has_commands && !filling.is_empty() {
        let filled = filling.iter().filter_map(|group| GroupCommands::collect(group, suite.file));
        let benchmarks = filled.flat_map(|group| group.benchmarks);
        // A closure adds a function by `binary_benchmark_attribute!`, under its name
        let names: HashSet<_> = benchmarks.filter_map(|each| Some(each.id?.0)).collect();
        remaining.retain(|function| {
            function.function.is_library() || !names.contains(function.function.name())
        });
    }
    remaining
}

impl Registration {
    fn crate_name(&self) -> &'static str {
        self.module.split("::").next().unwrap_or_default()
    }

    /// Returns the name of the group: modules and enclosing functions without the crate, joined with dots.
    fn group(&self) -> String {
        let owner = self.function.owner();
        // `module_path!` omits enclosing functions; the path of a type in a method can start in another way
        let path = match owner.rsplit_once("::") {
            Some((path, _)) if path.starts_with(self.module) => path,
            _ => self.module,
        };
        let names = path.split("::").skip(1).map(|name| name.strip_prefix("r#").unwrap_or(name));
        let name = names.collect::<Vec<_>>().join(".");
        if name.is_empty() { ROOT.to_owned() } else { name }
    }
}

impl RegisteredFunction {
    fn is_library(&self) -> bool {
        matches!(self, Self::Library(_))
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Library(function) => function.name,
            Self::Binary(function) => function.name,
        }
    }

    fn owner(&self) -> &'static str {
        match self {
            Self::Library(function) => (function.owner)(),
            Self::Binary(function) => (function.owner)(),
        }
    }
}
