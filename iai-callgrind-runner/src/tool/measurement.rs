//! The counts of one benchmark under one tool.

use std::sync::Arc;

use iai_callgrind_explain::Table;
use iai_callgrind_plan::Amounts;
use iai_callgrind_plan::metric::{AddError, Metrics};
pub(crate) use iai_callgrind_profile::ProcessMetrics;

use crate::fingerprint::{Fingerprint, FingerprintChange};
use crate::process::ProcessTime;

/// The counts of one run of a benchmark under one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Measurement {
    /// The sum over all processes and threads.
    pub(crate) total: Metrics,
    /// The counts of each process and, if configured, of each thread. Empty if there was only one.
    pub(crate) parts: Vec<ProcessMetrics>,
    /// The report of the tool, if it found errors that fail the benchmark.
    pub(crate) errors: Option<String>,
    /// The output of the benchmark, if it is shown.
    pub(crate) output: Option<Vec<u8>>,
    /// The time of the process, if it is a command that ran natively.
    pub(crate) time: Option<ProcessTime>,
    /// The build and the machine; `None` if that is not known.
    pub(crate) fingerprint: Option<Arc<Fingerprint>>,
    /// Size of the input, see [`iai_callgrind_plan::Case::size`].
    pub(crate) size: Option<i64>,
    /// Growth curve that it is a point of, see [`iai_callgrind_plan::Case::curve`].
    pub(crate) curve: Option<String>,
    /// The table of costs by function, if an explanation can need it.
    pub(crate) table: Option<Box<Table>>,
}

impl Measurement {
    /// Adds the counts of these processes and threads.
    pub(super) fn from_parts(mut parts: Vec<ProcessMetrics>) -> Result<Self, AddError> {
        let mut total = parts.first().map(|part| part.metrics.clone()).unwrap_or_default();
        for part in parts.iter().skip(1) {
            total = total.checked_add(&part.metrics)?;
        }
        if parts.len() == 1 {
            parts.clear();
        }
        Ok(Self { total, parts, ..Self::default() })
    }

    /// Adds the amounts, which no tool counts.
    pub(crate) fn with_amounts(self, amounts: Amounts) -> Self {
        let Amounts { throughput, counters, size, curve } = amounts;
        let total = self.total.with_throughput(throughput).with_counters(counters);
        Self { total, size, curve, ..self }
    }

    /// Returns the differences of build and machine from those of an older measurement, as far as both are known.
    pub(crate) fn environment_changes(&self, old: &Self) -> Vec<FingerprintChange> {
        let fingerprints = self.fingerprint.as_deref().zip(old.fingerprint.as_deref());
        fingerprints.map_or_else(Vec::new, |(new, old)| new.changes_since(old).collect())
    }
}
