//! The events of a run, and the interface of reporters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::time::Duration;

use iai_callgrind_results::snapshot::Counts;
use iai_callgrind_results::{Benchmark, BenchmarkResult, RunId};
use iai_callgrind_store::StoredTime;
use iai_callgrind_timing::BenchmarkTime;
use iai_callgrind_tools::fingerprint::FingerprintChange;

use crate::error::Result;

/// An event of a run.
#[expect(missing_docs, reason = "the names say it")]
pub enum Event<'a> {
    /// These benchmarks run, or are loaded. Some can have old results to compare with.
    Selected { benchmarks: &'a [Benchmark], has_old: bool },
    /// A measurement under one tool starts.
    Started { id: RunId, benchmark: &'a Benchmark },
    /// The code at this `location` of the file, before `next`, takes long. The measurements `finished` have ended.
    SlowCode { finished: &'a [RunId], next: RunId, location: &'a str },
    /// A measurement under one tool ended.
    Ended { id: RunId },
    /// All measurements of a benchmark succeeded.
    Finished(&'a BenchmarkResult<'a>),
    /// A benchmark is timed. All of them were timed for this long. The progress has a step for each second.
    Timing { benchmark: &'a Benchmark, spent: Duration },
    /// A benchmark was timed.
    Timed {
        benchmark: &'a Benchmark,
        time: &'a BenchmarkTime,
        /// The stored time that it is shown with.
        stored: Option<&'a StoredTime>,
    },
    /// This number of benchmarks run the same code as on the other side, and are not timed.
    SameCode { number: usize },
    /// A benchmark failed.
    Failed { benchmark: &'a Benchmark, error: &'a dyn Display },
    /// A setup or teardown of the file or of a group failed.
    HookFailed(&'a dyn Display),
}

/// Handles the events of a run, which come in the order of declaration of the benchmarks.
pub(super) trait Reporter {
    /// Handles an event.
    fn receive(&mut self, event: &Event<'_>);

    /// Completes the report after the last event.
    fn finish(&mut self, tally: &Tally) -> Result<()>;
}

/// The numbers of a run.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Tally {
    /// Number of selected benchmarks.
    pub selected: usize,
    /// Number of benchmarks that filters leave out.
    pub filtered_out: usize,
    /// Number of benchmarks that finished or failed.
    pub finished: usize,
    /// Number of benchmarks that failed.
    pub failed: usize,
    /// Number of setups and teardowns that failed.
    pub hooks_failed: usize,
    /// Number of benchmarks that exceed a limit.
    pub regressed: usize,
    /// The signal that interrupted the run.
    pub interrupted: Option<i32>,
    /// Differences between the builds and machines of the new and the old results.
    pub environment: BTreeSet<FingerprintChange>,
    /// Number of benchmarks whose old result has no known build and machine.
    pub unknown_environments: usize,
    /// Counters with a limit; `true` for reported ones.
    pub limited_counters: BTreeMap<&'static str, bool>,
    /// Metrics of the allocator with a limit; `true` for those that a benchmark has.
    pub limited_allocations: BTreeMap<&'static str, bool>,
    /// Counts to compare with a snapshot, if the user wants it.
    pub counts: Option<Counts>,
    /// The run fails because its counts differ from the snapshot, or because there is none.
    pub differs_from_snapshot: bool,
    /// Duration of the run in seconds.
    pub seconds: f64,
}
