//! A library with a few things to change.

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

#[inline(never)]
pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(SEED, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)))
}

const SEED: u32 = 1;

/// Returns the sum of the checksums of all lines.
pub fn checksums(text: &str) -> u32 {
    let mut sum = 0_u32;
    for line in lines(text) {
        sum = sum.wrapping_add(checksum(line.as_bytes()));
    }
    sum
}

fn lines(text: &str) -> Vec<&str> {
    text.split(',').collect()
}

/// A shape on paper.
pub trait Shape {
    /// Returns the area.
    fn area(&self) -> u64;
}

pub struct Square(pub u64);

pub struct Triangle(pub u64, pub u64);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

impl Shape for Triangle {
    fn area(&self) -> u64 {
        self.0 * self.1 / 2
    }
}

/// Returns the areas of all shapes.
pub fn areas(shapes: &[Box<dyn Shape>]) -> u64 {
    shapes.iter().map(|shape| shape.area()).sum()
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
