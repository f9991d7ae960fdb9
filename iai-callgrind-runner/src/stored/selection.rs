//! The results and metrics that the user selects.

use std::collections::BTreeSet;

use iai_callgrind_cli::{Results, StoredLimits};
use iai_callgrind_compare::Limits;
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_results::values::{parse_counter, parse_metrics};
use iai_callgrind_results::{ConfigurationError, Mode};
use iai_callgrind_store::Slot;
use iai_callgrind_tools::tool::{TOOLS, Tool};

use crate::error::Result;
use crate::note::Note;

/// Returns the results to compare, by default of the last run and of the run before.
pub(crate) fn select_mode(Results { load_baseline, baseline, .. }: &Results) -> Result<Mode> {
    Ok(Mode {
        run: false,
        new: load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?,
        old: baseline.as_deref().map_or(Ok(Slot::Old), Slot::baseline)?,
    })
}

/// Start of a counter's name among the names of metrics.
const COUNTER: &str = "counter:";

/// Returns the selected metrics of this tool, and the selected counters. A metric that no tool has
/// is an error.
pub(crate) fn select_metrics(tool: &Tool, text: Option<&str>) -> Result<Vec<MetricKind>> {
    let Some(text) = text else { return Ok(tool.metrics.default()) };
    let mut kinds = Vec::new();
    for name in text.split(',') {
        if let Some(counter) = name.trim().strip_prefix(COUNTER) {
            kinds.push(parse_counter(counter)?);
            continue;
        }
        let parse = |tool: &Tool| parse_metrics(name, tool.metrics);
        match parse(tool) {
            Ok(named) => kinds.extend(named),
            Err(_) if TOOLS.into_iter().any(|tool| parse(tool).is_ok()) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(kinds)
}

/// Returns the limits of this tool and of counters. A number that is not a limit is an error.
pub(super) fn select_limits(tool: &Tool, limits: &StoredLimits) -> Result<Limits> {
    let all: Vec<_> = limits.of(tool).iter().chain(&limits.counters).copied().collect();
    Limits::resolve(&all).map_err(|error| ConfigurationError::from(error).into())
}

/// The tools and the counters in the new results.
#[derive(Debug, Default)]
pub(super) struct Measured {
    tools: BTreeSet<&'static str>,
    counters: BTreeSet<MetricKind>,
}

impl Measured {
    /// Adds a new result of this tool.
    pub(super) fn add(&mut self, tool: &Tool, total: &Metrics) {
        self.tools.insert(tool.name);
        self.counters.extend(total.counters().map(|(kind, _)| kind));
    }

    /// Prints a note for each tool and counter with limits but without a result, because the limits
    /// would seem to be met.
    pub(super) fn note_unused(&self, limits: &StoredLimits) {
        let unused = TOOLS.iter().filter(|tool| !self.tools.contains(tool.name));
        for tool in unused.filter(|tool| !limits.of(tool).is_empty()) {
            Note::UnusedOptions { tool: tool.name }.print();
        }
        let kinds: BTreeSet<_> = limits.counters.iter().map(|(kind, _)| *kind).collect();
        for kind in kinds.difference(&self.counters) {
            Note::UnusedCounterLimit { counter: kind.name() }.print();
        }
    }
}
