use iai_callgrind::{binary_benchmark, library_benchmark};

fn length(text: &str) -> usize {
    text.len()
}

#[library_benchmark(size = 10.5)]
fn a_fraction() {}

#[library_benchmark]
#[bench::id(args = (1), size = |number| number)]
fn a_closure_that_returns_a_reference(_: u64) {}

#[library_benchmark(size = length)]
#[bench::id(1)]
fn another_type(_: u64) {}

#[binary_benchmark(size = "1 KiB")]
fn a_text() -> iai_callgrind::Command {
    iai_callgrind::Command::new("true")
}

fn main() {}
