//! Functions of texts with the standard library only.

use std::fmt::Write as _;

use iai_callgrind::library_benchmark;

use crate::inputs::{bytes, floats, numbers, small_numbers, text, unicode, words};

#[library_benchmark(setup = words)]
#[bench::n(200)]
fn join_before(words: Vec<String>) -> String {
    words.iter().fold(String::new(), |text, word| format!("{text}{word} "))
}

#[library_benchmark(setup = words)]
#[bench::n(200)]
fn join_after(words: Vec<String>) -> String {
    words.iter().fold(String::new(), |mut text, word| {
        text.push_str(word);
        text.push(' ');
        text
    })
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn reverse_before(text: String) -> String {
    text.chars().rev().collect()
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn reverse_after(text: String) -> Vec<u8> {
    text.bytes().rev().collect()
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn find_before(text: String) -> Option<usize> {
    text.as_bytes().windows(5).position(|part| part == b"abcde")
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn find_after(text: String) -> Option<usize> {
    text.find("abcde")
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn upper_before(text: String) -> String {
    text.to_uppercase()
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn upper_after(text: String) -> String {
    text.to_ascii_uppercase()
}

#[library_benchmark(setup = numbers)]
#[bench::n(100)]
fn format_before(numbers: Vec<u64>) -> Vec<String> {
    numbers.iter().map(|number| format!("{number}")).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::n(100)]
fn format_after(numbers: Vec<u64>) -> String {
    let mut text = String::with_capacity(2100);
    numbers.iter().for_each(|number| _ = write!(text, "{number},"));
    text
}

#[library_benchmark(setup = text)]
#[bench::n(300)]
fn split_words(text: String) -> usize {
    text.split_whitespace().map(str::len).max().unwrap_or(0)
}

#[library_benchmark(setup = text)]
#[bench::n(500)]
fn replace(text: String) -> String {
    text.replace("ab", "<b>")
}

#[library_benchmark(setup = unicode)]
#[bench::n(1000)]
fn count_chars(text: String) -> usize {
    text.chars().count()
}

#[library_benchmark(setup = unicode)]
#[bench::n(500)]
fn alphabetic(text: String) -> usize {
    text.chars().filter(|char| char.is_alphabetic()).count()
}

#[library_benchmark(setup = unicode)]
#[bench::n(500)]
fn validate(text: String) -> bool {
    std::str::from_utf8(text.as_bytes()).is_ok()
}

#[library_benchmark(setup = bytes)]
#[bench::n(1000)]
fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[library_benchmark(setup = |n| small_numbers(n).iter().map(u32::to_string).collect::<Vec<_>>())]
#[bench::n(300)]
fn parse_integers(texts: Vec<String>) -> u32 {
    texts.iter().filter_map(|text| text.parse::<u32>().ok()).sum()
}

#[library_benchmark(setup = |n| floats(n).iter().map(f64::to_string).collect::<Vec<_>>())]
#[bench::n(100)]
fn parse_floats(texts: Vec<String>) -> f64 {
    texts.iter().filter_map(|text| text.parse::<f64>().ok()).sum()
}

#[library_benchmark(setup = floats)]
#[bench::n(50)]
fn format_floats(numbers: Vec<f64>) -> String {
    let mut text = String::with_capacity(1000);
    numbers.iter().for_each(|number| _ = write!(text, "{number:.3} "));
    text
}

#[library_benchmark(setup = words)]
#[bench::n(200)]
fn debug(words: Vec<String>) -> String {
    format!("{words:?}")
}

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn sort_words(mut words: Vec<String>) -> Vec<String> {
    words.sort_unstable();
    words
}

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn clone_words(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    (words.clone(), words)
}
