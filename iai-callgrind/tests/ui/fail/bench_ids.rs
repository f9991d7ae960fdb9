use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::same(1)]
#[bench::same(2)]
fn twice(_: u64) {}

#[library_benchmark]
#[bench::multiple_0(1)]
#[benches::multiple(2, 3)]
fn twice_after_expansion(_: u64) {}

#[library_benchmark]
#[bench(10)]
fn missing(_: u64) {}

#[library_benchmark]
#[benches(args = [10, 20])]
fn missing_in_benches(_: u64) {}

#[library_benchmark]
#[bench]
fn nothing(_: u64) {}

#[library_benchmark]
#[bench::one::two(10)]
fn too_long(_: u64) {}

#[library_benchmark]
#[bench::id = 10]
fn not_a_list(_: u64) {}

fn main() {}
