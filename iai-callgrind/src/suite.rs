//! The static suite that the macros fill: names and function pointers, no logic.
//!
//! `#[library_benchmark]` implements [`LibraryBenchmark`] for a type that has the function's name,
//! `library_benchmark_group!` implements [`LibraryBenchmarkGroup`] for one that has the group's, and
//! `main!` puts the groups into a [`Suite`]. A function and a type can share a name, so the user's
//! function stays where it is and paths such as `module::bench` reach both. The macros of binary
//! benchmarks do the same.

use iai_callgrind_plan::{self as plan, HookKind};

use crate::binary::{BinaryBenchmarkGroup, Command};
use crate::region::Region;

/// What a `config = ...` evaluates to, and when: natively, before anything runs.
pub type Config = Option<fn() -> plan::Config>;

/// The configuration, an empty one if nothing is configured.
pub(crate) fn evaluate(config: Config) -> plan::Config {
    config.map(|config| config()).unwrap_or_default()
}

/// All benchmarks of one benchmark file.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The package's name (`CARGO_PKG_NAME`).
    pub package: &'static str,
    /// The package's root directory (`CARGO_MANIFEST_DIR`).
    pub package_dir: &'static str,
    /// The benchmark file's name: the name of its crate (`CARGO_CRATE_NAME`).
    pub file: &'static str,
    /// The configuration of all groups.
    pub config: Config,
    /// What runs before the first benchmark and after the last one.
    pub hooks: Hooks,
    /// The groups in the order in which `main!` lists them.
    pub groups: &'static [Group],
}

/// What one `library_benchmark_group!` or `binary_benchmark_group!` declares.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The group's name.
    pub name: &'static str,
    /// Whether cases with the same id are compared with each other.
    pub compare_by_id: bool,
    /// The configuration of its functions.
    pub config: Config,
    /// What runs before its first benchmark and after its last one.
    pub hooks: Hooks,
    /// The functions in the order in which the group lists them.
    pub functions: Functions,
}

/// The functions of a group.
#[derive(Debug, Clone, Copy)]
pub enum Functions {
    /// They are measured.
    Library(&'static [Function]),
    /// They make the commands that are measured.
    Binary(&'static [BinaryFunction]),
    /// There is one that fills the group.
    Filled(Filled),
}

/// A group of binary benchmarks that a function fills.
#[derive(Debug, Clone, Copy)]
pub struct Filled {
    /// The program of the runs that have no other.
    pub program: Option<&'static str>,
    /// Fills the group.
    pub fill: fn(&mut BinaryBenchmarkGroup),
    /// What runs before and after each command.
    pub each: Hooks,
    /// Whether the group's own hooks run in a sandbox.
    pub hooks_in_sandbox: bool,
    /// Those hooks that are measured when they run.
    pub measured_hooks: &'static [(HookKind, Function)],
}

/// A function that makes commands, with its cases.
#[derive(Debug, Clone, Copy)]
pub struct BinaryFunction {
    /// The function's name.
    pub name: &'static str,
    /// The configuration of its cases.
    pub config: Config,
    /// As those of a [`Function`].
    pub cases: &'static [BinaryCase],
}

/// What runs before or after the command that is the item with this index, after the call of a function
/// that enters its directory.
pub type ItemHook = fn(usize, &dyn Fn());

/// One command, or several that are made by the same code.
#[derive(Debug, Clone, Copy)]
pub struct BinaryCase {
    /// As that of a [`Case`].
    pub id: Option<&'static str>,
    /// The configuration of this case alone.
    pub config: Config,
    /// The commands that this stands for.
    pub items: Items,
    /// Makes the command for the item with this index.
    pub command: fn(usize) -> Command,
    /// What runs before the command.
    pub setup: Option<ItemHook>,
    /// What runs after it.
    pub teardown: Option<ItemHook>,
}

/// A benchmark function with its cases.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The function's name.
    pub name: &'static str,
    /// Tells the full path of the type that has the copy of the function that is measured.
    pub owner: fn() -> &'static str,
    /// The configuration of its cases.
    pub config: Config,
    /// One case per `#[bench]` and per element of a `#[benches]`; a single one without id when the
    /// function has neither.
    pub cases: &'static [Case],
}

/// What runs around benchmarks, in a process of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    /// Before them.
    pub setup: Option<fn()>,
    /// After them.
    pub teardown: Option<fn()>,
}

