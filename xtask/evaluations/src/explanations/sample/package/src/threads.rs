//! Work in threads.

use std::hint::black_box;
use std::thread;

use crate::settings::THREADS;

/// Returns the sum of the numbers, computed by several threads.
pub fn parallel(numbers: &[u64]) -> u64 {
    let part = numbers.len().div_ceil(THREADS);
    thread::scope(|scope| {
        let threads: Vec<_> =
            numbers.chunks(part).map(|numbers| scope.spawn(move || partial(numbers))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn partial(numbers: &[u64]) -> u64 {
    let mut sum = 0;
    for number in numbers {
        sum += black_box(*number);
    }
    sum
}
