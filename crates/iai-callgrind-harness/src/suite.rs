//! The static suite that the macros fill: names and function pointers, no logic.
//!
//! `#[library_benchmark]` implements [`LibraryBenchmark`] for a type with the function's name,
//! `library_benchmark_group!` implements [`LibraryBenchmarkGroup`] for a type with the group's name, and
//! `main!` puts the groups into a [`Suite`]. A function and a type can share a name, so the user's
//! function is unchanged and a path such as `module::bench` names both. The macros of binary benchmarks
//! do the same.

use std::fmt;

use iai_callgrind_plan::{self as plan, HookKind};

use crate::binary::{BinaryBenchmarkGroup, Command};
use crate::message;
use crate::region::Region;

/// Function that evaluates a `config = ...`, natively and before anything runs.
pub type Config = Option<fn() -> plan::Config>;

/// Throughput in the attributes of a case. The functions take the index of the item.
#[derive(Debug, Clone, Copy)]
pub enum CaseThroughput {
    /// No throughput.
    None,
    /// In the attribute of the function. The configuration of the case comes first.
    OfFunction(fn(usize) -> plan::Throughput),
    /// In the attribute of the case. It comes before the configuration of the case.
    OfCase(fn(usize) -> plan::Throughput),
}

/// Size of the input of a case, for the index of an item.
pub type CaseSize = Option<fn(usize) -> i64>;

impl CaseThroughput {
    /// Returns the configuration of an item, whose case has this configuration.
    pub(crate) fn apply(self, case: &plan::Config, item: usize) -> plan::Config {
        let mut config = case.clone();
        match self {
            Self::None => {}
            Self::OfFunction(throughput) => {
                config.throughput.get_or_insert_with(|| throughput(item));
            }
            Self::OfCase(throughput) => config.throughput = Some(throughput(item)),
        }
        config
    }
}

/// Returns the configuration, an empty one if nothing is configured.
pub(crate) fn evaluate(config: Config) -> plan::Config {
    config.map(|config| config()).unwrap_or_default()
}

/// Returns the name of a growth curve in the group.
pub(crate) fn curve(function: &str, curve: Option<&str>) -> String {
    curve.map_or_else(|| function.to_owned(), |curve| format!("{function} {curve}"))
}

/// Returns `true` if this level of configuration sets the directory of benchmarks.
pub(crate) fn has_place(config: Config) -> bool {
    let plan::Config { sandbox, current_dir, .. } = evaluate(config);
    sandbox == Some(true) || current_dir.is_some()
}

/// All benchmarks of one benchmark file.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Name of the package (`CARGO_PKG_NAME`).
    pub package: &'static str,
    /// Root directory of the package (`CARGO_MANIFEST_DIR`).
    pub package_dir: &'static str,
    /// Name of the benchmark file, which is the name of its crate (`CARGO_CRATE_NAME`).
    pub file: &'static str,
    /// Configuration of all groups.
    pub config: Config,
    /// Code that runs before the first benchmark and after the last one.
    pub hooks: Hooks,
    /// Groups in the order of `main!`. If it lists none and there is no walk, those of the registered functions.
    pub groups: &'static [Group],
    /// Code that makes benchmarks while it runs: those of a file that is written for another harness.
    pub walk: Option<fn()>,
}

/// Group that `library_benchmark_group!` or `binary_benchmark_group!` declares.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Name of the group.
    pub name: &'static str,
    /// `true` if cases with the same id are compared with each other.
    pub compare_by_id: bool,
    /// Number of benchmarks of the group that may run in parallel; 0 for no limit.
    pub max_parallel: u64,
    /// Configuration of the group's functions.
    pub config: Config,
    /// Code that runs before the group's first benchmark and after its last one.
    pub hooks: Hooks,
    /// Functions in the order of the group.
    pub functions: Functions,
}

