//! Explains the results of a run, with the tables of the old results and those that were just stored.

use iai_callgrind_plan::metric::MetricKind;

use crate::benchmark::Benchmark;
use crate::cli::Explain;
use crate::error::Result;
use crate::explanation::{Explanation, StoredTable, explain, stored_table};
use crate::options::ToolOptions;
use crate::output::Slot;
use crate::result::{RunId, RunResult};
use crate::settings::Settings;
use crate::tool::TABLE;

/// Explains the results of a run.
pub(super) struct Explainer<'a> {
    benchmarks: &'a [Benchmark],
    explain: Explain,
    /// The slot of the new results.
    slot: &'a Slot,
    /// The tables of the old results of each benchmark under each of its tools. The new results can take the place of
    /// the files.
    old: Vec<Vec<StoredTable>>,
}

impl<'a> Explainer<'a> {
    /// Reads the tables of the old results; `None` if nothing is explained.
    pub(super) fn new(benchmarks: &'a [Benchmark], settings: &'a Settings) -> Result<Option<Self>> {
        if settings.explain == Explain::None {
            return Ok(None);
        }
        let mode = &settings.mode;
        let read = |benchmark: &Benchmark| {
            let read = |options: &ToolOptions| {
                if !options.tool.extras.contains(&TABLE) {
                    return Ok(None);
                }
                stored_table(&benchmark.files, options.tool, &mode.old)
            };
            benchmark.options.tools.iter().map(read).collect::<Result<_>>()
        };
        let old = benchmarks.iter().map(read).collect::<Result<_>>()?;
        Ok(Some(Self { benchmarks, explain: settings.explain, slot: &mode.new, old }))
    }

    /// Explains the difference of a stored result from the old one, if it has one and that is asked for. `results` are
    /// those of all runs.
    pub(super) fn explain(&self, results: &[RunResult]) -> Result<Option<Explanation>> {
        let [result, ..] = results else { return Ok(None) };
        let is_asked_for = match self.explain {
            Explain::All => true,
            Explain::Regressions => !result.regressions.is_empty(),
            Explain::None => false,
        };
        let old = result.old.as_ref().filter(|old| old.total != result.new.total);
        let old = old.and_then(|old| old.total.count(MetricKind::Ir));
        if old.is_none() || !is_asked_for {
            return Ok(None);
        }
        let RunId { benchmark, tool, .. } = result.id;
        let (old, benchmark) = (&self.old[benchmark][tool], &self.benchmarks[benchmark]);
        let options = &benchmark.options.tools[tool];
        if !options.tool.extras.contains(&TABLE) {
            return Ok(None);
        }
        let new = stored_table(&benchmark.files, options.tool, self.slot)?;
        Ok(Some(explain(old, &new, spread(results))))
    }
}

/// Returns the spread of the instructions over several runs.
fn spread(results: &[RunResult]) -> Option<u64> {
    let counts = results.iter().filter_map(|result| result.new.total.count(MetricKind::Ir));
    let (minimum, maximum) = (counts.clone().min()?, counts.max()?);
    (results.len() > 1).then_some(maximum - minimum)
}
