use iai_callgrind::{
    Command, LibraryBenchmarkConfig, binary_benchmark, binary_benchmark_group, library_benchmark,
    library_benchmark_group,
};

#[library_benchmark]
fn function() {}

fn plain() {}

#[binary_benchmark]
fn no_command() {}

#[binary_benchmark(config = LibraryBenchmarkConfig::default())]
#[bench::too_many(1, 2)]
#[bench::none]
fn one_argument(_: u8) -> Command {
    Command::new("echo")
}

#[binary_benchmark]
#[bench::wrong_setup(args = (1), setup = takes_text)]
fn set_up(_: u8) -> Command {
    Command::new("echo")
}

fn takes_text(_: &str) {}

#[binary_benchmark(wrong = 1)]
fn right() -> Command {
    Command::new("echo")
}

#[binary_benchmark]
struct NoFunction;

binary_benchmark_group!(name = of_library; benchmarks = function);
binary_benchmark_group!(name = of_plain; benchmarks = plain);
binary_benchmark_group!(name = wrong_hooks; before = plain; after = plain; benchmarks = right);
binary_benchmark_group!(name = no_closure; benchmark = right);
binary_benchmark_group!(name = three; benchmark = |"a", "b", group| {});
binary_benchmark_group!(name = not_a_name; benchmark = |1, group| {});
binary_benchmark_group!(bench = true; name = modifier; benchmarks = right);
binary_benchmark_group!(name = no_bool; before = plain, bench = 1; benchmark = |group| {});
binary_benchmark_group!(name = nothing);
library_benchmark_group!(name = library; benchmarks = right);

iai_callgrind::main!(library_benchmark_groups = library; binary_benchmark_groups = of_library);
