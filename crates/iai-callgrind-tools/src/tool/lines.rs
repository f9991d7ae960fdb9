//! The lines of a tool's file, and errors about them.

use std::borrow::Cow;
use std::path::Path;

use iai_callgrind_base::{FileError, MalformedFile};
use iai_callgrind_profile::{Line, Lines, Malformed};

use crate::{Error, Result};

/// Reads a tool's file line by line and keeps its position.
pub(super) struct ToolLines<'a> {
    tool: &'static str,
    path: &'a Path,
    input: Lines,
}

impl<'a> ToolLines<'a> {
    /// Opens a file of the tool with this name.
    pub(super) fn open(tool: &'static str, path: &'a Path) -> Result<Self> {
        Ok(Self { tool, path, input: Lines::open(path).map_err(Error::io("read", path))? })
    }

    /// Returns the next line without its end; `None` after the last. A truncated line is an error.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        match self.input.next_line().map_err(Error::io("read", self.path))? {
            None => Ok(None),
            Some(Line { text, flaw: None, .. }) => Ok(Some(text)),
            Some(Line { number, flaw: Some(flaw), .. }) => {
                Err(malformed(self.tool, self.path, number, Malformed::Incomplete(flaw)))
            }
        }
    }

    /// Returns the next line as text. Names can be of any encoding.
    pub(super) fn next_text(&mut self) -> Result<Option<Cow<'_, str>>> {
        Ok(self.next()?.map(String::from_utf8_lossy))
    }

    /// Returns the number of the line that was read last, counted from one.
    pub(super) fn number(&self) -> usize {
        self.input.number()
    }

    /// Returns an error about the line that was read last.
    pub(super) fn wrong(&self, cause: impl Into<MalformedFile>) -> Error {
        malformed(self.tool, self.path, self.number(), cause)
    }
}

/// Returns the error of a file that the tool did not write like this.
pub(super) fn malformed(
    tool: &'static str,
    path: &Path,
    line: usize,
    cause: impl Into<MalformedFile>,
) -> Error {
    FileError::Malformed { path: path.to_owned(), line, cause: cause.into(), tool }.into()
}
