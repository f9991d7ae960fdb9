//! A function that has a benchmark file of Criterion.

/// Returns the words of a text in the opposite order.
pub fn reverse_words(text: &str) -> String {
    text.split(' ').rev().collect::<Vec<_>>().join(" ")
}
