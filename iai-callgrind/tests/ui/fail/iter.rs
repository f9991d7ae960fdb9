use iai_callgrind::library_benchmark;

#[library_benchmark]
#[benches::both(args = [1], iter = [2])]
#[benches::all(iter = [2], file = "Cargo.toml", args = [1])]
#[benches::two(iter = [1], [2])]
fn excluding(_: u64) {}

#[library_benchmark]
#[bench::items(iter = [1])]
fn not_in_bench(_: u64) {}

#[library_benchmark]
#[benches::items(iter = [1])]
#[bench::items_other(1)]
#[bench::items_7(1)]
#[benches::items(iter = [2])]
fn ids(_: u64) {}

fn main() {}
