//! `explain`: explanations of the differences of stored results.

use std::process::ExitCode;

use iai_callgrind_explain::Verdict;

use super::benchmarks::{StoredBenchmark, find_benchmarks};
use crate::cli::ExplainArgs;
use crate::error::Result;
use crate::explanation::{Explanation, explain, stored_table};
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
    let (mut explanations, mut equal) = (Vec::new(), 0);
    for benchmark in &selected.benchmarks {
        for tool in TOOLS {
            match explain_stored(tool, benchmark, &mode)? {
                Some(Ok(difference)) if difference.verdict == Verdict::Equal => equal += 1,
                Some(explanation) => explanations.push((benchmark.name(), explanation)),
                None => {}
            }
        }
    }
    print_explanations(&explanations, equal)?;
    Ok(ExitCode::SUCCESS)
}

/// Explains the difference of two results of a tool; `None` if one is missing, or if the tool has no tables.
pub(super) fn explain_stored(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    mode: &Mode,
) -> Result<Option<Explanation>> {
    let files = &benchmark.files;
    let is_missing = |slot| files.find_result(tool, slot).is_none();
    if !tool.extras.contains(&TABLE) || is_missing(&mode.new) || is_missing(&mode.old) {
        return Ok(None);
    }
    let table = |slot| stored_table(files, tool, slot);
    Ok(Some(explain(&table(&mode.old)?, &table(&mode.new)?, None)))
}
