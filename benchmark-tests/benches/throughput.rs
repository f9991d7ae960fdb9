//! Each kind of throughput, on each level of configuration and from arguments. Every function counts one instruction.

use iai_callgrind::{
    LibraryBenchmarkConfig, Throughput, library_benchmark, library_benchmark_group, main,
};

fn config(throughput: Throughput) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().throughput(throughput).clone()
}

#[library_benchmark]
#[bench::bytes(throughput = Throughput::Bytes(4))]
#[bench::bytes_decimal(throughput = Throughput::BytesDecimal(1000))]
#[bench::elements(throughput = Throughput::Elements(8))]
#[bench::both(throughput = Throughput::ElementsAndBytes { elements: 2, bytes: 16 })]
#[bench::bits(throughput = Throughput::Bits(3))]
#[bench::zero(throughput = Throughput::Bytes(0))]
fn kinds() {}

#[library_benchmark]
#[bench::file()]
fn of_file() {}

#[library_benchmark]
#[bench::group()]
fn of_group() {}

#[library_benchmark(config = config(Throughput::Bytes(20)), throughput = Throughput::Bytes(25))]
#[bench::function()]
#[bench::config(config = config(Throughput::Elements(40)))]
#[bench::case(config = config(Throughput::Elements(40)), throughput = Throughput::Bits(50))]
fn of_function() {}

fn bytes(text: &str) -> Throughput {
    Throughput::Bytes(text.len() as u64)
}

#[library_benchmark(throughput = bytes)]
#[bench::function("four")]
#[bench::closure(
    args = ("four"),
    throughput = |text| Throughput::Bits(8 * text.len() as u64)
)]
#[bench::value(args = ("four"), throughput = Throughput::Elements(1))]
#[benches::args("1", "12345")]
#[benches::file(file = "benchmark-tests/benches/items/lines.txt")]
#[benches::iter(iter = ["1", "12"])]
fn inputs(_text: &str) {}

#[library_benchmark]
#[benches::pair(
    args = [(1, 2), (3, 4)],
    throughput = |rows: &u64, columns: &u64| Throughput::Elements(rows * columns)
)]
fn several(_rows: u64, _columns: u64) {}

fn zeros(length: usize) -> &'static [u8] {
    vec![0; length].leak()
}

#[library_benchmark(
    setup = zeros,
    throughput = |length| Throughput::Bytes((*length).try_into().unwrap())
)]
#[benches::args(2, 5)]
#[benches::iter(iter = [2, 5])]
#[bench::closure(args = (2), setup = |length| zeros(10 * length))]
fn setups(_bytes: &[u8]) {}

library_benchmark_group!(name = in_file; benchmarks = kinds, of_file, inputs, several, setups);

library_benchmark_group!(
    name = in_group;
    config = config(Throughput::Elements(10));
    benchmarks = of_group, of_function
);

main!(config = config(Throughput::Bytes(100)); library_benchmark_groups = in_file, in_group);
