//! The lines of a profile.

use std::path::{Path, PathBuf};

use super::error::{ProfileError, REMOVE_IT};
use crate::lines;

/// Reads a profile line by line and knows where it is
pub(super) struct Lines {
    path: PathBuf,
    lines: lines::Lines,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ProfileError> {
        let lines = lines::Lines::open(path).map_err(ProfileError::io(path))?;
        Ok(Self { path: path.to_owned(), lines })
    }

    /// The next line without its end; `None` after the last
    ///
    /// What is no whole line is an error.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ProfileError> {
        match self.lines.next().map_err(ProfileError::io(&self.path))? {
            None => Ok(None),
            Some(lines::Line { text, flaw: None, .. }) => Ok(Some(text)),
            Some(lines::Line { number, flaw: Some(flaw), .. }) => {
                let message = format!("{flaw}: {REMOVE_IT}");
                Err(ProfileError::malformed(&self.path, number as u64, message))
            }
        }
    }

    /// The number of the line that was read last, counted from one
    pub(super) fn number(&self) -> u64 {
        self.lines.number() as u64
    }

    /// An error in the line that was read last
    pub(super) fn error(&self, message: impl Into<String>) -> ProfileError {
        ProfileError::malformed(&self.path, self.number(), message)
    }
}
