//! Prints results of commands to the standard output.

use std::io::{self, Write};

use iai_callgrind_base::{FileError, console};

use crate::error::Result;

/// Prints what a function writes.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut output = console::stdout();
    Ok(FileError::of_output(write(&mut output).and_then(|()| output.flush()))?)
}

/// Prints text that a function writes, with lines that wrap between words on a terminal.
pub fn print_text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut output = console::stdout().wrapped_at(console::stdout_width);
    Ok(FileError::of_output(write(&mut output).and_then(|()| output.flush()))?)
}
