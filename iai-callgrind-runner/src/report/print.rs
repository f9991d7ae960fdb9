//! Prints results of commands to the standard output.

use std::io::{self, Write};

use iai_callgrind_base::console;

use crate::error::{Error, Result};

/// Prints what a function writes.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut output = console::stdout();
    Error::of_output(write(&mut output).and_then(|()| output.flush()))
}