/// Functions of a group.
#[derive(Debug, Clone, Copy)]
pub enum Functions {
    /// Functions that are measured.
    Library(&'static [LibraryFunction]),
    /// Functions that return the commands to measure.
    Binary(&'static [BinaryFunction]),
    /// A function that fills the group.
    Filled(Filled),
}

/// Group of binary benchmarks that a function fills.
#[derive(Debug, Clone, Copy)]
pub struct Filled {
    /// Program of the runs without their own.
    pub program: Option<&'static str>,
    /// Function that fills the group.
    pub fill: fn(&mut BinaryBenchmarkGroup),
    /// Code that runs before and after each command.
    pub command_hooks: Hooks,
    /// `true` if the group's own hooks run in a sandbox.
    pub hooks_in_sandbox: bool,
    /// Hooks that are measured when they run.
    pub measured_hooks: &'static [(HookKind, LibraryFunction)],
}

/// Function that returns commands, with its cases.
#[derive(Debug, Clone, Copy)]
pub struct BinaryFunction {
    /// Name of the function.
    pub name: &'static str,
    /// Function that returns the full path of the type with the function's name.
    pub owner: fn() -> &'static str,
    /// Configuration of the cases.
    pub config: Config,
    /// Cases, as in [`LibraryFunction::cases`].
    pub cases: &'static [BinaryCase],
}

/// Benchmark function that its attribute registers.
#[derive(Debug, Clone, Copy)]
pub struct Registration {
    /// Root directory of the package (`CARGO_MANIFEST_DIR`).
    pub package_dir: &'static str,
    /// Path of the module, from the name of the crate on (`module_path!`).
    pub module: &'static str,
    /// Place of the attribute in the source.
    pub place: Place,
    /// Function that is registered.
    pub function: RegisteredFunction,
}

/// Registration of a function. It is only an address, because the data is in a section of its own.
#[derive(Debug, Clone, Copy)]
pub struct Registered(pub &'static Registration);

/// Place in the source. Places of one file have the order of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path of the source file (`file!`).
    pub file: &'static str,
    /// Line, from 1 on.
    pub line: u32,
    /// Column, from 1 on.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// Function with one of the two attributes.
#[derive(Debug, Clone, Copy)]
pub enum RegisteredFunction {
    /// Function with `#[library_benchmark]`.
    Library(LibraryFunction),
    /// Function with `#[binary_benchmark]`.
    Binary(BinaryFunction),
}

/// Code that runs before or after a command. The first argument is the index of the item, the second one
/// a function that enters the command's directory.
pub type ItemHook = fn(usize, &dyn Fn());

/// Command, or several commands that the same code returns.
#[derive(Debug, Clone, Copy)]
pub struct BinaryCase {
    /// Id, as in [`LibraryCase::id`].
    pub id: Option<&'static str>,
    /// Configuration of this case alone.
    pub config: Config,
    /// Throughput in the attributes.
    pub throughput: CaseThroughput,
    /// Size, as in [`LibraryCase::size`].
    pub size: CaseSize,
    /// Growth curve, as in [`LibraryCase::curve`].
    pub curve: Option<&'static str>,
    /// Items, each of which has its own command.
    pub items: Items,
    /// Function that returns the command for the item with an index.
    pub command: fn(usize) -> Command,
    /// Code that runs before the command.
    pub setup: Option<ItemHook>,
    /// Code that runs after the command.
    pub teardown: Option<ItemHook>,
}

/// Benchmark function with its cases.
#[derive(Debug, Clone, Copy)]
pub struct LibraryFunction {
    /// Name of the function.
    pub name: &'static str,
    /// Name in the titles. It differs from the other one if a group lists the function repeatedly.
    pub title: &'static str,
    /// Function that returns the full path of the type with the measured function.
    pub owner: fn() -> &'static str,
    /// Configuration of the cases.
    pub config: Config,
    /// One case per `#[bench]` and per element of a `#[benches]`, or a single one without an id.
    pub cases: &'static [LibraryCase],
}

/// Code that runs around benchmarks, in its own process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    /// Runs before the benchmarks.
    pub setup: Option<fn()>,
    /// Runs after the benchmarks.
    pub teardown: Option<fn()>,
}

/// Run of a benchmark function, or several runs with the same code.
#[derive(Debug, Clone, Copy)]
pub struct LibraryCase {
    /// Id, unique in the function. `None` for a function without `#[bench]` and `#[benches]`.
    pub id: Option<&'static str>,
    /// Arguments as they are in the source. Lines are their own arguments.
    pub arguments: &'static str,
    /// Configuration of this case alone.
    pub config: Config,
    /// Throughput in the attributes.
    pub throughput: CaseThroughput,
    /// Size of the input in the attributes.
    pub size: CaseSize,
    /// Growth curve within the function: the id of a `#[benches]`, without the parameter that is the size. `None` for
    /// the curve of the function itself.
    pub curve: Option<&'static str>,
    /// Items, each of which has its own run.
    pub items: Items,
    /// Setup, the measured call in [`Region::measure`], and teardown, for the item with an index.
    pub run: fn(&mut Region, usize),
}

/// Items of a case. With [`Self::Lines`] and [`Self::Counted`], the ids end with `_0`, `_1` and so on.
#[derive(Debug, Clone, Copy)]
pub enum Items {
    /// A single item.
    One,
    /// These lines, which are the arguments.
    Lines(&'static [&'static str]),
    /// As many items as this function counts.
    Counted(fn() -> usize),
}

/// The harness of libtest, in the place of the benchmark file's `main`.
#[derive(Debug)]
pub struct Libtest;

/// Trait of a harness that runs the benchmarks of a file. Nothing implements it: its error is for a file in which libtest
/// has replaced `main`.
#[diagnostic::on_unimplemented(
    message = "the harness of libtest replaces the `main` of this file, and runs none of its benchmarks",
    label = "needs `harness = false` in Cargo.toml",
    note = "add to Cargo.toml, with the name of the file without `.rs`:\n[[bench]]\nname = \"my_benchmark\"\nharness = \
            false"
)]
pub trait RunsBenchmarks {}

