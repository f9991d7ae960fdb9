//! Options of the terminal output.

use iai_callgrind_plan as plan;

use super::from_references;

/// Options of the terminal output.
///
/// ```
/// use iai_callgrind::{LibraryBenchmarkConfig, OutputFormat};
///
/// LibraryBenchmarkConfig::default()
///     .output_format(OutputFormat::default().truncate_description(Some(100)));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputFormat(pub(crate) plan::OutputFormat);

impl OutputFormat {
    /// Sets the number of characters of a benchmark's arguments in its title; `None` shows all of them.
    /// The default is 40. Truncated arguments end with `...`.
    pub fn truncate_description(&mut self, value: Option<usize>) -> &mut Self {
        self.0.truncate_description = Some(value.unwrap_or(usize::MAX));
        self
    }

    /// Prints the results of the threads and subprocesses of a benchmark one by one before their total.
    /// The default is `false`.
    pub fn show_intermediate(&mut self, value: bool) -> &mut Self {
        self.0.show_intermediate = Some(value);
        self
    }

    /// Prints the processes of a benchmark as results of their own after the total, each with its comparison and with the limits
    /// of the benchmark. The default is `false`.
    pub fn separate_processes(&mut self, value: bool) -> &mut Self {
        self.0.separate_processes = Some(value);
        self
    }

    /// Starts the lines below a title with a bar instead of spaces. The default is `false`.
    pub fn show_grid(&mut self, value: bool) -> &mut Self {
        self.0.show_grid = Some(value);
        self
    }

    /// Sets the largest difference, in percent of the old value, that is printed as within tolerance. It
    /// does not change limits. By default there is no tolerance.
    pub fn tolerance(&mut self, value: f64) -> &mut Self {
        self.0.tolerance = Some(value.into());
        self
    }
}

from_references!(OutputFormat: &mut OutputFormat);
