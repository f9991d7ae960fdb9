//! Explanations of stored results.

use std::env;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_store::{Result, Slot, StoredBenchmark};
use iai_callgrind_tools::tool::{Measurement, Tool};

use super::explanation::{Explanation, ResultTable, Side, Sources, explain};

/// Explains the differences of stored results.
#[derive(Debug)]
pub struct StoredExplainer(Sources);

impl Default for StoredExplainer {
    fn default() -> Self {
        let current = env::current_dir().unwrap_or_default();
        Self(Sources::of(workspace_directory(&current)))
    }
}

impl StoredExplainer {
    /// Explains the difference between the results in two slots; `None` if one is missing.
    pub fn explain(
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
    pub fn explain_results(
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
