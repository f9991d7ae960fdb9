//! The list of broken limits at the end of the output.

use std::io::{self, Write};

use iai_callgrind_base::console::style::PATH;
use iai_callgrind_compare::Regression;

use super::print::print_text;
use crate::error::Result;

/// Prints the limits that stored results exceed, below the names of the benchmarks. Explanations can follow.
pub fn print_regressions(regressions: &[(String, Vec<Regression>)]) -> Result<()> {
    if regressions.is_empty() {
        return Ok(());
    }
    print_text(|output| {
        write_regressions(output, regressions)?;
        writeln!(output)
    })
}

/// Writes the limits that benchmarks exceed, below their names. No line looks like the title of a benchmark.
pub(super) fn write_regressions(
    output: &mut dyn Write,
    regressions: &[(String, Vec<Regression>)],
) -> io::Result<()> {
    if regressions.is_empty() {
        return Ok(());
    }
    writeln!(output, "\nRegressions:")?;
    for (title, regressions) in regressions {
        writeln!(output, "\n  {PATH}{title}{PATH:#}")?;
        for regression in regressions {
            writeln!(output, "    {regression}")?;
        }
    }
    Ok(())
}
