//! The functions that the benchmarks of the profiled suite and its floor call.

/// Returns a number of Fibonacci.
pub fn fibonacci(n: u32) -> u64 {
    if n < 2 { 1 } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

/// Returns numbers in descending order.
pub fn setup(length: u32) -> Vec<u32> {
    (0..length).rev().collect()
}

/// Sorts numbers.
pub fn bubble_sort(mut numbers: Vec<u32>) -> Vec<u32> {
    for end in (1..numbers.len()).rev() {
        for index in 0..end {
            if numbers[index] > numbers[index + 1] {
                numbers.swap(index, index + 1);
            }
        }
    }
    numbers
}
