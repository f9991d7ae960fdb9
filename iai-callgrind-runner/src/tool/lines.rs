//! The lines of a tool's file, and what an error says that is about one of them.

use std::borrow::Cow;
use std::path::Path;

use super::Tool;
use crate::error::{Error, Result};
use crate::lines::{self, Line};

/// Reads a tool's file line by line and knows where it is.
pub(super) struct Lines<'a> {
    tool: &'static Tool,
    path: &'a Path,
    input: lines::Lines,
}

impl<'a> Lines<'a> {
    pub(super) fn open(tool: &'static Tool, path: &'a Path) -> Result<Self> {
        let input = lines::Lines::open(path).map_err(Error::io("read", path))?;
        Ok(Self { tool, path, input })
    }

    /// The next line without its end; `None` after the last. What is no whole line is an error.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        match self.input.next().map_err(Error::io("read", self.path))? {
            None => Ok(None),
            Some(Line { text, flaw: None, .. }) => Ok(Some(text)),
            Some(Line { number, flaw: Some(flaw), .. }) => {
                Err(malformed(self.tool, self.path, number, flaw))
            }
        }
    }

    /// The same as text, which can hold names of any encoding.
    pub(super) fn next_text(&mut self) -> Result<Option<Cow<'_, str>>> {
        Ok(self.next()?.map(String::from_utf8_lossy))
    }

    /// The number of the line that was read last, counted from one.
    pub(super) fn number(&self) -> usize {
        self.input.number()
    }

    /// What is wrong with the line that was read last.
    pub(super) fn wrong(&self, what: impl Into<String>) -> Error {
        malformed(self.tool, self.path, self.number(), what)
    }
}

/// The error of a file that is not what the tool writes.
pub(super) fn malformed(tool: &Tool, path: &Path, line: usize, what: impl Into<String>) -> Error {
    Error::Malformed { path: path.to_owned(), line, what: what.into(), tool: tool.name }
}
