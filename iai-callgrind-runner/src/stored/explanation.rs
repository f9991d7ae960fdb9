//! `explain`: explanations of the differences of stored results.

use std::env;
use std::io::Write as _;

use iai_callgrind_base::{FileError, console};
use iai_callgrind_explain::Verdict;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_render::report::{ExplainedChange, print_explanations};
use iai_callgrind_results::{Explanation, ResultTable, Side, Sources, explain};
use iai_callgrind_revisions::workspace_directory;
use iai_callgrind_store::{Slot, StoredBenchmark, find_unused};
use iai_callgrind_tools::tool::{Measurement, TOOLS, Tool};

use crate::cli::ExplainArgs;
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &ExplainArgs) -> Result<CommandOutcome> {
    let new = options.load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?;
    let old = Slot::parse(&options.base)?;
    let selected =
        find_unused(&existing_directory(options.home.path())?, &options.filters, &[&new, &old])?;
    let explainer = StoredExplainer::default();
    let (mut explanations, mut equal, mut errors) = (Vec::new(), 0, Vec::new());
    for benchmark in &selected.benchmarks {
        for tool in TOOLS.into_iter().filter(|tool| tool.has_tables()) {
            match explainer.explain(tool, benchmark, [&old, &new]) {
                Ok(Some(explanation)) if is_equal(&explanation) => equal += 1,
                Ok(explanation) => explanations.extend(explanation.map(|explanation| {
                    let (title, name) = (benchmark.name(), benchmark.name());
                    ExplainedChange { title, name, explanation }
                })),
                Err(error) => errors.push(error),
            }
        }
    }
    print_explanations(&explanations, options.length.lines())?;
    let all = explanations.len() + equal;
    FileError::of_output(writeln!(
        console::stdout(),
        "{equal} of {all} results have no difference"
    ))?;
    Error::all(errors).map(|()| CommandOutcome::Success)
}

/// Returns true if the results have no difference.
pub(super) fn is_equal(explanation: &Explanation) -> bool {
    explanation.as_ref().is_ok_and(|explained| explained.difference.verdict == Verdict::Equal)
}

/// Explains the differences of stored results.
pub(crate) struct StoredExplainer(Sources);

impl Default for StoredExplainer {
    fn default() -> Self {
        let current = env::current_dir().unwrap_or_default();
        Self(Sources::of(workspace_directory(&current)))
    }
}

impl StoredExplainer {
    /// Explains the difference of the result in the second slot from that in the first one; `None` if one is missing.
    pub(crate) fn explain(
        &self,
        tool: &Tool,
        benchmark: &StoredBenchmark,
        [old, new]: [&Slot; 2],
    ) -> Result<Option<Explanation>> {
        let read = |slot| benchmark.read(tool, slot, &[MetricKind::Ir]);
        let results = read(old)?.zip(read(new)?);
        Ok(results.and_then(|(before, after)| {
            self.explain_results(tool, benchmark, [old, new], [&before, &after])
        }))
    }

    /// Explains the difference of the results in these slots; `None` if they have no instructions.
    pub(super) fn explain_results(
        &self,
        tool: &Tool,
        benchmark: &StoredBenchmark,
        slots: [&Slot; 2],
        results: [&Measurement; 2],
    ) -> Option<Explanation> {
        let tables = slots.map(|slot| ResultTable::read(&benchmark.files, tool, slot));
        let [old, new] = [0, 1].map(|index| Side {
            slot: slots[index],
            table: &tables[index],
            result: results[index],
        });
        explain(old, new, None, &self.0)
    }
}
