//! Functions of the crate itoa.

use iai_callgrind::library_benchmark;

use crate::inputs::{numbers, small_numbers};

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn format_before(numbers: Vec<u64>) -> usize {
    let mut buffer = itoa_old::Buffer::new();
    numbers.iter().map(|number| buffer.format(*number).len()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn format_after(numbers: Vec<u64>) -> usize {
    let mut buffer = itoa::Buffer::new();
    numbers.iter().map(|number| buffer.format(*number).len()).sum()
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(500)]
fn small_before(numbers: Vec<u32>) -> usize {
    numbers.iter().map(|number| number.to_string().len()).sum()
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(500)]
fn small_after(numbers: Vec<u32>) -> usize {
    let mut buffer = itoa::Buffer::new();
    numbers.iter().map(|number| buffer.format(*number).len()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn wide(numbers: Vec<u64>) -> usize {
    let mut buffer = itoa::Buffer::new();
    let square = |number: &u64| u128::from(*number) * u128::from(*number);
    numbers.iter().map(|number| buffer.format(square(number)).len()).sum()
}
