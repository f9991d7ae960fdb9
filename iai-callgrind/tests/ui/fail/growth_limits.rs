use iai_callgrind::library_benchmark;

#[library_benchmark(complexity = "n^4")]
fn unknown() {}

#[library_benchmark]
#[benches::id(args = range(1, 8), complexity = Complexity::N)]
fn no_text(_: u64) {}

#[library_benchmark]
#[bench::id(complexity = "n")]
fn one_case() {}

fn main() {}
