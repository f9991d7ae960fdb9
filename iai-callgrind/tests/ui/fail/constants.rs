use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::no_tuple(consts = 3)]
#[benches::no_array(consts = (3, 4))]
#[bench::too_many(consts = (3, 4))]
#[benches::too_many(consts = [3, (4, 5)])]
#[benches::with_iter(iter = [(), ()], consts = [3, 4])]
fn one<const N: usize>() {}

#[library_benchmark]
#[bench::too_few(consts = (3))]
fn two<T, const N: usize, const C: char>() {}

#[library_benchmark]
#[bench::none(consts = (3))]
fn none() {}

#[library_benchmark]
#[bench::wrong_type(consts = ('a'))]
fn wrong_type<const N: usize>() {}

fn main() {}