/// One run of a benchmark function, or several that share their code.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The id, unique in its function; none for a function without `#[bench]` and `#[benches]`.
    pub id: Option<&'static str>,
    /// The arguments as they stand in the source; lines have their own.
    pub arguments: &'static str,
    /// The configuration of this case alone.
    pub config: Config,
    /// The runs that this stands for.
    pub items: Items,
    /// Set-up, the measured call in [`Region::measure`], and tear-down, for the item with this index.
    pub run: fn(&mut Region, usize),
}

/// The runs that share a case's code.
#[derive(Debug, Clone, Copy)]
pub enum Items {
    /// A single one.
    One,
    /// One for each of these lines, which is its argument; `_0`, `_1` and so on end their ids.
    Lines(&'static [&'static str]),
    /// As many as this counts; `_0`, `_1` and so on end their ids.
    Counted(fn() -> usize),
}

/// What `#[library_benchmark]` gives a function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a benchmark function",
    label = "not a benchmark function",
    note = "`benchmarks` takes functions that are annotated with `#[library_benchmark]`"
)]
pub trait LibraryBenchmark {
    /// The function as data.
    const FUNCTION: Function;
}

/// What `library_benchmark_group!` gives the name of a group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of library benchmarks",
    label = "not a group",
    note = "`library_benchmark_groups` takes the names given to `library_benchmark_group!(name = ...)`"
)]
pub trait LibraryBenchmarkGroup {
    /// The group as data.
    const GROUP: Group;
}

/// What `#[binary_benchmark]` gives a function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a binary benchmark function",
    label = "not a binary benchmark function",
    note = "`benchmarks` takes functions that are annotated with `#[binary_benchmark]`, or a closure that \
            fills the group"
)]
pub trait BinaryBenchmarkFunction {
    /// The function as data.
    const FUNCTION: BinaryFunction;
}

/// What `binary_benchmark_group!` gives the name of a group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of binary benchmarks",
    label = "not a group",
    note = "`binary_benchmark_groups` takes the names given to `binary_benchmark_group!(name = ...)`"
)]
pub trait DeclaredBinaryGroup {
    /// The group as data.
    const GROUP: Group;
}

/// One of the runs that a [`Case`] stands for.
pub(crate) struct Run {
    /// Its id, as [`Case::id`].
    pub(crate) id: Option<String>,
    /// Its arguments, as [`Case::arguments`].
    pub(crate) arguments: &'static str,
}

impl Case {
    /// The runs that this stands for, in the order of their items. `function` is the function's path.
    pub(crate) fn runs(&self, function: &str) -> impl Iterator<Item = Run> + use<> {
        let Self { id, arguments, items, .. } = *self;
        items.ids(id, function).enumerate().map(move |(item, id)| match items {
            Items::Lines(lines) => Run { id, arguments: lines[item] },
            Items::One | Items::Counted(_) => Run { id, arguments },
        })
    }
}

impl Group {
    /// Whether commands are measured.
    pub(crate) fn is_binary(&self) -> bool {
        !matches!(self.functions, Functions::Library(_))
    }

    /// The functions that are measured.
    pub(crate) fn library_functions(&self) -> &'static [Function] {
        match self.functions {
            Functions::Library(functions) => functions,
            Functions::Binary(_) | Functions::Filled(_) => &[],
        }
    }
}

impl Items {
    /// The ids of the runs, in their order. If there are none, a note on the standard error output says
    /// so: an `iter` rarely means that. `function` is the function's path.
    pub(crate) fn ids(
        self,
        id: Option<&'static str>,
        function: &str,
    ) -> impl Iterator<Item = Option<String>> + use<> {
        let number = match self {
            Self::One => 1,
            Self::Lines(lines) => lines.len(),
            Self::Counted(count) => count(),
        };
        if number == 0 {
            let id = id.unwrap_or_default();
            eprintln!("note: {function}::{id} has no cases: its `iter` has no items");
        }
        let is_numbered = !matches!(self, Self::One);
        (0..number).map(move |item| {
            id.map(|id| if is_numbered { format!("{id}_{item}") } else { id.to_owned() })
        })
    }
}
