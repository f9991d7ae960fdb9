//! Results of benchmarks: the measurements under each tool, compared with old ones.

mod processes;

use std::iter;

use iai_callgrind_base::console::indented;
use iai_callgrind_compare::Regression;
use iai_callgrind_explain::MachineValue;
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_tools::tool::{Measurement, ToolFailure};

pub use self::processes::{ProcessResult, compare_processes};
use crate::benchmark::Benchmark;
use crate::explanation::Explanation;
use crate::growth::Growth;
use crate::options::ToolOptions;

/// Identifies a result within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId {
    /// The index of the benchmark.
    pub benchmark: usize,
    /// The index of the tool among those of the benchmark.
    pub tool: usize,
    /// The index of the run under this tool, see [`Samples`](crate::Samples).
    pub sample: usize,
}

/// The totals of a benchmark, by the names of its tools.
pub type Totals = Vec<(&'static str, Metrics)>;

/// The results of a benchmark that did not fail under all of its tools.
pub struct BenchmarkResult<'a> {
    /// The benchmark.
    pub benchmark: &'a Benchmark,
    /// The results of the tools that did not fail.
    pub tools: Vec<ToolResult<'a>>,
    /// The errors of the tools that failed.
    pub failures: Vec<String>,
    /// The earlier benchmarks of its group that it is compared with.
    pub comparisons: Vec<(&'a Benchmark, &'a Totals)>,
    /// The growth of the curve that ends with the benchmark.
    pub growth: Option<Growth>,
}

/// The result of a benchmark under one tool.
#[derive(Debug)]
pub struct ToolResult<'a> {
    /// The tool with its options.
    pub options: &'a ToolOptions,
    /// The measurement of the run that is stored.
    pub new: Measurement,
    /// The measurements of the other runs.
    pub others: Vec<Measurement>,
    /// The old measurement.
    pub old: Option<Measurement>,
    /// The limits that the new one exceeds.
    pub regressions: Vec<Regression>,
    /// The processes, if each is a result of its own.
    pub processes: Vec<ProcessResult>,
    /// The explanation of the difference, if requested.
    pub explanation: Option<Explanation>,
    /// The values of the machine that the same code asked for, if its count differs from the old
    /// result or another run.
    pub varies_with: Vec<&'static MachineValue>,
}

/// The smallest, middle and largest value of a metric in several runs, with mean and standard deviation.
pub struct Spread {
    /// The smallest value.
    pub minimum: Value,
    /// The median; for an even number of values the smaller one of the two in the middle.
    pub median: Value,
    /// The largest value.
    pub maximum: Value,
    /// The mean of all values.
    pub mean: f64,
    /// Standard deviation of the sample, an estimate for all possible runs.
    pub deviation: f64,
}

impl<'a> BenchmarkResult<'a> {
    /// Returns the errors of the benchmark: of failed tools, then of tools that found errors.
    pub fn errors(&self) -> Vec<String> {
        let found = self.tools.iter().filter_map(ToolResult::error);
        self.failures.iter().cloned().chain(found).collect()
    }

    /// Returns the text that the benchmark sets about itself.
    pub fn label(&self) -> Option<&str> {
        self.tools.iter().find_map(|tool| tool.new.label.as_deref())
    }

    /// Returns the limits that the benchmark exceeds.
    pub fn regressions(&self) -> impl Iterator<Item = &Regression> {
        self.tools.iter().flat_map(|tool| &tool.regressions)
    }

    /// Returns the processes that are results of their own.
    pub fn processes(&self) -> impl Iterator<Item = &ProcessResult> {
        self.tools.iter().flat_map(|tool| &tool.processes)
    }

    /// Returns `true` if the benchmark or one of these processes exceeds a limit.
    pub fn has_regressed(&self) -> bool {
        let mut of_processes = self.processes().flat_map(|process| &process.regressions);
        self.regressions().next().is_some() || of_processes.next().is_some()
    }

    /// Returns the totals of the benchmark.
    pub fn totals(&self) -> Totals {
        self.tools.iter().map(|tool| (tool.options.tool.name, tool.new.total.clone())).collect()
    }

    /// Returns the results, each with the total of another benchmark under the same tool.
    pub fn compared_with<'s>(
        &'s self,
        totals: &'s Totals,
    ) -> impl Iterator<Item = (&'s ToolResult<'a>, &'s Metrics)> {
        self.tools.iter().filter_map(|this| {
            let (_, total) = totals.iter().find(|(tool, _)| *tool == this.options.tool.name)?;
            Some((this, total))
        })
    }
}

impl ToolResult<'_> {
    /// Returns the measurements of all runs.
    pub fn runs(&self) -> impl Iterator<Item = &Measurement> {
        iter::once(&self.new).chain(&self.others)
    }

    /// Returns the spread of a metric, or `None` with one run or without a value.
    pub fn spread(&self, kind: MetricKind) -> Option<Spread> {
        if self.others.is_empty() {
            return None;
        }
        let mut values: Vec<_> = self.runs().filter_map(|run| run.total.get(kind)).collect();
        values.sort_unstable_by(Value::total_cmp);
        let (minimum, maximum) = (*values.first()?, *values.last()?);
        let median = values[(values.len() - 1) / 2];
        let (mean, deviation) = mean_and_deviation(&values);
        Some(Spread { minimum, median, maximum, mean, deviation })
    }

    /// Returns the report of the tool in the first run with errors that fail the benchmark.
    fn error(&self) -> Option<String> {
        let report = self.runs().find_map(|run| run.errors.clone())?;
        let tool = self.options.tool.name;
        Some(format!("{}{}", ToolFailure::ToolErrors { tool }, indented(&[(tool, report)])))
    }
}

/// Returns the mean of values and their standard deviation; zero for a single value.
fn mean_and_deviation(values: &[Value]) -> (f64, f64) {
    let number = values.len() as f64;
    let mean = values.iter().map(|value| value.as_f64()).sum::<f64>() / number;
    let squares = values.iter().map(|value| (value.as_f64() - mean).powi(2)).sum::<f64>();
    (mean, (squares / (number - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let values = [2, 4, 4, 4, 5, 5, 7, 9].map(Value::Count);
        let (mean, deviation) = mean_and_deviation(&values);
        assert!((mean - 5.0).abs() < 1e-12 && (deviation - 2.138_089_935).abs() < 1e-9);
        assert_eq!(mean_and_deviation(&[Value::Count(7)]), (7.0, 0.0));
    }
}
