//! Commands of a group, with the code that runs around each of them.

use iai_callgrind_plan::Config;

use crate::binary::{Action, Bench, BinaryBenchmark, BinaryBenchmarkGroup, Command};
use crate::suite::{self, BinaryCase, BinaryFunction, Filled, Functions, Group};

/// Binary benchmarks of a group, and the configuration by the function that fills the group.
#[derive(Default)]
pub(crate) struct GroupCommands {
    pub(crate) config: Config,
    pub(crate) benchmarks: Vec<BinaryBenchmark>,
}

/// Command with its configuration and its hooks.
pub(crate) struct CommandCase {
    pub(crate) id: Option<String>,
    pub(crate) command: Command,
    pub(crate) config: Config,
    pub(crate) size: Option<i64>,
    pub(crate) curve: Option<String>,
    pub(crate) setup: Option<Action>,
    pub(crate) teardown: Option<Action>,
}

impl GroupCommands {
    /// Calls the functions that return the commands of a group. `None` for a group of library benchmarks.
    pub(crate) fn collect(group: &Group, file: &str) -> Option<Self> {
        let path = format!("{file}::{}", group.name);
        match &group.functions {
            Functions::Library(_) => None,
            Functions::Binary(functions) => {
                let benchmarks = functions.iter().map(|function| {
                    let path = format!("{path}::{}", function.name);
                    benchmark(function, &path)
                });
                Some(Self { benchmarks: benchmarks.collect(), ..Self::default() })
            }
            Functions::Filled(filled) => Some(fill(filled)),
        }
    }

    /// Returns the cases of all benchmarks in their order.
    pub(crate) fn into_cases(self) -> Vec<CommandCase> {
        let mut all = Vec::new();
        for benchmark in self.benchmarks {
            all.append(&mut cases(benchmark));
        }
        all
    }
}

/// Returns the cases of a benchmark in their order.
pub(crate) fn cases(benchmark: BinaryBenchmark) -> Vec<CommandCase> {
    let BinaryBenchmark { id: function, benches, setup, teardown, .. } = benchmark;
    let mut cases = Vec::new();
    for bench in benches {
        let Bench { id, config, commands, is_numbered, size, .. } = bench;
        let (setup, teardown) = (bench.setup.or(setup), bench.teardown.or(teardown));
        let numbered = id.as_ref().filter(|_| is_numbered).map(|id| &*id.0);
        let curve =
            function.as_ref().map(|function| suite::curve(&function.0, numbered.or(bench.curve)));
        for (number, command) in commands.into_iter().enumerate() {
            let id = id.as_ref();
            let id =
                id.map(|id| if is_numbered { format!("{id}_{number}") } else { id.to_string() });
            let (config, curve) = (config.clone(), curve.clone());
            cases.push(CommandCase { id, command, config, size, curve, setup, teardown });
        }
    }
    cases
}

fn fill(filled: &Filled) -> GroupCommands {
    let program = filled.program.map(ToOwned::to_owned);
    let mut group = BinaryBenchmarkGroup { program, ..BinaryBenchmarkGroup::default() };
    (filled.fill)(&mut group);
    let BinaryBenchmarkGroup { config, mut benchmarks, .. } = group;
    for benchmark in &mut benchmarks {
        benchmark.setup = benchmark.setup.or(filled.command_hooks.setup.map(Action::Plain));
        benchmark.teardown =
            benchmark.teardown.or(filled.command_hooks.teardown.map(Action::Plain));
    }
    GroupCommands { config, benchmarks }
}

/// Returns the benchmark that a function with `#[binary_benchmark]` declares.
#[must_use]
pub fn declared(function: &BinaryFunction) -> BinaryBenchmark {
    benchmark(function, function.name)
}

/// Calls a function that is annotated with `#[binary_benchmark]` for each of its cases. Notes about it
/// contain its path.
fn benchmark(function: &BinaryFunction, path: &str) -> BinaryBenchmark {
    let mut benchmark = BinaryBenchmark::new(function.name);
    benchmark.config = suite::evaluate(function.config);
    for case in function.cases {
        for (item, id) in case.items.ids(case.id, path).into_iter().enumerate() {
            benchmark.benches.push(declared_case(case, item, id));
        }
    }
    benchmark
}

