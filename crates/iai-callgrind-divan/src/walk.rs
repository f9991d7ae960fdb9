//! The walk through the registered benchmarks, and their names.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use iai_callgrind_harness::__private::{Reached, reach, unraw};
use iai_callgrind_plan::Config;

use crate::bencher;
use crate::options::Options;
use crate::registry::{self, Benchmark, Cases, Entry, Group, Instance, Target};
use crate::throughput::Throughput;

/// Name of the group of the benchmarks at the root of the file.
const ROOT: &str = "functions";

/// Benchmarks that a run reaches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub(crate) ignored: Ignored,
    /// Ids of benchmarks to leave out.
    pub(crate) skipped: Vec<String>,
    /// Numbers that replace those of all benchmarks.
    pub(crate) throughput: Throughput,
}

/// Handling of ignored benchmarks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Ignored {
    #[default]
    LeftOut,
    Included,
    Only,
}

impl Selection {
    /// Returns a selection of all benchmarks. The fork server reaches each one that the runner can ask for.
    pub(crate) fn of_all() -> Self {
        Self { ignored: Ignored::Included, ..Self::default() }
    }

    fn selects(&self, id: &str, is_ignored: bool) -> bool {
        let is_wanted = match self.ignored {
            Ignored::LeftOut => !is_ignored,
            Ignored::Included => true,
            Ignored::Only => is_ignored,
        };
        is_wanted && self.skipped.iter().all(|skipped| skipped != id)
    }
}

thread_local! {
    /// Selection of the walks.
    static SELECTION: RefCell<Selection> = RefCell::default();
}

/// Sets the selection of the following walks.
pub(crate) fn select(selection: Selection) {
    SELECTION.set(selection);
}

/// Returns the crate of the executable, `None` if nothing is registered.
pub(crate) fn target() -> Option<Target> {
    let targets = || registry::benchmarks().map(|benchmark| benchmark.entry.target);
    targets().find(|target| target.is_benchmark).or_else(|| targets().next())
}

/// Reaches the benchmarks in the order of the source, those of a module together.
pub(crate) fn walk() {
    let Some(target) = target() else { return };
    let selection = SELECTION.with_borrow(Clone::clone);
    let groups = Groups::new(registry::groups());
    let mut functions = HashSet::new();
    for benchmark in in_order(registry::benchmarks().collect()) {
        let Entry { name, options, .. } = benchmark.entry;
        let module = groups.module(benchmark.entry.module, target.name);
        let options = options().or(module.options);
        for instance in benchmark.instances.iter().copied().flatten() {
            let mut visit = |argument: Option<&str>, run: &dyn Fn(bencher::Bencher<'_, '_>)| {
                let names = Names::new(name, instance, argument);
                let parts = names.parts();
                let function = unique(&mut functions, &module.group, &parts.join("/"));
                let (size, curve) = names.growth();
                let id = format!("{}::{}", module.id, parts.join("::"));
                if selection.selects(&id, options.ignore.unwrap_or(false)) {
                    let throughput = selection.throughput.or(options.throughput);
                    let config = Config { throughput: throughput.amount(), ..Config::default() };
                    let (group, function, curve) = (&*module.group, &*function, &*curve);
                    let external_id = &*id;
                    let reached = Reached {
                        group,
                        function,
                        external_id,
                        is_selected: None,
                        size,
                        curve,
                        config,
                    };
                    reach(reached, &mut |region| bencher::run(region, run));
                }
            };
            match instance.cases {
                Cases::One(run) => visit(None, &run),
                Cases::Each(each) => each(&mut |argument, run| visit(Some(argument), run)),
            }
        }
    }
}

/// Sorts benchmarks by their modules, and modules by their first benchmark. Benchmarks of the same place are in one call
/// of a macro, and sorted by name.
fn in_order(mut benchmarks: Vec<&'static Benchmark>) -> Vec<&'static Benchmark> {
    let mut first = HashMap::new();
    for Benchmark { entry, .. } in &benchmarks {
        let place = first.entry(entry.module).or_insert(entry.place);
        *place = entry.place.min(*place);
    }
    benchmarks.sort_by_key(|Benchmark { entry, .. }| {
        (first[entry.module], entry.module, entry.place, entry.name)
    });
    benchmarks
}

/// Names of a benchmark below its module.
struct Names<'a> {
    function: &'a str,
    type_name: Option<String>,
    constant: Option<String>,
    argument: Option<&'a str>,
}

