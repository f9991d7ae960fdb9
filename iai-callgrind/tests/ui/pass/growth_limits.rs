//! The forms of `complexity` and `per_element`, alone and next to `config`.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{BinaryBenchmarkFunction, Config, LibraryBenchmark};
use iai_callgrind::{
    BinaryBenchmarkConfig, Command, Complexity, EventKind, LibraryBenchmarkConfig,
    binary_benchmark, library_benchmark,
};

const PERCENT: f64 = 2.5;

fn config() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .complexity(EventKind::Dr, Complexity::N)
        .complexity(EventKind::Ir, Complexity::Exponential)
        .clone()
}

#[library_benchmark(complexity = "n log n", per_element = 2)]
#[benches::n(args = range(8, 64))]
#[benches::own(args = range(8, 64), complexity = "O(n²)", per_element = PERCENT)]
#[benches::config(args = range(8, 64), config = config(), complexity = "1")]
#[benches::no_limit(args = range(8, 64), config = config())]
fn function(_: u64) {}

#[binary_benchmark(config = BinaryBenchmarkConfig::default().env("A", "B"), per_element = 1.5)]
fn command() -> Command {
    Command::new("true")
}

fn limits(config: Config) -> String {
    let config = config.map(|config| config()).unwrap_or_default();
    format!("{:?} {:?}", config.complexity, config.per_element)
}

fn main() {
    let function = <function as LibraryBenchmark>::FUNCTION;
    let percentage = |number: f64| format!("[(Ir, Percentage {{ bits: {} }})]", number.to_bits());
    assert_eq!(limits(function.config), format!("[(Ir, NLogN)] {}", percentage(2.0)));
    let case = |id: &str| {
        let case = function.cases.iter().find(|case| case.id == Some(id));
        limits(case.unwrap().config)
    };
    assert_eq!(case("n_8"), "[] []");
    assert_eq!(case("own_64"), format!("[(Ir, NSquared)] {}", percentage(PERCENT)));
    assert_eq!(case("config_8"), "[(Dr, N), (Ir, Constant)] []");
    assert_eq!(case("no_limit_8"), "[(Dr, N), (Ir, Exponential)] []");
    let command = <command as BinaryBenchmarkFunction>::FUNCTION;
    assert_eq!(limits(command.config), format!("[] {}", percentage(1.5)));
    assert_eq!(command.config.unwrap()().envs.len(), 1);
}
