//! The options of the output.

use clap::Args;
use iai_callgrind_launch::Shown;
use iai_callgrind_plan::{OutputFormat, Percentage};
use iai_callgrind_render::report::Show;
use iai_callgrind_results::LONGEST_DESCRIPTION;
use iai_callgrind_results::values::{number_in, parse_percentage};

use super::reports::Formats;
use super::switch::YES_OR_NO;
use crate::settings::{Checks, Explain, Processes};

/// The length of explanations.
#[derive(Debug, Clone, Copy, Args)]
pub struct ExplanationLength {
    /// Shorten an explanation to N lines
    #[arg(
        long, value_name = "N", default_value_t = ExplanationLength::default().explain_lines,
        env = "IAI_CALLGRIND_EXPLAIN_LINES", value_parser = number_in(1..=u16::MAX)
    )]
    explain_lines: u16,
}

impl Default for ExplanationLength {
    fn default() -> Self {
        Self { explain_lines: 12 }
    }
}

impl ExplanationLength {
    /// Returns the maximum number of lines.
    pub fn lines(self) -> usize {
        usize::from(self.explain_lines)
    }
}

/// The options of the output.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    #[command(flatten)]
    pub(crate) formats: Formats,

    /// Show what the benchmarks print, or one of the two streams
    #[arg(
        long, alias = "no-capture", value_name = "yes|no|stdout|stderr", num_args = 0..=1,
        require_equals = true, default_value = "no", default_missing_value = "yes",
        env = "IAI_CALLGRIND_NOCAPTURE"
    )]
    pub nocapture: Shown,

    /// Show the values of all benchmarks, of those with a change, or only the end of the output
    ///
    /// A line at the end has the numbers of benchmarks with and without a change.
    #[arg(
        long,
        value_name = "all|changed|summary",
        default_value = "all",
        value_enum,
        hide_possible_values = true,
        env = "IAI_CALLGRIND_SHOW"
    )]
    pub show: Show,

    /// Show only the comparisons of functions that are compared by id
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_SHOW_ONLY_COMPARISON")]
    pub(crate) show_only_comparison: bool,

    /// Explain changes: your functions that account for them, and their kinds
    ///
    /// `auto` explains all changes on a terminal and in markdown, otherwise those that exceed limits. `none` also leaves out the tables that explanations of later runs need.
    #[arg(
        long, value_name = "auto|all|regressions|none", num_args = 0..=1, require_equals = true,
        default_value = "auto", default_missing_value = "all", value_enum,
        hide_possible_values = true, env = "IAI_CALLGRIND_EXPLAIN"
    )]
    pub explain: Explain,

    #[command(flatten)]
    pub(crate) explanation_length: ExplanationLength,

    /// Print notes about [profile.bench] without debug information or with several codegen units, about hash maps with
    /// seeds of addresses, and about functions whose work the compiler removed
    #[arg(long, value_name = YES_OR_NO, default_value = "yes", env = "IAI_CALLGRIND_PROFILE_NOTE")]
    pub profile_note: bool,

    #[command(flatten)]
    pub checks: Checks,

    /// Leave out the last line, the number of benchmarks that ran
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_NOSUMMARY")]
    pub nosummary: bool,

    /// Cut the arguments in a title after N characters, or not at all
    #[arg(
        long, value_name = "N|no", env = "IAI_CALLGRIND_TRUNCATE_DESCRIPTION",
        value_parser = parse_characters
    )]
    truncate_description: Option<usize>,

    /// Show the threads and subprocesses of a benchmark one by one before their total
    #[arg(long, value_name = YES_OR_NO, env = "IAI_CALLGRIND_SHOW_INTERMEDIATE")]
    show_intermediate: Option<bool>,

    /// Show the processes of a benchmark as results of their own after their sum
    ///
    /// Each is compared with the process of the same name, and checked against the limits of the benchmark. Its name
    /// is that of the executable, with a number from the second one on, or a name from the configuration.
    #[arg(
        long,
        value_name = "together|separate",
        env = "IAI_CALLGRIND_PROCESSES",
        value_enum,
        hide_possible_values = true
    )]
    processes: Option<Processes>,

    /// Start the lines below a title with a bar
    #[arg(long, value_name = YES_OR_NO, env = "IAI_CALLGRIND_SHOW_GRID")]
    show_grid: Option<bool>,

    /// Show a difference up to this percentage as (Tolerance)
    ///
    /// Without a number, differences that are too small for the digits. Values, limits and results stay as
    /// they are.
    #[arg(
        long, value_name = "PERCENT", num_args = 0..=1, require_equals = true,
        default_missing_value = "0.00001", env = "IAI_CALLGRIND_TOLERANCE",
        value_parser = parse_percentage
    )]
    tolerance: Option<Percentage>,

    /// Colour the output
    #[arg(long, value_name = "always|never|auto")]
    pub color: Option<clap::ColorChoice>,
}

impl Output {
    /// Returns the options that a benchmark file can configure as well.
    pub fn format(&self) -> OutputFormat {
        OutputFormat {
            truncate_description: self.truncate_description,
            show_intermediate: self.show_intermediate,
            separate_processes: self.processes.map(|processes| processes == Processes::Separate),
            show_grid: self.show_grid,
            tolerance: self.tolerance,
        }
    }
}

/// Parses a number of characters. `no` means all characters, `yes` the default.
fn parse_characters(text: &str) -> Result<usize, &'static str> {
    match text {
        "no" | "false" => Ok(usize::MAX),
        "yes" | "true" => Ok(LONGEST_DESCRIPTION),
        number => number.parse().map_err(|_| "expected a number of characters, or `no`"),
    }
}

#[cfg(test)]
mod tests {
    use crate::bench;

    #[test]
    fn a_tolerance_without_a_number_is_the_smallest_that_can_be_shown() {
        let tolerance = |arguments: &[&str]| bench(arguments).unwrap().output.format().tolerance;
        assert_eq!(tolerance(&[]), None);
        assert_eq!(tolerance(&["--tolerance"]), Some(0.00001.into()));
        assert_eq!(tolerance(&["--tolerance=0.5"]), Some(0.5.into()));
        for wrong in ["--tolerance=-1", "--tolerance=nan", "--tolerance=inf", "--tolerance=5%"] {
            assert!(bench(&[wrong]).is_err(), "{wrong}");
        }
    }
}
