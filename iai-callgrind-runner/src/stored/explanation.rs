//! `explain`: explanations of the differences of stored results.

use std::process::ExitCode;

use iai_callgrind_explain::Verdict;
use iai_callgrind_plan::metric::MetricKind;

use super::benchmarks::{StoredBenchmark, find_benchmarks};
use crate::cli::ExplainArgs;
use crate::error::{Error, Result};
use crate::explanation::{Explanation, StoredTable, explain};
use crate::output::Slot;
use crate::report::print_explanations;
use crate::settings::Mode;
use crate::tool::{TABLE, TOOLS, Tool};

pub(super) fn run(options: &ExplainArgs) -> Result<ExitCode> {
    let new = options.load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?;
    let mode = Mode { run: false, new, old: Slot::parse(&options.base)? };
    let selected = find_benchmarks(options.home.path(), &options.filters)?;
    for slot in [&mode.new, &mode.old] {
        selected.require(slot)?;
    }
    let (mut explanations, mut equal, mut errors) = (Vec::new(), 0, Vec::new());
    for benchmark in &selected.benchmarks {
        for tool in TOOLS.into_iter().filter(|tool| tool.extras.contains(&TABLE)) {
            let (old, new) = match counts(tool, benchmark, &mode) {
                Ok(Some(counts)) => counts,
                Ok(None) => continue,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            match explain_stored(tool, benchmark, &mode, old, new) {
                Ok(difference) if difference.verdict == Verdict::Equal => equal += 1,
                explanation => explanations.push((benchmark.name(), explanation)),
            }
        }
    }
    print_explanations(&explanations, equal)?;
    Error::all(errors).map(|()| ExitCode::SUCCESS)
}

/// Returns the instructions of both results of a tool; `None` if one is missing.
fn counts(tool: &Tool, benchmark: &StoredBenchmark, mode: &Mode) -> Result<Option<(u64, u64)>> {
    let count = |slot| -> Result<Option<u64>> {
        let result = benchmark.read(tool, slot, &[MetricKind::Ir])?;
        Ok(result.and_then(|result| result.total.count(MetricKind::Ir)))
    };
    Ok(count(&mode.old)?.zip(count(&mode.new)?))
}

/// Explains the difference of two results of a tool with these instructions.
pub(super) fn explain_stored(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    mode: &Mode,
    old: u64,
    new: u64,
) -> Explanation {
    let table = |slot| StoredTable::read(&benchmark.files, tool, slot);
    explain((&table(&mode.old), old), (&table(&mode.new), new), None)
}
