//! Explains the results of a run, from the old tables and those that the run made.

use std::path::Path;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::settings::{Explain, Settings};
use iai_callgrind_explain::{Table, unseen_value};
use iai_callgrind_plan::metric::{MetricKind, Value};
use iai_callgrind_results::{
    Benchmark, Explanation, ResultTable, RunId, Side, Sources, ToolOptions, ToolResult, explain,
};
use iai_callgrind_store::Slot;
use iai_callgrind_tools::tool::Measurement;

/// Explains the results of a run.
pub(super) struct Explainer<'a> {
    benchmarks: &'a [Benchmark],
    explain: Explain,
    /// The new results are those of this run.
    is_measured: bool,
    sources: Sources,
    /// The slots of the old and of the new results after the run.
    slots: [&'a Slot; 2],
    /// The old tables of each benchmark under each of its tools, `None` under a tool without
    /// tables. New results can replace the files.
    old: Vec<Vec<Option<ResultTable>>>,
}

impl<'a> Explainer<'a> {
    /// Reads the tables of the old results; `None` if nothing is explained.
    pub(super) fn new(
        benchmarks: &'a [Benchmark],
        settings: &'a Settings,
        package: &Path,
    ) -> Option<Self> {
        if settings.explanations.of == Explain::None {
            return None;
        }
        let mode = &settings.mode;
        let read = |benchmark: &Benchmark| {
            let read = |options: &ToolOptions| {
                let has_tables = options.tool.has_tables();
                has_tables.then(|| ResultTable::read(&benchmark.files, options.tool, &mode.old))
            };
            benchmark.options.tools.iter().map(read).collect()
        };
        let old = benchmarks.iter().map(read).collect();
        let sources = Sources::of(workspace_directory(package));
        let explain = settings.explanations.of;
        let (is_measured, slots) =
            (mode.run, [mode.old_after_run().unwrap_or(&mode.old), &mode.new]);
        Some(Self { benchmarks, explain, is_measured, sources, slots, old })
    }

    /// Explains the difference of a stored result from the old one, if there is one. The table is
    /// the result's if this run made it.
    pub(super) fn explain(
        &self,
        id: RunId,
        result: &ToolResult<'_>,
        table: Option<Box<Table>>,
    ) -> Option<Explanation> {
        let is_equal = |old: &Measurement| old.total.events().eq(result.new.total.events());
        let old = result.old.as_ref().filter(|old| !is_equal(old))?;
        let RunId { benchmark, tool, .. } = id;
        let old_table = self.old[benchmark][tool].as_ref()?;
        let may_vary = || self.may_vary(old, old_table, &result.new, table.as_deref());
        if !self.is_asked_for(result) && !may_vary() {
            return None;
        }
        let (files, options) = (&self.benchmarks[benchmark].files, result.options);
        let read = || ResultTable::read(files, options.tool, self.slots[1]);
        let new_table = table.map_or_else(read, ResultTable::Made);
        let old = Side { slot: self.slots[0], table: old_table, result: old };
        let new = Side { slot: self.slots[1], table: &new_table, result: &result.new };
        let spread = result.spread(MetricKind::Ir);
        let spread = spread.and_then(|spread| match spread.maximum.distance(spread.minimum) {
            Value::Count(count) => Some(count),
            Value::Rate(_) => None,
        });
        let mut explanation = explain(old, new, spread, &self.sources)?;
        if let (Ok(explained), Some(noise)) = (&mut explanation, &options.noise) {
            explained.noise = noise.cover(&old.result.total, &new.result.total, &options.metrics);
        }
        Some(explanation)
    }

    /// Returns `true` if the user wants the explanation of this result.
    pub(super) fn is_asked_for(&self, result: &ToolResult<'_>) -> bool {
        match self.explain {
            Explain::All => true,
            Explain::Auto | Explain::Regressions => !result.regressions.is_empty(),
            Explain::None => false,
        }
    }

    /// Returns `true` if the instructions differ, and the new code may ask for values of the
    /// machine, or is that of the old result.
    fn may_vary(
        &self,
        old: &Measurement,
        old_table: &ResultTable,
        new: &Measurement,
        table: Option<&Table>,
    ) -> bool {
        let [before, now] = [old, new].map(|measurement| measurement.total.count(MetricKind::Ir));
        let Some(table) = table else { return !self.is_measured && before != now };
        let is_same_program = || {
            let is_same_environment =
                old.fingerprint.is_some() && new.environment_changes(old).is_empty();
            let old = before.filter(|_| is_same_environment);
            let old = old.and_then(|count| old_table.parse(count, true).ok());
            old.is_some_and(|old| unseen_value(&old, table).is_some())
        };
        before != now && (!new.machine_values_since(old, table).is_empty() || is_same_program())
    }
}
