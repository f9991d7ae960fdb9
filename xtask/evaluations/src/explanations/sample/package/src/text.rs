//! Functions of text.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns the words of a text with their numbers, the most frequent first.
pub fn most_frequent(text: &str) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(normalized(word)).or_insert(0) += 1;
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    all
}

fn normalized(word: &str) -> String {
    word.to_ascii_lowercase()
}

/// Sorts names.
pub fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_by(|left, right| order(left, right));
    names
}

fn order(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// Returns a text with all numbers.
pub fn rendered(numbers: &[u32]) -> String {
    let mut text = String::new();
    for number in numbers {
        text.push_str(&number.to_string());
        text.push(' ');
    }
    text
}

/// Returns the sum of all fields that are numbers.
pub fn fields(text: &str) -> u64 {
    let mut sum = 0;
    for line in text.split(';') {
        sum += line.split(',').filter_map(|field| parse(field)).sum::<u64>();
    }
    sum
}

fn parse(field: &str) -> Option<u64> {
    let field = field.trim();
    if field.is_empty() {
        return None;
    }
    field.parse().ok()
}

/// Returns the text with its words in reverse.
pub fn reversed(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut result = String::new();
    for word in words.iter().rev() {
        append(&mut result, word);
    }
    result
}

fn append(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}
