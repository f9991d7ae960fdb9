//! Results of benchmarks: the measurement of a run under one tool, and its comparison with an old one.

use iai_callgrind_plan::metric::Metrics;

use crate::benchmark::Benchmark;
use crate::compare::Regression;
use crate::error::{Error, Result};
use crate::explanation::Explanation;
use crate::failure::Failure;
use crate::growth::Growth;
use crate::options::ToolOptions;
use crate::tool::Measurement;

/// Identifies a result within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RunId {
    /// The index of the benchmark.
    pub(crate) benchmark: usize,
    /// The index of the tool among those of the benchmark.
    pub(crate) tool: usize,
    /// The index of the run under this tool, see [`Samples`](crate::samples::Samples).
    pub(crate) sample: usize,
}

/// The outcome of a run of a benchmark under one tool.
pub(crate) type Outcome = Result<Measurement>;

/// The result of a run of a benchmark under one tool. Only that of the stored run is compared.
#[derive(Debug)]
pub(crate) struct RunResult {
    pub(crate) id: RunId,
    pub(crate) new: Measurement,
    /// The stored measurement that it is compared with.
    pub(crate) old: Option<Measurement>,
    /// The limits that it exceeds.
    pub(crate) regressions: Vec<Regression>,
    /// The explanation of its difference from the old one, if it is asked for.
    pub(crate) explanation: Option<Explanation>,
}

/// The totals of a benchmark, by the names of its tools.
pub(crate) type Totals = Vec<(&'static str, Metrics)>;

/// The results of a benchmark that did not fail under all of its tools.
pub(crate) struct BenchmarkResult<'a> {
    pub(crate) benchmark: &'a Benchmark,
    /// The results of each tool that did not fail, one tool after the other, the stored run first.
    pub(crate) results: &'a [RunResult],
    /// The errors of the tools that failed.
    pub(crate) failures: &'a [Error],
    /// The earlier benchmarks of its group that it is compared with.
    pub(crate) comparisons: Vec<(&'a Benchmark, &'a Totals)>,
    /// The growth of the curve that ends with the benchmark.
    pub(crate) growth: Option<&'a Growth>,
}

/// The results of a benchmark under one tool.
#[derive(Clone, Copy)]
pub(crate) struct ToolResult<'a> {
    pub(crate) options: &'a ToolOptions,
    /// The result that is stored.
    pub(crate) stored: &'a RunResult,
    /// The results of all runs, the stored one first.
    pub(crate) samples: &'a [RunResult],
}

impl<'a> BenchmarkResult<'a> {
    /// Returns the results tool by tool.
    pub(crate) fn tools(&self) -> impl Iterator<Item = ToolResult<'a>> + use<'a> {
        let tools = &self.benchmark.options.tools;
        let chunks = self.results.chunk_by(|left, right| left.id.tool == right.id.tool);
        chunks.map(|samples| ToolResult {
            options: &tools[samples[0].id.tool],
            stored: &samples[0],
            samples,
        })
    }

    /// Returns the errors of the benchmark: of the tools that failed, then of those that found errors.
    pub(crate) fn errors(&self) -> Vec<String> {
        let failures = self.failures.iter().map(ToString::to_string);
        let found = self.tools().filter_map(|tool| tool.error()).map(|error| error.to_string());
        failures.chain(found).collect()
    }

    /// Returns the limits that the benchmark exceeds.
    pub(crate) fn regressions(&self) -> impl Iterator<Item = &'a Regression> + use<'a> {
        self.results.iter().flat_map(|result| &result.regressions)
    }
}

impl ToolResult<'_> {
    /// Returns the report of the tool in the first run with errors that fail the benchmark.
    fn error(&self) -> Option<Error> {
        let report = self.samples.iter().find_map(|sample| sample.new.errors.clone())?;
        let tool = self.options.tool.name;
        Some(Error::from(Failure::ToolErrors { tool }).with_output(vec![(tool, report)]))
    }
}