impl<'a> Names<'a> {
    fn new(function: &'a str, instance: &Instance, argument: Option<&'a str>) -> Self {
        let type_name = instance.type_name.map(|type_name| short_type_name(type_name()).to_owned());
        let constant = instance.constant.map(|constant| constant());
        Self { function, type_name, constant, argument }
    }

    /// Returns the names in their order.
    fn parts(&self) -> Vec<&str> {
        let Self { function, type_name, constant, argument } = self;
        let parts = [Some(*function), type_name.as_deref(), constant.as_deref(), *argument];
        parts.into_iter().flatten().collect()
    }

    /// Returns the size of the input, which is an integer as the argument or the constant, and the name of the growth
    /// curve, which is without it. Without a size, the curve is without the argument.
    fn growth(&self) -> (Option<i64>, String) {
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        let Self { function, type_name, constant, argument } = self;
        let (type_name, constant) = (type_name.as_deref(), constant.as_deref());
        let of_argument = number(*argument);
        let of_constant = if of_argument.is_none() { number(constant) } else { None };
        let varies = if of_constant.is_some() { *argument } else { constant };
        let curve: Vec<_> = [Some(*function), type_name, varies].into_iter().flatten().collect();
        (of_argument.or(of_constant), curve.join("/"))
    }
}

/// Returns the name of a type without the path before it.
fn short_type_name(name: &str) -> &str {
    let path = name.find('<').map_or(name, |end| &name[..end]);
    path.rfind("::").map_or(name, |end| &name[end + 2..])
}

/// Returns a name that no other benchmark of the group has.
fn unique(names: &mut HashSet<String>, group: &str, name: &str) -> String {
    let key = |name: &str| format!("{group}\n{name}");
    let mut candidate = name.to_owned();
    let mut number = 1;
    while !names.insert(key(&candidate)) {
        number += 1;
        candidate = format!("{name} #{number}");
    }
    candidate
}

