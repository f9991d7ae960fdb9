use iai_callgrind::library_benchmark;

fn generic<T: std::str::FromStr>(_: T) -> u64 {
    1
}

#[library_benchmark]
#[benches::numbers(file = "Cargo.toml")]
#[benches::of_the_setup(file = "Cargo.toml", setup = u64::count_ones)]
fn function(_: u32) {}

#[library_benchmark(setup = generic)]
#[benches::unknown(file = "Cargo.toml")]
fn unknown(_: u64) {}

fn main() {}
