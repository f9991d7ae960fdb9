use iai_callgrind::{Throughput, library_benchmark};

#[library_benchmark(throughput = Throughput::Bytes(1), Throughput::Bits(8))]
fn two_values() {}

#[library_benchmark]
#[bench::id(throughput =)]
fn no_value() {}

#[library_benchmark]
#[benches::id(args = [1], throughput = Throughput::Bytes(1), throughput = Throughput::Bytes(2))]
fn twice(_: u64) {}

fn main() {}
