//! `--limit=auto`: limits that the noise of each benchmark allows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use iai_callgrind_compare::{LEAST_PAIRS, Noise};
use iai_callgrind_results::Benchmark;
use iai_callgrind_store::StoredBenchmark;

use super::noise::{NoiseKey, learn};
use super::note::HistoryNote;
use super::show::Recorded;
use crate::error::Result;

/// Maximum number of commits that limits are learned from, the newest ones.
const COMMITS: usize = 100;

/// Learns the limits of these benchmarks, whose results are in `home`, from the history of the repository with this package.
pub fn learn_limits(benchmarks: &mut [Benchmark], home: &Path, package: &Path) -> Result<()> {
    let is_known = |benchmark: &Benchmark| {
        let mut noise = benchmark.options.tools.iter().filter_map(|tool| tool.noise.as_ref());
        noise.any(Noise::is_known)
    };
    let recorded = Recorded::newest(package, COMMITS)?;
    if recorded.is_none() && !benchmarks.iter().any(is_known) {
        HistoryNote::NothingToLearn.print();
        return Ok(());
    }
    let mut noise =
        recorded.map_or_else(BTreeMap::new, |recorded| learn(&recorded.results, |_| true));
    let (mut unknown, mut missing) = (0, 0);
    for benchmark in &mut *benchmarks {
        let path = benchmark.files.directory().strip_prefix(home).unwrap_or(Path::new(""));
        let Some(stored) = StoredBenchmark::from_path(home, path) else { continue };
        let (package, name) = (stored.origin(), stored.name());
        // The first commit is in no pair
        let mut lacking = if is_known(benchmark) { 0 } else { LEAST_PAIRS + 1 };
        for options in &mut Arc::make_mut(&mut benchmark.options).tools {
            let (package, name) = (package.clone(), name.clone());
            let key = NoiseKey { package, name, tool: options.tool.name };
            if let Some(noise) = noise.remove(&key) {
                lacking = lacking.min(LEAST_PAIRS.saturating_sub(noise.observations.pairs));
                options.learn(noise);
            }
        }
        unknown += usize::from(lacking > 0);
        missing = missing.max(lacking);
    }
    if unknown > 0 {
        HistoryNote::TooShortHistory { benchmarks: unknown, all: benchmarks.len(), missing }
            .print();
    }
    Ok(())
}
