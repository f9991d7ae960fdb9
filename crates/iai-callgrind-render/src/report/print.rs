//! Prints results of commands to the standard output.

use std::io::{self, Write};
use std::path::{self, Path};

use iai_callgrind_base::{FileError, console};

use crate::error::Result;
use crate::format::{ReportFile, Reports, TextForm};

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

/// Prints the paths of report files that a run wrote, if a person reads the output: cargo runs benchmarks in the directory of
/// the package, which need not be that of the user. Pages have a note of their own.
pub fn print_written(reports: &Reports) -> Result<()> {
    if reports.on_stdout.is_some() || reports.text_form != TextForm::Lines {
        return Ok(());
    }
    let Reports { in_files, pages, .. } = reports;
    let is_of_pages = |path: &Path| pages.iter().any(|directory| path.starts_with(directory));
    let mut written = in_files.iter().filter(|file| !is_of_pages(&file.path));
    print_text(|output| {
        written.try_for_each(|ReportFile { format, path }| {
            let path = path::absolute(path).unwrap_or_else(|_| path.clone());
            let path = path.to_string_lossy();
            writeln!(output, "wrote the {} report: {}", format.name, console::one_line(&path))
        })
    })
}
