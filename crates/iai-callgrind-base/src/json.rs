//! Files of JSON next to results.

use std::io::ErrorKind;
use std::path::Path;

use iai_callgrind_profile::files;
use serde::de::DeserializeOwned;

use crate::{FileError, MalformedFile};

/// Reads a file that this `writer` writes; `None` if there is none. The `complaint` says what a damaged one is not.
///
/// # Errors
///
/// Returns an error if the file can't be read or is damaged.
pub fn read_json<T: DeserializeOwned>(
    path: &Path,
    writer: &'static str,
    complaint: &'static str,
) -> Result<Option<T>, FileError> {
    let text = match files::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|source| FileError::NoResult { path: path.to_owned(), source })?,
    };
    let malformed = |source: serde_json::Error| FileError::Malformed {
        path: path.to_owned(),
        line: source.line().max(1),
        cause: MalformedFile::OtherJson { complaint, source },
        tool: writer,
    };
    serde_json::from_slice(&text).map(Some).map_err(malformed)
}
