//! The positions that start a cost line: absolute, or relative to those of the last line with self cost.
//!
//! Callgrind writes the cost line of a call or jump relative to the last line with self cost, and the next
//! line as well. For Valgrind's manual and `callgrind_annotate`, a position is relative to the last cost
//! line of any kind. Merged profiles have absolute positions, which all readers agree on.

use crate::malformed::Malformed;
use crate::words::{number, quote, words};

/// The positions of the current line of a body.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    /// True for a column of addresses, and the value in the last line with self cost.
    columns: Vec<(bool, u64)>,
}

impl Positions {
    /// Starts with the next body, which has these columns.
    pub(crate) fn start(&mut self, columns: &[String]) {
        self.columns = columns.iter().map(|column| (column == "instr", 0)).collect();
    }

    /// Returns the number of columns.
    pub(crate) fn count(&self) -> usize {
        self.columns.len()
    }

    /// Makes the positions of a line with self cost absolute. The next ones are relative to it.
    pub(crate) fn self_cost(&mut self, line: &[u8]) -> Result<Vec<u8>, Malformed> {
        let (text, values) = self.absolute(line, 0)?;
        for ((_, last), value) in self.columns.iter_mut().zip(values) {
            *last = value;
        }
        Ok(text)
    }

    /// Makes the positions of the cost line of a call or jump absolute.
    pub(crate) fn call_cost(&self, line: &[u8]) -> Result<Vec<u8>, Malformed> {
        self.target(line, 0)
    }

    /// Makes the positions of a target, which follows other words, absolute.
    pub(crate) fn target(&self, line: &[u8], before: usize) -> Result<Vec<u8>, Malformed> {
        self.absolute(line, before).map(|(text, _)| text)
    }

    /// Returns the line with absolute positions from the word `first` on, and these positions.
    fn absolute(&self, line: &[u8], first: usize) -> Result<(Vec<u8>, Vec<u64>), Malformed> {
        let (mut text, mut values) = (Vec::with_capacity(line.len() + 16), Vec::new());
        for (index, word) in words(line).enumerate() {
            let column = index.checked_sub(first).and_then(|index| self.columns.get(index));
            if let Some((is_address, last)) = column {
                let value =
                    resolve(word, *last).ok_or_else(|| Malformed::NotAPosition(quote(word)))?;
                values.push(value);
                let value = if *is_address { format!("0x{value:x}") } else { value.to_string() };
                text.extend_from_slice(value.as_bytes());
            } else {
                text.extend_from_slice(word);
            }
            text.push(b' ');
        }
        text.pop();
        if values.len() < self.columns.len() {
            return Err(Malformed::NoPosition(quote(line)));
        }
        Ok((text, values))
    }
}

/// Returns the value of a position after one with the value `last`.
pub(crate) fn resolve(word: &[u8], last: u64) -> Option<u64> {
    match word.split_first()? {
        (b'*', []) => Some(last),
        (b'+', difference) => last.checked_add(position(difference)?),
        (b'-', difference) => last.checked_sub(position(difference)?),
        _ => position(word),
    }
}

/// Parses the number of a position, which is hexadecimal after `0x`.
fn position(word: &[u8]) -> Option<u64> {
    let Some(digits) = word.strip_prefix(b"0x") else { return number(word) };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits
        .iter()
        .try_fold(0, |value, digit| Some(value << 4 | u64::from(char::from(*digit).to_digit(16)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(columns: &[&str]) -> Positions {
        let mut positions = Positions::default();
        positions.start(&columns.iter().map(ToString::to_string).collect::<Vec<_>>());
        positions
    }

    #[test]
    fn relative_to_the_last_line_with_self_cost() {
        let mut positions = positions(&["instr", "line"]);
        assert_eq!(positions.self_cost(b"0x10 7 5 6").unwrap(), b"0x10 7 5 6");
        assert_eq!(positions.target(b"calls=2 +4 *", 1).unwrap(), b"calls=2 0x14 7");
        assert_eq!(positions.call_cost(b"+2 +1 9").unwrap(), b"0x12 8 9");
        assert_eq!(positions.self_cost(b"+3 -2 1").unwrap(), b"0x13 5 1");
        assert_eq!(positions.self_cost(b"* +1").unwrap(), b"0x13 6");
    }

    #[test]
    fn errors() {
        for line in ["", "-1 5", "+x", "0x", "99999999999999999999", "+18446744073709551615"] {
            let mut positions = positions(&["line"]);
            positions.self_cost(b"1").unwrap();
            let line = if line == "-1 5" { "-2 5" } else { line };
            assert!(positions.self_cost(line.as_bytes()).is_err(), "{line}");
        }
    }
}
