//! Functions of the crate smallvec.

use iai_callgrind::library_benchmark;
use smallvec::SmallVec;

use crate::inputs::numbers;

#[library_benchmark(setup = numbers)]
#[bench::n(400)]
fn digits_before(numbers: Vec<u64>) -> usize {
    let digits =
        |number: &u64| number.to_le_bytes().iter().map(|byte| byte % 10).collect::<Vec<_>>();
    numbers.iter().map(|number| std::hint::black_box(digits(number)).len()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(400)]
fn digits_after(numbers: Vec<u64>) -> usize {
    let digits = |number: &u64| {
        number.to_le_bytes().iter().map(|byte| byte % 10).collect::<SmallVec<[_; 8]>>()
    };
    numbers.iter().map(|number| std::hint::black_box(digits(number)).len()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(1000)]
fn push(numbers: Vec<u64>) -> SmallVec<[u64; 16]> {
    let mut all = SmallVec::new();
    numbers.iter().filter(|number| *number % 5 > 1).for_each(|number| all.push(*number));
    all
}

#[library_benchmark(setup = |n| numbers(n).into_iter().collect::<SmallVec<[u64; 4]>>())]
#[bench::n(300)]
fn insert(mut all: SmallVec<[u64; 4]>) -> SmallVec<[u64; 4]> {
    (0..100).for_each(|number| all.insert(number * 2, number as u64));
    all
}
