use iai_callgrind::{binary_benchmark, library_benchmark};

const LARGEST: u64 = 1024;

#[library_benchmark]
#[benches::constant(args = range(8, LARGEST))]
#[benches::call(args = dense_range(0, u64::pow(2, 10)))]
#[benches::one(args = range(8))]
#[benches::four(args = dense_range(0, 1, 2, 3))]
#[benches::order(args = range(64, 8))]
#[benches::factor(args = range(8, 64, 1))]
#[benches::step(args = dense_range(8, 64, 0))]
#[benches::negative(args = range(-1, 8))]
#[benches::too_large(args = range(1, 1 << 64))]
#[benches::too_many(args = dense_range(0, 1000))]
fn ranges(_: u64) {}

#[library_benchmark]
#[benches::one(args = product([1, 2]))]
#[benches::empty(args = product([1, 2], []))]
#[benches::expression(args = product([1, 2], 0..4))]
#[benches::too_many(args = product(dense_range(1, 100), dense_range(1, 100)))]
#[benches::inside(args = product(range(1, 8, 0), [1]))]
fn products(_: u64, _: u64) {}

#[library_benchmark]
#[benches::range(args = range(1, 2))]
#[benches::three(args = product([1], [2], [3]))]
fn numbers_of_arguments(_: u64, _: u64) {}

#[binary_benchmark]
#[bench::range(args = range(1, 2))]
#[benches::id(args = range(1, 2))]
#[benches::id(args = range(2, 3))]
fn attributes(_: u64) -> iai_callgrind::Command {
    iai_callgrind::Command::new("true")
}

fn main() {}
