//! Reads files whose length the kernel does not say.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More than nearly all of these files have. [`std::fs::read_to_string`] starts with a few bytes, and reads many times.
const CAPACITY: usize = 4096;

/// Reads a file of the kernel.
pub(crate) fn read(path: impl AsRef<Path>) -> io::Result<String> {
    let mut text = String::with_capacity(CAPACITY);
    File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
