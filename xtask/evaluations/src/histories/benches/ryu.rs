//! Benchmarks of ryu.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use ryu::Buffer;

#[library_benchmark]
#[bench::zero(0.0)]
#[bench::short(0.3)]
#[bench::long(2.718_281_828_459_045)]
#[bench::large(-1.7e308)]
#[bench::small(5e-324)]
#[bench::whole(9_007_199_254_740_992.0)]
#[bench::not_a_number(f64::NAN)]
fn format_f64(number: f64) -> usize {
    Buffer::new().format(black_box(number)).len()
}

#[library_benchmark]
#[bench::short(1.5)]
#[bench::long(-3.141_592_7)]
#[bench::large(3.4e38)]
#[bench::small(1e-45)]
fn format_f32(number: f32) -> usize {
    Buffer::new().format(black_box(number)).len()
}

#[library_benchmark]
fn format_finite() -> usize {
    let mut buffer = Buffer::new();
    let numbers = black_box([1.0, 0.1, 123.456, 1e21, 1e-7, 1e16, 12_345_678.9]);
    numbers.iter().map(|number| buffer.format_finite(*number).len()).sum()
}

library_benchmark_group!(name = all; benchmarks = format_f64, format_f32, format_finite);

main!(library_benchmark_groups = all);
