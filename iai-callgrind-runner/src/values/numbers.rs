//! Numbers, in place of which a word can be given.

use std::num::NonZeroUsize;

/// Parses a number greater than 0, or this word, which means another number.
pub(crate) fn parse_number_or(text: &str, word: &str, number: usize) -> Result<usize, String> {
    if text == word {
        return Ok(number);
    }
    let parsed = text.parse().map(NonZeroUsize::get);
    parsed.map_err(|_| format!("expected a number greater than 0, or `{word}`"))
}
