//! Groups of binary benchmarks, declared or filled by a function, and the cases in them.

use std::fmt;

use iai_callgrind_plan::Config;

use super::{Bench, BinaryBenchmark, Command, Run};
use crate::config::Sandbox;
use crate::suite::{self, BinaryCase, BinaryFunction, Filled, ItemHook};

/// A group of binary benchmarks, which a function fills.
///
/// ```
/// # use iai_callgrind::{binary_benchmark_group, main};
/// use iai_callgrind::{Bench, BinaryBenchmark, BinaryBenchmarkGroup, Command};
///
/// binary_benchmark_group!(
///     name = listing;
///     benchmarks = |group: &mut BinaryBenchmarkGroup| {
///         group.binary_benchmark(
///             BinaryBenchmark::new("ls").bench(Bench::new("all").command(Command::new("ls").arg("-a"))),
///         );
///     }
/// );
///
/// main!(binary_benchmark_groups = listing);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BinaryBenchmarkGroup {
    program: Option<String>,
    config: Config,
    benchmarks: Vec<BinaryBenchmark>,
}

impl BinaryBenchmarkGroup {
    /// Adds a benchmark.
    pub fn binary_benchmark<T>(&mut self, benchmark: T) -> &mut Self
    where
        T: Into<BinaryBenchmark>,
    {
        self.benchmarks.push(benchmark.into());
        self
    }

    /// Adds several benchmarks.
    pub fn binary_benchmarks<I, T>(&mut self, benchmarks: T) -> &mut Self
    where
        I: Into<BinaryBenchmark>,
        T: IntoIterator<Item = I>,
    {
        self.benchmarks.extend(benchmarks.into_iter().map(Into::into));
        self
    }

    /// Adds runs of a command, whose titles are those of the group.
    pub fn bench<T>(&mut self, run: T) -> &mut Self
    where
        T: Into<Run>,
    {
        self.benchmarks.push(run.into().into_benchmark(self.program.as_deref()));
        self
    }

    /// Whether the benchmarks of the group, and what runs before and after them, run in a [`Sandbox`].
    /// The default is `true`.
    pub fn sandbox<T>(&mut self, sandbox: T) -> &mut Self
    where
        T: Into<Sandbox>,
    {
        let sandbox = sandbox.into();
        self.config.sandbox = Some(sandbox.is_enabled);
        self.config.fixtures.extend(sandbox.into_fixtures());
        self
    }
}

/// What runs before or after a command.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// A function.
    Plain(fn()),
    /// A case's own code, for the item with this index.
    Item(ItemHook, usize),
}

impl Action {
    /// Runs it. What it refers to is evaluated before `enter`, which changes the directory.
    pub(crate) fn run(self, enter: &dyn Fn()) {
        match self {
            Self::Plain(run) => {
                enter();
                run();
            }
            Self::Item(run, item) => run(item, enter),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Action")
    }
}

/// A benchmark of a group.
pub(crate) struct Function {
    /// None if its cases are the group's.
    pub(crate) name: Option<String>,
    pub(crate) config: Config,
    pub(crate) cases: Vec<Case>,
}

/// One command.
pub(crate) struct Case {
    pub(crate) id: Option<String>,
    pub(crate) command: Command,
    pub(crate) config: Config,
    pub(crate) setup: Option<Action>,
    pub(crate) teardown: Option<Action>,
}

/// The benchmarks of a group, and what filling it configured. None if it is one of library benchmarks.
pub(crate) fn functions(group: &suite::Group, file: &str) -> Option<(Config, Vec<Function>)> {
    let path = format!("{file}::{}", group.name);
    match &group.functions {
        suite::Functions::Library(_) => None,
        suite::Functions::Binary(functions) => {
            let functions = functions.iter().map(|it| declared(it, &path).into()).collect();
            Some((Config::default(), functions))
        }
        suite::Functions::Filled(filled) => Some(fill(filled)),
    }
}

fn fill(filled: &Filled) -> (Config, Vec<Function>) {
    let program = filled.program.map(ToOwned::to_owned);
    let mut group = BinaryBenchmarkGroup { program, ..BinaryBenchmarkGroup::default() };
    (filled.fill)(&mut group);
    let each = |mut benchmark: BinaryBenchmark| {
        benchmark.setup = benchmark.setup.or(filled.each.setup.map(Action::Plain));
        benchmark.teardown = benchmark.teardown.or(filled.each.teardown.map(Action::Plain));
        Function::from(benchmark)
    };
    (group.config, group.benchmarks.into_iter().map(each).collect())
}

/// A function that is annotated with `#[binary_benchmark]`.
fn declared(function: &BinaryFunction, group: &str) -> BinaryBenchmark {
    let mut benchmark = BinaryBenchmark::new(function.name);
    benchmark.config = suite::evaluate(function.config);
    let path = format!("{group}::{}", function.name);
    for case in function.cases {
        let ids = case.items.ids(case.id, &path);
        benchmark.benches.extend(ids.enumerate().map(|(item, id)| declared_case(case, item, id)));
    }
    benchmark
}

fn declared_case(case: &BinaryCase, item: usize, id: Option<String>) -> Bench {
    let mut bench = Bench::with_id(id.map(Into::into));
    bench.config = suite::evaluate(case.config);
    bench.command((case.command)(item));
    bench.setup = case.setup.map(|setup| Action::Item(setup, item));
    bench.teardown = case.teardown.map(|teardown| Action::Item(teardown, item));
    bench
}

impl From<BinaryBenchmark> for Function {
    fn from(benchmark: BinaryBenchmark) -> Self {
        let BinaryBenchmark { id, config, benches, setup, teardown } = benchmark;
        let cases = benches.into_iter().flat_map(|bench| {
            let Bench { id, config, commands, is_numbered, .. } = bench;
            let (setup, teardown) = (bench.setup.or(setup), bench.teardown.or(teardown));
            commands.into_iter().enumerate().map(move |(number, command)| Case {
                id: id
                    .as_ref()
                    .map(|id| if is_numbered { format!("{id}_{number}") } else { id.to_string() }),
                command,
                config: config.clone(),
                setup,
                teardown,
            })
        });
        Self { name: id.map(|id| id.0), config, cases: cases.collect() }
    }
}
