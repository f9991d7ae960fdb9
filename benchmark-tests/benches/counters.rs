//! Counters that benchmarks report: where and how often they report them, and wrong ones.

use std::hint::black_box;
use std::thread;

use iai_callgrind::{
    LibraryBenchmarkConfig, counter, library_benchmark, library_benchmark_group, main,
};

const NODES: &str = "nodes visited";
const RATIO: &str = "compression ratio";
/// As long as a name can be.
const LONG: &str = "a name with as many characters as the name of a counter has.";

#[library_benchmark]
fn without() {}

fn report(_: ()) {
    counter(NODES, 42_u64);
    counter(RATIO, 2.5);
}

#[library_benchmark(teardown = report)]
#[bench::both()]
fn in_teardown() {}

fn report_first() -> u64 {
    counter("of the setup", 1);
    counter(NODES, 1);
    7
}

#[library_benchmark(setup = report_first, teardown = report)]
#[bench::both()]
fn in_setup(number: u64) {
    black_box(number);
}

#[library_benchmark]
#[bench::short(1)]
#[bench::several_times(1000)]
fn in_function(reports: u64) {
    for number in 1..=reports {
        counter(NODES, number);
    }
}

#[library_benchmark]
fn with_a_long_name() {
    counter(LONG, black_box(1_u64));
}

#[library_benchmark]
fn with_a_short_name() {
    counter("n", black_box(1_u64));
}

#[library_benchmark]
fn in_a_thread() {
    thread::spawn(|| counter(NODES, 3_u64)).join().unwrap();
}

#[library_benchmark]
#[bench::integers()]
fn kinds() {
    counter("i32", 5);
    counter("usize", 6_usize);
    counter("u64", u64::MAX);
    counter("f32", 0.5_f32);
    counter("whole", 3.0);
    counter("zero", 0);
}

fn soft_limits() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .counter_soft_limits([(NODES, 10.0), (RATIO, -10.0)])
        .counter_hard_limits([(NODES, 50)])
        .clone()
}

#[library_benchmark(config = soft_limits(), teardown = report)]
#[bench::both()]
fn limited() {}

#[library_benchmark]
#[bench::name("nodes=visited", 1.0)]
#[bench::empty("", 1.0)]
#[bench::metric("ir", 1.0)]
#[bench::long("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 1.0)]
#[bench::space(" nodes", 1.0)]
#[bench::negative("nodes", -1.5)]
#[bench::not_a_number("nodes", f64::NAN)]
fn reported(name: &str, value: f64) {
    counter(name, value);
}

#[library_benchmark]
fn too_many() {
    for number in 0..65 {
        counter(&number.to_string(), number);
    }
}

#[library_benchmark]
#[bench::integer()]
fn negative() {
    counter("balance", -5);
}

library_benchmark_group!(
    name = right;
    benchmarks =
        without, in_teardown, in_setup, in_function, with_a_long_name, with_a_short_name,
        in_a_thread, kinds
);
library_benchmark_group!(name = limits; benchmarks = limited);
library_benchmark_group!(name = wrong; benchmarks = reported, too_many, negative);
main!(library_benchmark_groups = right, limits, wrong);
