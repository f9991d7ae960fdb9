//! The work of the benchmarks in `order.rs` and `order_reversed.rs`, and its setup: single-threaded work
//! whose counts never change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Recurses instead of a loop, so that the number of instructions grows quickly.
pub(crate) fn fibonacci(n: u64) -> u64 {
    if n < 2 { 1 } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

/// Returns the worst case for many algorithms.
pub(crate) fn descending(length: u32) -> Vec<u32> {
    (0..length).rev().collect()
}

/// Compares and moves, in memory that set-up allocated.
pub(crate) fn bubble_sort(mut numbers: Vec<u32>) -> Vec<u32> {
    for end in (1..numbers.len()).rev() {
        for index in 0..end {
            if numbers[index] > numbers[index + 1] {
                numbers.swap(index, index + 1);
            }
        }
    }
    numbers
}

/// Formats numbers, and reallocates as the text grows.
pub(crate) fn count_up(last: u32) -> String {
    (1..=last).fold(String::new(), |mut text, number| {
        // Writing to a string never fails
        let _ = write!(text, "{number}, ");
        text
    })
}

/// Allocates nodes of a tree.
pub(crate) fn index(words: &str) -> BTreeMap<&str, usize> {
    words.split(' ').enumerate().map(|(place, word)| (word, place)).collect()
}

/// Copies with the C library's `memcpy`, which is another function on another processor.
pub(crate) fn copy(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().rev().copied().collect::<Vec<_>>().repeat(3)
}
