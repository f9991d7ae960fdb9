//! The lines of a file one by one, in bounded memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::error::{ProfileError, REMOVE_IT};

/// Longer than any line that callgrind writes; whole symbol names of C++ may fill some hundred KB
const LONGEST_LINE: usize = 16 << 20;

/// Reads a file line by line and knows where it is
pub(super) struct Lines {
    path: PathBuf,
    input: BufReader<File>,
    buffer: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ProfileError> {
        let file = File::open(path).map_err(ProfileError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 16, file),
            buffer: Vec::new(),
            number: 0,
        })
    }

    /// The next line without its end; `None` after the last
    ///
    /// A last line without an end is an error, for a number in it may lack digits.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ProfileError> {
        self.buffer.clear();
        (&mut self.input)
            .take(LONGEST_LINE as u64)
            .read_until(b'\n', &mut self.buffer)
            .map_err(ProfileError::io(&self.path))?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.buffer.last() != Some(&b'\n') {
            let what = if self.buffer.len() < LONGEST_LINE {
                "the file ends in the middle of this line"
            } else {
                "this line is longer than 16 MiB"
            };
            return Err(self.error(format!("{what}: {REMOVE_IT}")));
        }
        self.buffer.pop();
        Ok(Some(&self.buffer))
    }

    /// The number of the line that was read last, counted from one
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// An error in the line that was read last
    pub(super) fn error(&self, message: impl Into<String>) -> ProfileError {
        ProfileError::malformed(&self.path, self.number.max(1), message)
    }
}
