//! Filters of benchmarks by name.

use std::ops::RangeInclusive;

/// Returns true if the pattern selects the benchmark with this name: `file::group::function::id`.
///
/// A pattern with `*`, any characters, `?`, one character, or a class, one of several characters, must
/// match the whole name. Any other pattern selects the names that contain it. `[abc]` and `[a-c]` are
/// classes, and `[!a-c]` is any character but these. A `[` without a `]` is a character like any other.
///
/// ```
/// use iai_callgrind_plan::filter::selects;
///
/// assert!(selects("fibonacci", "my_benchmark::group::bench_fibonacci::short"));
/// assert!(selects("*::bench_*::short", "my_benchmark::group::bench_fibonacci::short"));
/// assert!(selects("*::size_[1-3]", "my_benchmark::group::sort::size_2"));
/// assert!(!selects("bench_*", "my_benchmark::group::bench_fibonacci::short"));
/// ```
#[must_use]
pub fn selects(pattern: &str, name: &str) -> bool {
    let tokens = tokens(pattern, true);
    if tokens.iter().any(|token| !matches!(token, Token::Character(_))) {
        matches(&tokens, &name.chars().collect::<Vec<_>>())
    } else {
        name.contains(pattern)
    }
}

/// Returns true if the whole name matches the pattern: `*` matches any characters, `?` one. There are no
/// classes, because names of functions contain brackets.
#[must_use]
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    matches(&tokens(pattern, false), &name.chars().collect::<Vec<_>>())
}

/// Part of a pattern.
enum Token {
    /// `*`
    Any,
    /// `?`
    One,
    /// `[a-c]`
    Class {
        /// `[!a-c]`
        is_negated: bool,
        ranges: Vec<RangeInclusive<char>>,
    },
    /// Any other character.
    Character(char),
}

impl Token {
    /// Returns true if the token matches this character.
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|range| range.contains(&character)) != *is_negated
            }
            Self::Character(expected) => *expected == character,
        }
    }
}

fn tokens(pattern: &str, with_classes: bool) -> Vec<Token> {
    let mut rest: &[char] = &pattern.chars().collect::<Vec<_>>();
    let mut tokens = Vec::with_capacity(rest.len());
    while let [first, others @ ..] = rest {
        rest = others;
        tokens.push(match first {
            '*' => Token::Any,
            '?' => Token::One,
            '[' if with_classes => match class(others) {
                Some((class, after)) => {
                    rest = after;
                    class
                }
                None => Token::Character('['),
            },
            other => Token::Character(*other),
        });
    }
    tokens
}

/// Parses a class after its `[`. The first character is never the closing bracket.
fn class(text: &[char]) -> Option<(Token, &[char])> {
    let (is_negated, text) = match text {
        ['!', text @ ..] => (true, text),
        text => (false, text),
    };
    let end = 1 + text.iter().skip(1).position(|&character| character == ']')?;
    let (mut members, after) = (&text[..end], &text[end + 1..]);
    let mut ranges = Vec::new();
    while let [first, others @ ..] = members {
        let (last, others) = match others {
            ['-', last, others @ ..] => (last, others),
            others => (first, others),
        };
        ranges.push(*first..=*last);
        members = others;
    }
    Some((Token::Class { is_negated, ranges }, after))
}

/// Matches from the left. At a mismatch the last `*` takes another character; an earlier one never has to,
/// because the last one can take the rest.
fn matches(pattern: &[Token], name: &[char]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut last_star = None;
    while position < name.len() {
        match pattern.get(at) {
            Some(Token::Any) => {
                last_star = Some((at, position));
                at += 1;
            }
            Some(token) if token.matches(name[position]) => {
                at += 1;
                position += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                (at, position) = (star + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|rest| matches!(rest, Token::Any))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_wildcards_is_a_part_of_the_name() {
        assert!(selects("", "a::b::c"));
        assert!(selects("b::c", "a::b::c"));
        assert!(!selects("b::d", "a::b::c"));
    }

    #[test]
    fn a_pattern_matches_the_whole_name() {
        for pattern in ["*", "a*", "*c", "a::?::c", "a*b*c", "*::*", "a::b::c*", "**c", "?*?"] {
            assert!(selects(pattern, "a::b::c"), "{pattern}");
        }
        for pattern in ["?", "b*", "*b", "a::??::c", "*c*d", "a::b::c?"] {
            assert!(!selects(pattern, "a::b::c"), "{pattern}");
        }
        assert!(selects("*größer?", "a::größer1"));
    }

    #[test]
    fn a_class_matches_one_character() {
        for pattern in [
            "*_[12]",
            "*_[1-3]",
            "*_[a2]",
            "*_[!13-9]",
            "[a-c]::size_2",
            "*[_]?",
            "*_[-2]",
            "*_[]2]",
        ] {
            assert!(selects(pattern, "a::size_2"), "{pattern}");
        }
        for pattern in ["*_[13]", "*_[3-9]", "*_[!1-3]", "size_[2]", "*_[3-1]", "*[2-"] {
            assert!(!selects(pattern, "a::size_2"), "{pattern}");
        }
        assert!(selects("[1", "a::[1"), "a bracket that is not closed is a part of the name");
        assert!(!matches_pattern("[ab]", "a"), "functions have brackets in their names");
        assert!(matches_pattern("<[u8]>::*", "<[u8]>::len"));
    }

    #[test]
    fn many_stars_match_in_short_time() {
        assert!(!selects(&format!("{}b", "a*".repeat(50)), &"a".repeat(10_000)));
    }
}
