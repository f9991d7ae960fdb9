//! Benchmark functions that their attributes register: the groups of a file that lists none, and notes about functions that
//! no group lists.
//!
//! The fork server does not need them, because it addresses a case by its code.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::commands::GroupCommands;
use crate::message;
use crate::suite::{Functions, Group, Hooks, Registered, RegisteredFunction, Registration, Suite};
use crate::walk::unraw;

inventory::collect!(Registered);

/// Name of the group of the functions that are not in a module.
const ROOT: &str = "functions";

/// Groups of registered functions, which live as long as the process. `LeakSanitizer` reports memory that nothing refers to.
static GROUPS: Mutex<Vec<&[Group]>> = Mutex::new(Vec::new());

/// Returns the suite with the groups of all registered functions, if it lists no groups itself.
pub(crate) fn complete(suite: &Suite) -> Suite {
    if suite.groups.is_empty() && suite.walk.is_none() {
        let groups: &[Group] = groups(&of_file(suite)).leak();
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner).push(groups);
        Suite { groups, ..*suite }
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
    let all = inventory::iter::<Registered>.into_iter().map(|registered| *registered.0);
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

/// Returns the functions that no group of the suite contains.
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
    /// Returns the name of the crate, as cargo has it.
    fn crate_name(&self) -> &'static str {
        unraw(self.module.split("::").next().unwrap_or_default())
    }

    /// Returns the name of the group: modules and enclosing functions without the crate, joined with dots.
    fn group(&self) -> String {
        let segments = |path: &'static str| path.split("::").map(unraw).collect::<Vec<_>>();
        // `module_path!` omits enclosing functions; the path of a type in a method can start in another way, and keywords
        // have their prefix in one of both only
        let (module, mut path) = (segments(self.module), segments(self.function.owner()));
        path.pop();
        if !path.starts_with(&module) {
            path = module;
        }
        let name = path[1..].join(".");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::BinaryBenchmarkGroup;
    use crate::suite::{BinaryFunction, Filled, LibraryFunction, Place};

    const LIBRARY: RegisteredFunction = RegisteredFunction::Library(LibraryFunction {
        name: "measured",
        title: "measured",
        owner: || "file::measured",
        config: None,
        cases: &[],
    });

    const COMMANDS: BinaryFunction =
        BinaryFunction { name: "command", owner: || "file::command", config: None, cases: &[] };

    const BINARY: RegisteredFunction = RegisteredFunction::Binary(COMMANDS);

    const SUITE: Suite = Suite {
        package: "package",
        package_dir: "/package",
        file: "file",
        config: None,
        hooks: Hooks { setup: None, teardown: None },
        groups: &[],
        walk: None,
    };

    inventory::submit! { Registered(&at(20, "file::a", BINARY)) }
    inventory::submit! { Registered(&at(10, "file", LIBRARY)) }
    inventory::submit! { Registered(&at(1, "library", LIBRARY)) }
    inventory::submit! {
        Registered(&Registration { package_dir: "/other", ..at(1, "file", LIBRARY) })
    }

    const fn at(line: u32, module: &'static str, function: RegisteredFunction) -> Registration {
        let place = Place { file: "benches/file.rs", line, column: 1 };
        Registration { package_dir: "/package", module, place, function }
    }

    fn with_owner(module: &'static str, owner: fn() -> &'static str) -> Registration {
        let RegisteredFunction::Library(function) = LIBRARY else { unreachable!() };
        let function = LibraryFunction { owner, ..function };
        at(1, module, RegisteredFunction::Library(function))
    }

    #[test]
    fn a_group_is_a_module_without_the_crate() {
        for (module, owner, group) in [
            ("file", (|| "file::f") as fn() -> &'static str, "functions"),
            ("file::a", || "file::a::f", "a"),
            ("file::a::r#type", || "file::a::r#type::f", "a.type"),
            ("r#match::r#type", || "match::type::outer::f", "type.outer"),
            ("r#match", || "r#match::f", "functions"),
            ("1st", || "1st::f", "functions"),
            ("file", || "file::outer::f", "outer"),
            ("file::a", || "file::a::outer::{{closure}}::f", "a.outer.{{closure}}"),
            ("file::a", || "<file::a::Type as file::Trait>::method::f", "a"),
        ] {
            assert_eq!(with_owner(module, owner).group(), group, "{module}");
        }
    }

    #[test]
    fn the_name_of_a_crate_is_that_of_cargo() {
        for (module, name) in
            [("r#match::r#type", "match"), ("file", "file"), ("größe::a", "größe"), ("1st", "1st")]
        {
            assert_eq!(at(1, module, LIBRARY).crate_name(), name);
        }
    }

    #[test]
    fn a_module_with_both_kinds_has_a_group_for_each_change_of_the_kind() {
        let functions = [
            at(1, "file::a", LIBRARY),
            at(2, "file::b", LIBRARY),
            at(3, "file::a", LIBRARY),
            at(4, "file::a", BINARY),
            at(5, "file::a", LIBRARY),
        ];
        let groups: Vec<_> = groups(&functions)
            .iter()
            .map(|group| (group.name, group.is_binary(), group.library_functions().len()))
            .collect();
        assert_eq!(groups, [("a", false, 2), ("a", true, 0), ("a", false, 1), ("b", false, 1)]);
    }

    #[test]
    fn the_groups_are_those_of_the_functions_of_the_file() {
        let suite = complete(&SUITE);
        let groups: Vec<_> = suite.groups.iter().map(|group| group.name).collect();
        assert_eq!(groups, ["functions", "a"]);
        let listed = complete(&Suite { groups: &suite.groups[..1], ..SUITE });
        assert_eq!(listed.groups.len(), 1);
        assert!(complete(&Suite { walk: Some(|| ()), ..SUITE }).groups.is_empty());
    }

    #[test]
    fn functions_in_no_group_are_found() {
        const GROUP: Group = Group {
            name: "group",
            compare_by_id: false,
            max_parallel: 0,
            config: None,
            hooks: Hooks { setup: None, teardown: None },
            functions: Functions::Binary(&[COMMANDS]),
        };
        const FILLED: Group = Group {
            functions: Functions::Filled(Filled {
                program: None,
                fill: |group: &mut BinaryBenchmarkGroup| {
                    group.binary_benchmark(crate::commands::declared(&COMMANDS));
                },
                command_hooks: Hooks { setup: None, teardown: None },
                hooks_in_sandbox: false,
                measured_hooks: &[],
            }),
            ..GROUP
        };
        let functions = [at(1, "file", LIBRARY), at(2, "file", BINARY)];
        for (groups, lines) in [(&[][..], &[1, 2][..]), (&[GROUP], &[1]), (&[FILLED], &[1])] {
            let remaining = not_listed(&Suite { groups, ..SUITE }, &functions);
            let remaining: Vec<_> = remaining.iter().map(|function| function.place.line).collect();
            assert_eq!(remaining, lines);
        }
    }
}
