use iai_callgrind::{Throughput, binary_benchmark, library_benchmark};

const BYTES: u64 = 1;

fn bytes(text: &str) -> Throughput {
    Throughput::Bytes(text.len() as u64)
}

#[library_benchmark(throughput = 1024)]
fn a_number() {}

#[library_benchmark]
#[bench::id(args = (1), throughput = |number| *number)]
fn a_closure_that_returns_a_number(_: u64) {}

#[library_benchmark]
#[bench::id(args = (1), throughput = || Throughput::Bytes(1))]
fn without_parameters(_: u64) {}

#[library_benchmark(throughput = bytes)]
#[bench::id(1)]
fn another_type(_: u64) {}

#[library_benchmark(throughput = BYTES)]
fn a_constant_of_another_type() {}

#[binary_benchmark(throughput = "1 KiB")]
fn a_text() -> iai_callgrind::Command {
    iai_callgrind::Command::new("true")
}

fn main() {}
