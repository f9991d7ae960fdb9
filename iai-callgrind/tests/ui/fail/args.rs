use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::no_tuple(args = 10)]
#[benches::no_array(args = (10, 20))]
#[benches::vec(args = vec![10, 20])]
fn wrong_brackets(_: u64) {}

#[library_benchmark]
#[bench::plain_first(10, setup = u64::count_ones)]
#[bench::named_first(setup = u64::count_ones, 10)]
#[benches::plain_first(10, 20, teardown = drop)]
fn mixed(_: u32) {}

#[library_benchmark]
#[benches::empty()]
#[benches::empty_array(args = [])]
#[benches::no_args(setup = u64::count_ones)]
#[benches::closure(setup = |bits: u64| bits.count_ones())]
fn no_elements(_: u32) {}

#[library_benchmark]
#[bench::syntax(10 20)]
fn no_separator(_: u64) {}

fn main() {}