fn declared_case(case: &BinaryCase, item: usize, id: Option<String>) -> Bench {
    let mut bench = Bench::with_id(id.map(Into::into));
    bench.config = case.throughput.apply(&suite::evaluate(case.config), item);
    bench.size = case.size.map(|size| size(item));
    bench.curve = case.curve;
    bench.command((case.command)(item));
    bench.setup = case.setup.map(|setup| Action::Item(setup, item));
    bench.teardown = case.teardown.map(|teardown| Action::Item(teardown, item));
    bench
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Throughput;

    use super::*;
    use crate::suite::{CaseThroughput, Items};

    const CASE: BinaryCase = BinaryCase {
        id: Some("id"),
        config: None,
        throughput: CaseThroughput::None,
        size: None,
        curve: None,
        items: Items::Lines(&["a", "b"]),
        command: |_| Command::new("true"),
        setup: None,
        teardown: None,
    };

    const OF_FUNCTION: CaseThroughput =
        CaseThroughput::OfFunction(|item| Throughput::Bytes(item as u64));
    const OF_CASE: CaseThroughput = CaseThroughput::OfCase(|item| Throughput::Bits(item as u64));

    fn in_config() -> Config {
        Config { throughput: Some(Throughput::Elements(7)), ..Config::default() }
    }

    #[test]
    fn a_curve_has_the_names_of_the_benchmark_and_of_the_commands() {
        let growth = |benchmark: BinaryBenchmark| {
            let cases = cases(benchmark).into_iter();
            cases.map(|case| (case.id, case.size, case.curve)).collect::<Vec<_>>()
        };
        let case = |id: Option<&str>, size, curve: Option<&str>| {
            (id.map(ToOwned::to_owned), size, curve.map(ToOwned::to_owned))
        };
        let function = BinaryFunction {
            name: "sort",
            owner: || "sort",
            config: None,
            cases: &[
                BinaryCase {
                    size: Some(|item| if item == 0 { 5 } else { 10 }),
                    curve: Some("n"),
                    ..CASE
                },
                BinaryCase { id: None, items: Items::One, ..CASE },
            ],
        };
        let expected = [
            case(Some("id_0"), Some(5), Some("sort n")),
            case(Some("id_1"), Some(10), Some("sort n")),
            case(None, None, Some("sort")),
        ];
        assert_eq!(growth(declared(&function)), expected);

        let commands = |id: &str| Bench::new(id).commands([Command::new("a")]).clone();
        let built = BinaryBenchmark::new("sort")
            .bench(Bench::new("one").command(Command::new("a")))
            .bench(commands("lines"))
            .clone();
        let expected = [
            case(Some("one"), None, Some("sort")),
            case(Some("lines_0"), None, Some("sort lines")),
        ];
        assert_eq!(growth(built), expected);
        let mut of_group = BinaryBenchmark::with_id(None);
        of_group.bench(commands("run"));
        assert_eq!(growth(of_group), [case(Some("run_0"), None, None)]);
    }

    #[test]
    fn each_item_has_the_innermost_throughput() {
        let function = BinaryFunction {
            name: "function",
            owner: || "function",
            config: None,
            cases: &[
                CASE,
                BinaryCase { throughput: OF_FUNCTION, ..CASE },
                BinaryCase { throughput: OF_FUNCTION, config: Some(in_config), ..CASE },
                BinaryCase { throughput: OF_CASE, config: Some(in_config), ..CASE },
            ],
        };
        let cases = cases(declared(&function));
        let throughputs: Vec<_> = cases.into_iter().map(|case| case.config.throughput).collect();
        let [bytes, bits] = [Throughput::Bytes, Throughput::Bits];
        let elements = Some(Throughput::Elements(7));
        let expected = [
            [None, None],
            [Some(bytes(0)), Some(bytes(1))],
            [elements, elements],
            [Some(bits(0)), Some(bits(1))],
        ];
        assert_eq!(throughputs, expected.concat());
    }
}
