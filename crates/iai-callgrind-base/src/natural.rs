//! Natural order of names: `lines_16` comes before `lines_128`.

use std::cmp::Ordering;
use std::str::Chars;

/// A name in natural order: numbers in it compare by their values, everything else by its
/// characters.
#[derive(Debug, Clone, Copy)]
pub struct Natural<T>(pub T);

impl<T: AsRef<str>> Ord for Natural<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, other) = (self.0.as_ref(), other.0.as_ref());
        // Only equal names are equal: `a01` differs from `a1`
        parts(one).cmp(parts(other)).then_with(|| one.cmp(other))
    }
}

impl<T: AsRef<str>> PartialOrd for Natural<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: AsRef<str>> PartialEq for Natural<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref() == other.0.as_ref()
    }
}

impl<T: AsRef<str>> Eq for Natural<T> {}

/// A part of a name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    /// A number: its length without leading zeros, and its digits.
    Number(usize, &'a str),
    Character(char),
}

/// Returns the numbers and the other characters of a name.
fn parts(name: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = name.chars();
    std::iter::from_fn(move || {
        let text = rest.as_str();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        if end == 0 {
            return Chars::next(&mut rest).map(Part::Character);
        }
        rest = text[end..].chars();
        let digits = text[..end].trim_start_matches('0');
        Some(Part::Number(digits.len(), digits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_by_their_values() {
        let sorted = [
            "0",
            "1",
            "9a",
            "10",
            "18446744073709551616000",
            "lines",
            "lines_0016",
            "lines_16",
            "lines_16::a",
            "lines_128",
            "v1.9",
            "v1.10",
            "ä2",
            "ä10",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by_key(|name| Natural(*name));
        assert_eq!(names, sorted);
        assert_ne!(Natural("a1"), Natural("a01"));
    }
}
