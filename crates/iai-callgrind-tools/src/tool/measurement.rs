//! The counts of one benchmark under one tool, and the reasons why there are none.

use std::sync::Arc;

use iai_callgrind_explain::{MachineValue, Table, changed_values, machine_values};
use iai_callgrind_plan::metric::{AddError, MetricKind, Metrics};
use iai_callgrind_plan::{Amounts, EntryPoint};
use iai_callgrind_process::ProcessTime;
pub use iai_callgrind_profile::ProcessMetrics;

use crate::fingerprint::{Fingerprint, FingerprintChange};

/// The counts of one run of a benchmark under one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measurement {
    /// The sum over all processes and threads.
    pub total: Metrics,
    /// The counts of each process and, if configured, of each thread. Empty if there was only one.
    pub parts: Vec<ProcessMetrics>,
    /// The report of the tool, if it found errors that fail the benchmark.
    pub errors: Option<String>,
    /// The output of the benchmark, if it is shown.
    pub output: Option<Vec<u8>>,
    /// The time of the process, if it is a command that ran natively.
    pub time: Option<ProcessTime>,
    /// The build and the machine; `None` if unknown.
    pub fingerprint: Option<Arc<Fingerprint>>,
    /// Size of the input, see [`iai_callgrind_plan::Case::size`].
    pub size: Option<i64>,
    /// Growth curve that it is a point of, see [`iai_callgrind_plan::Case::curve`].
    pub curve: Option<String>,
    /// Text that the benchmark sets about itself.
    pub label: Option<Box<str>>,
    /// The table of costs by function, if an explanation or a note about values of the machine can need it.
    pub table: Option<Box<Table>>,
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
    #[must_use]
    pub fn with_amounts(self, amounts: Amounts) -> Self {
        let Amounts { throughput, counters, size, curve, label } = amounts;
        let total = self.total.with_throughput(throughput).with_counters(counters);
        Self { total, size, curve, label: label.map(Into::into), ..self }
    }

    /// Returns the values of the machine that the code of this table asked for, unless the run
    /// fixed them.
    pub fn machine_values(&self, table: &Table) -> Vec<&'static MachineValue> {
        let fingerprint = self.fingerprint.as_deref();
        fingerprint.map_or_else(Vec::new, |it| machine_values(table.asked(), it.entries()))
    }

    /// Returns the values of the machine that the code of this table asked for, unless the run fixed them to those of an older
    /// measurement. Returns none if another part of the environment changed.
    pub fn machine_values_since(&self, old: &Self, table: &Table) -> Vec<&'static MachineValue> {
        let changes = self.environment_changes(old);
        let parts: Vec<_> = changes.iter().map(|change| change.name.as_str()).collect();
        let values = self
            .fingerprint
            .as_deref()
            .map(|new| changed_values(table.asked(), &parts, new.entries()).unwrap_or_default());
        values.unwrap_or_default()
    }

    /// Returns the differences of build and machine from an older measurement, if both are known.
    pub fn environment_changes(&self, old: &Self) -> Vec<FingerprintChange> {
        let fingerprints = self.fingerprint.as_deref().zip(old.fingerprint.as_deref());
        fingerprints.map_or_else(Vec::new, |(new, old)| new.changes_since(old).collect())
    }
}

/// The program of a benchmark in errors about it.
pub const IT: &str = "it";

/// A reason why a benchmark has no counts of a tool.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ToolFailure {
    #[error(
        "{tool} could not write its files: the benchmark changed its user, its root directory or its \
         limits\nhelp: measure the code without `setuid`, `chroot` and `setrlimit`"
    )]
    NotWritten { tool: &'static str },
    #[error(
        "{tool} can't see what {program} allocates: it has an allocator of its own\nhelp: use the C library's allocator \
         under {tool}, or turn {tool} off for this benchmark"
    )]
    OwnAllocator { tool: &'static str, program: String },
    #[error(
        "{tool} can't see what {program} allocates: Valgrind can't replace the allocator of a static executable\nhelp: \
         link it dynamically, or turn {tool} off for this benchmark"
    )]
    StaticAllocator { tool: &'static str, program: String },
    #[error(
        "{tool} can't see what {program} allocates: Valgrind does not replace the allocator of its C library\nhelp: build \
         it for the GNU C library, or turn {tool} off for this benchmark"
    )]
    OtherLibrary { tool: &'static str, program: String },
    #[error("{tool} found errors")]
    ToolErrors { tool: &'static str },
    #[error("the benchmark ended its process before it returned")]
    EndedEarly,
    #[error(
        "the benchmark started {command}, which outlived it or was killed: its counts are unknown\nhelp: \
         wait for the process in the benchmark"
    )]
    ProcessLeft { command: String },
    #[error(
        "the benchmark forks: {tool} counts everything before the fork twice\nhelp: turn {tool} off for this \
         benchmark"
    )]
    Forks { tool: &'static str },
    #[error(
        "the benchmark starts other processes, and with `cold_caches` callgrind can't count them\nhelp: turn \
         `cold_caches` off for this benchmark"
    )]
    ColdProcesses,
    #[error(
        "callgrind's costs have no addresses, from which its calls are found on AArch64\nhelp: remove `--dump-instr`, \
         `--dump-line` and `--dump-bb` from its arguments"
    )]
    NoAddresses,
    #[error(
        "callgrind can't tell on AArch64 when the entry point `{pattern}` runs: it takes branches for calls\nhelp: \
         count the benchmark function as a whole"
    )]
    EntryPointUnknown { pattern: String },
    #[error(
        "the benchmark starts other processes, and cachegrind can't count them\nhelp: use callgrind for this \
         benchmark and turn cachegrind off"
    )]
    UncountedProcesses,
    #[error("nothing was counted: {}", nothing_counted(.entry_point))]
    NothingCounted { entry_point: EntryPoint },
    #[error(
        "DHAT saw no symbols: it can't find the allocations of the benchmark\nhelp: set `strip = false` in \
         [profile.bench], in C++ link without `-s`, or count everything with `entry_point(EntryPoint::None)`"
    )]
    NoSymbols,
    #[error(
        "can't draw a flamegraph of `{event}`: callgrind did not count it\nhelp: remove it from \
         `event_kinds`, or pass callgrind the argument that it needs"
    )]
    NoFlamegraph { event: MetricKind },
}

/// Returns the reason why callgrind counted nothing with an entry point.
fn nothing_counted(entry_point: &EntryPoint) -> String {
    match entry_point {
        EntryPoint::Default => "callgrind did not see the benchmark function's symbol".to_owned(),
        EntryPoint::Custom(pattern) => format!(
            "the benchmark executed no function that the entry point `{pattern}` matches\nhelp: match \
             a whole name of `callgrind_annotate`, such as `my_crate::my_function` or \
             `*::my_function*`, of a function that is not inlined"
        ),
        EntryPoint::None => {
            "there is no entry point, and neither callgrind's arguments nor client requests \
                             started collection"
                .to_owned()
        }
    }
}
