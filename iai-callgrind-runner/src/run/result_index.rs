//! Functions of a group that are compared case by case (`compare_by_id`).

use std::collections::HashMap;

use crate::benchmark::Benchmark;
use crate::result::Totals;

/// The results that later ones with the same id in the same group are compared with.
#[derive(Default)]
pub(super) struct ResultIndex<'a> {
    results: HashMap<(usize, &'a str), Vec<(&'a Benchmark, Totals)>>,
}

impl<'a> ResultIndex<'a> {
    fn key(benchmark: &'a Benchmark) -> Option<(usize, &'a str)> {
        Some((benchmark.group, benchmark.id.as_deref().filter(|_| benchmark.is_compared)?))
    }

    /// Those that this benchmark is compared with, in the order in which they ran.
    pub(super) fn earlier(&self, benchmark: &'a Benchmark) -> Vec<(&'a Benchmark, &Totals)> {
        let found = Self::key(benchmark).and_then(|key| self.results.get(&key));
        found.into_iter().flatten().map(|(other, totals)| (*other, totals)).collect()
    }

    /// Keeps a result for those that come later.
    pub(super) fn push(&mut self, benchmark: &'a Benchmark, totals: impl FnOnce() -> Totals) {
        if let Some(key) = Self::key(benchmark) {
            self.results.entry(key).or_default().push((benchmark, totals()));
        }
    }
}
