//! The lines of a file one by one, in bounded memory.

use crate::files;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Maximum length of a line. Symbol names of C++ can have some hundred KB.
const LONGEST: usize = 16 << 20;

/// Number of characters of a line that an error shows.
const LONGEST_QUOTE: usize = 60;

/// Reads a file line by line and keeps its position.
#[derive(Debug)]
pub struct Lines<R = BufReader<File>> {
    input: R,
    buffer: Vec<u8>,
    number: usize,
}

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number of the line, counted from one.
    pub number: usize,
    /// Text of the line.
    pub text: &'a [u8],
    /// Reason why the line is not complete. A number in it may lack digits.
    pub flaw: Option<&'static str>,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        open(path).map(Self::new)
    }
}

/// Opens a file to read its lines.
pub(crate) fn open(path: &Path) -> io::Result<BufReader<File>> {
    Ok(BufReader::with_capacity(1 << 16, files::open(path)?))
}

impl<R: BufRead> Lines<R> {
    /// Reads an input from where it is.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// Returns the next line; `None` after the last.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut self.buffer)?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let flaw = if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
            None
        } else if self.buffer.len() < LONGEST {
            Some("the file ends in the middle of this line")
        } else {
            Some("this line is longer than 16 MiB")
        };
        Ok(Some(Line { number: self.number, text: &self.buffer, flaw }))
    }

    /// Returns the number of the line that was read last, counted from one; one for an empty file.
    pub fn number(&self) -> usize {
        self.number.max(1)
    }
}

/// Quotes text from a file in an error, readable and short.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    let start = &text[..text.len().min(4 * LONGEST_QUOTE)];
    let start = String::from_utf8_lossy(start);
    let mut quoted: String = start.escape_debug().take(LONGEST_QUOTE).collect();
    if text.len() > LONGEST_QUOTE {
        quoted.push_str("...");
    }
    format!("`{quoted}`")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_and_what_is_wrong_with_them() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut content = b"one\r\n\n".to_vec();
        content.resize(content.len() + LONGEST + 1, b'x');
        fs::write(&file, content).unwrap();
        let mut lines = Lines::open(file.path()).unwrap();
        assert_eq!(lines.number(), 1);
        let mut next = || {
            let line = lines.next_line().unwrap();
            let line = line.map(|line| (line.text.len(), line.flaw.unwrap_or_default()));
            (line, lines.number())
        };
        assert_eq!(next(), (Some((4, "")), 1));
        assert_eq!(next(), (Some((0, "")), 2));
        assert_eq!(next(), (Some((LONGEST, "this line is longer than 16 MiB")), 3));
        assert_eq!(next(), (Some((1, "the file ends in the middle of this line")), 4));
        assert_eq!(next(), (None, 4));
    }

    #[test]
    fn quoted_garbage_stays_short() {
        assert_eq!(quote(b"a\x1b\xff"), "`a\\u{1b}\u{fffd}`");
        assert!(quote([b'x'; 1000]).len() < 80);
    }
}
