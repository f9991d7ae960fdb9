//! Functions of the crate ryu.

use iai_callgrind::library_benchmark;

use crate::inputs::floats;

#[library_benchmark(setup = floats)]
#[bench::n(100)]
fn format_before(numbers: Vec<f64>) -> usize {
    numbers.iter().map(|number| number.to_string().len()).sum()
}

#[library_benchmark(setup = floats)]
#[bench::n(100)]
fn format_after(numbers: Vec<f64>) -> usize {
    let mut buffer = ryu::Buffer::new();
    numbers.iter().map(|number| buffer.format(*number).len()).sum()
}

#[library_benchmark(setup = floats)]
#[bench::n(200)]
fn single(numbers: Vec<f64>) -> usize {
    let mut buffer = ryu::Buffer::new();
    numbers.iter().map(|number| buffer.format(*number as f32).len()).sum()
}
