use iai_callgrind::library_benchmark;

fn join(left: u64, right: u64) -> u64 {
    left + right
}

#[library_benchmark]
#[benches::no_iterator(iter = 10)]
#[benches::no_number(iter = ["text"])]
#[benches::pairs(iter = [(1, 2)])]
#[benches::of_the_setup(iter = [(1, 2)], setup = join)]
fn one(_: u64) {}

#[library_benchmark]
#[benches::no_pairs(iter = [1, 2])]
#[benches::too_long(iter = [(1, 2, 3)])]
fn two(_: u64, _: u64) {}

fn main() {}