/// Groups by the paths of their modules.
struct Groups(HashMap<String, &'static Group>);

/// A module with benchmarks.
#[derive(Debug, PartialEq, Eq)]
struct Module {
    /// Name of the group.
    group: String,
    /// Id that divan has.
    id: String,
    options: Options,
}

impl Groups {
    fn new(groups: impl IntoIterator<Item = &'static Group>) -> Self {
        let path = |group: &Group| format!("{}::{}", group.entry.module, group.entry.identifier);
        Self(groups.into_iter().map(|group| (path(group), group)).collect())
    }

    /// Returns the names of the module with this path, and the options of the groups around its benchmarks.
    fn module(&self, path: &str, target: &str) -> Module {
        let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
        let mut start = 0;
        let (mut names, mut options) = (Vec::new(), Options::default());
        for end in ends {
            let group = self.0.get(&path[..end]).map(|group| &group.entry);
            let identifier = &path[start..end];
            names.push(group.map_or(unraw(identifier), |group| group.name));
            options = group.map_or(options, |group| (group.options)().or(options));
            start = end + 2;
        }
        let id = names.join("::");
        let inside = if names[0] == target { &names[1..] } else { &names };
        let group = if inside.is_empty() { ROOT.to_owned() } else { inside.join("::") };
        Module { group, id, options }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Target =
        Target { package: "package", package_dir: "/", name: "file", is_benchmark: true };

    const ENTRY: Entry = Entry {
        target: TARGET,
        module: "file",
        identifier: "function",
        name: "function",
        place: ("benches/file.rs", 1, 1),
        options: Options::default,
    };

    const fn benchmark(module: &'static str, name: &'static str, line: u32) -> Benchmark {
        let place = ("benches/file.rs", line, 1);
        Benchmark { entry: Entry { module, name, place, ..ENTRY }, instances: &[] }
    }

    #[test]
    fn a_module_is_at_the_place_of_its_first_benchmark() {
        static BENCHMARKS: [Benchmark; 6] = [
            benchmark("file", "last", 50),
            benchmark("file::b", "b", 10),
            benchmark("file::a", "a", 20),
            benchmark("file", "first", 5),
            benchmark("file::a", "of_macro_2", 15),
            benchmark("file::a", "of_macro_1", 15),
        ];
        let sorted = in_order(BENCHMARKS.iter().collect());
        let names: Vec<_> = sorted.iter().map(|benchmark| benchmark.entry.name).collect();
        assert_eq!(names, ["first", "last", "b", "of_macro_1", "of_macro_2", "a"]);
    }

    #[test]
    fn groups_rename_modules_and_pass_their_options_on() {
        static GROUPS: [Group; 2] = [
            Group {
                entry: Entry {
                    identifier: "outer",
                    name: "Outer group",
                    options: || Options::default().ignore(true).items_count(1_u8),
                    ..ENTRY
                },
            },
            Group {
                entry: Entry {
                    module: "file::outer",
                    identifier: "r#in",
                    name: "in",
                    options: || Options::default().ignore(false),
                    ..ENTRY
                },
            },
        ];
        let groups = Groups::new(&GROUPS);
        let module = |group: &str, id: &str, options| Module {
            group: group.to_owned(),
            id: id.to_owned(),
            options,
        };
        let items = Options::default().items_count(1_u8);
        assert_eq!(groups.module("file", "file"), module("functions", "file", Options::default()));
        assert_eq!(
            groups.module("file::outer", "file"),
            module("Outer group", "file::Outer group", items.ignore(true))
        );
        assert_eq!(
            groups.module("file::outer::r#in::r#mod", "file"),
            module("Outer group::in::mod", "file::Outer group::in::mod", items.ignore(false))
        );
        assert_eq!(
            groups.module("library::a", "file"),
            module("library::a", "library::a", Options::default())
        );
    }

    #[test]
    fn an_integer_as_the_argument_or_the_constant_is_the_size() {
        let growth = |constant: Option<&str>, argument| {
            let (type_name, constant) = (Some("u8".to_owned()), constant.map(str::to_owned));
            Names { function: "sort", type_name, constant, argument }.growth()
        };
        let expected = |size, curve: &str| (size, curve.to_owned());
        assert_eq!(growth(None, None), expected(None, "sort/u8"));
        assert_eq!(growth(None, Some("10")), expected(Some(10), "sort/u8"));
        assert_eq!(growth(None, Some("a")), expected(None, "sort/u8"));
        assert_eq!(growth(Some("4"), None), expected(Some(4), "sort/u8"));
        assert_eq!(growth(Some("4"), Some("10")), expected(Some(10), "sort/u8/4"));
        assert_eq!(growth(Some("4"), Some("a")), expected(Some(4), "sort/u8/a"));
        assert_eq!(growth(Some("true"), Some("a")), expected(None, "sort/u8/true"));
    }

    #[test]
    fn types_have_their_last_name() {
        for (name, expected) in [
            ("i32", "i32"),
            ("&str", "&str"),
            ("alloc::string::String", "String"),
            ("alloc::vec::Vec<alloc::string::String>", "Vec<alloc::string::String>"),
        ] {
            assert_eq!(short_type_name(name), expected);
        }
    }

    #[test]
    fn names_are_unique_in_their_group() {
        let mut names = HashSet::new();
        let mut unique = |group, name: &str| unique(&mut names, group, name);
        assert_eq!(unique("a", "x"), "x");
        assert_eq!(unique("b", "x"), "x");
        assert_eq!(unique("a", "x"), "x #2");
        assert_eq!(unique("a", "x"), "x #3");
    }

    #[test]
    fn ignored_benchmarks_run_on_request() {
        let selects = |ignored| {
            let selection =
                Selection { ignored, skipped: vec!["skipped".to_owned()], ..Selection::default() };
            assert!(!selection.selects("skipped", ignored == Ignored::Only));
            [false, true].map(|is_ignored| selection.selects("id", is_ignored))
        };
        assert_eq!(selects(Ignored::LeftOut), [true, false]);
        assert_eq!(selects(Ignored::Included), [true, true]);
        assert_eq!(selects(Ignored::Only), [false, true]);
    }
}