/// Fails to compile with what does not run benchmarks.
pub fn needs_own_harness<Harness: RunsBenchmarks>() {}

/// Trait of a function with `#[library_benchmark]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a benchmark function",
    label = "not a benchmark function",
    note = "`benchmarks` takes functions that are annotated with `#[library_benchmark]`"
)]
pub trait LibraryBenchmark {
    /// Function as data.
    const FUNCTION: LibraryFunction;
}

/// Trait of the name of a group by `library_benchmark_group!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of library benchmarks",
    label = "not a group",
    note = "`library_benchmark_groups` takes the names given to `library_benchmark_group!(name = ...)`"
)]
pub trait LibraryBenchmarkGroup {
    /// Group as data.
    const GROUP: Group;
}

/// Trait of a function with `#[binary_benchmark]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a binary benchmark function",
    label = "not a binary benchmark function",
    note = "`benchmarks` takes functions that are annotated with `#[binary_benchmark]`, or a closure that \
            fills the group"
)]
pub trait BinaryBenchmarkFunction {
    /// Function as data.
    const FUNCTION: BinaryFunction;
}

/// Trait of the name of a group by `binary_benchmark_group!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of binary benchmarks",
    label = "not a group",
    note = "`binary_benchmark_groups` takes the names given to `binary_benchmark_group!(name = ...)`"
)]
pub trait BinaryBenchmarkGroupData {
    /// Group as data.
    const GROUP: Group;
}

/// The start of the arguments of items, as the macro writes it.
const NTH: &str = "nth of ";

/// One of the runs of a [`LibraryCase`].
pub(crate) struct CaseRun {
    /// Id, as in [`LibraryCase::id`].
    pub(crate) id: Option<String>,
    /// Arguments, as in [`LibraryCase::arguments`]. An item of an iterator has its index.
    pub(crate) arguments: String,
}

impl LibraryCase {
    /// Returns the runs in the order of their items. `function` is the function's path.
    pub(crate) fn runs(&self, function: &str) -> Vec<CaseRun> {
        let mut runs = Vec::new();
        for (item, id) in self.items.ids(self.id, function).into_iter().enumerate() {
            let arguments = match self.items {
                Items::Lines(lines) => lines[item].to_owned(),
                Items::One => self.arguments.to_owned(),
                Items::Counted(_) => self.arguments.replacen(NTH, &format!("item {item} of "), 1),
            };
            runs.push(CaseRun { id, arguments });
        }
        runs
    }
}

impl Group {
    /// Returns `true` if commands are measured.
    pub(crate) fn is_binary(&self) -> bool {
        !matches!(self.functions, Functions::Library(_))
    }

    /// Returns `true` if a function of the group may have a directory of its own.
    pub(crate) fn has_places(&self) -> bool {
        let of_function = |function: &LibraryFunction| {
            has_place(function.config) || function.cases.iter().any(|case| has_place(case.config))
        };
        has_place(self.config) || self.library_functions().iter().any(of_function)
    }

    /// Returns the measured functions.
    pub(crate) fn library_functions(&self) -> &'static [LibraryFunction] {
        match self.functions {
            Functions::Library(functions) => functions,
            Functions::Binary(_) | Functions::Filled(_) => &[],
        }
    }
}

impl Items {
    /// Returns the ids of the runs in their order, and prints a note if there are no runs, because an
    /// empty `iter` is rarely intended. `function` is the function's path.
    pub(crate) fn ids(self, id: Option<&'static str>, function: &str) -> Vec<Option<String>> {
        let number = match self {
            Self::One => 1,
            Self::Lines(lines) => lines.len(),
            Self::Counted(count) => count(),
        };
        if number == 0 {
            eprintln!("{}", message::no_items(function, id.unwrap_or_default()));
        }
        let is_numbered = !matches!(self, Self::One);
        let id = |item| Some(if is_numbered { format!("{}_{item}", id?) } else { id?.to_owned() });
        (0..number).map(id).collect()
    }
}
