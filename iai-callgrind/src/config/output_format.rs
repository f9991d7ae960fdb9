//! How results are printed.

use iai_callgrind_plan as plan;

use super::from_references;

/// How results are printed on the terminal.
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
    /// How many characters of a benchmark's arguments its title shows; all of them for `None`. The
    /// default is 40. What is cut ends with `...`.
    pub fn truncate_description(&mut self, value: Option<usize>) -> &mut Self {
        self.0.truncate_description = Some(value.unwrap_or(usize::MAX));
        self
    }

    /// Whether the results of the threads and subprocesses of a benchmark are printed one by one before
    /// their total. The default is `false`.
    pub fn show_intermediate(&mut self, value: bool) -> &mut Self {
        self.0.show_intermediate = Some(value);
        self
    }

    /// The difference, in percent of the old value, up to which two values are printed as within
    /// tolerance. Limits don't depend on it. By default there is none.
    pub fn tolerance(&mut self, value: f64) -> &mut Self {
        self.0.tolerance = Some(value.to_string());
        self
    }
}

from_references!(OutputFormat: &mut OutputFormat);
