//! The benchmarks that changed, and the numbers of those that did not.

use std::cmp::Ordering;
use std::fmt;

use crate::compare::Change;
use crate::result::BenchmarkResult;

/// The kind of a result, compared with the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A shown metric has another value, beyond the tolerance, or something failed.
    Changed,
    /// There is no old result.
    New,
    Unchanged,
}

impl Kind {
    pub(super) fn of(result: &BenchmarkResult<'_>) -> Self {
        let tolerance = result.benchmark.options.tolerance;
        let is_changed = result.tools.iter().any(|tool| {
            let old = tool.old.as_ref().map(|old| &old.total);
            tool.new.total.shown_lines(&tool.options.metrics).any(|(kind, new)| {
                let change = Change::between(Some(new), old.and_then(|old| old.get(kind)));
                !change.is_within(tolerance) && change.direction().is_some_and(Ordering::is_ne)
            })
        });
        let is_new = result.tools.iter().all(|tool| tool.old.is_none());
        if is_changed || result.regressions().next().is_some() || !result.errors().is_empty() {
            Self::Changed
        } else if is_new {
            Self::New
        } else {
            Self::Unchanged
        }
    }
}

/// The number of results of each kind.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    changed: usize,
    new: usize,
    unchanged: usize,
}

impl Kinds {
    pub(super) fn add(&mut self, kind: Kind) {
        *match kind {
            Kind::Changed => &mut self.changed,
            Kind::New => &mut self.new,
            Kind::Unchanged => &mut self.unchanged,
        } += 1;
    }
}

/// Writes `2 changed, 1 new, 97 unchanged`.
impl fmt::Display for Kinds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changed, new, unchanged } = self;
        let numbers = [(changed, "changed"), (new, "new"), (unchanged, "unchanged")];
        let numbers = numbers.into_iter().filter(|(number, _)| **number > 0);
        let texts: Vec<_> = numbers.map(|(number, kind)| format!("{number} {kind}")).collect();
        formatter.write_str(&texts.join(", "))
    }
}
