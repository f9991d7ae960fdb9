//! The counts of a benchmark, and the difference of two results.

use std::collections::BTreeMap;

use iai_callgrind_summary::{Summary, Value};

/// Counts by the label of their metric.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The difference of two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Differs {
    Nothing,
    /// Misses and what is computed from them.
    Caches,
    /// Reads or writes, with the same instructions.
    Accesses,
    Instructions,
}

pub(crate) const INSTRUCTIONS: &str = "Instructions";

impl Differs {
    /// Returns the difference of these results.
    pub(crate) fn of(old: &Counts, new: &Counts) -> Self {
        let is_other = |label: &str| old.get(label) != new.get(label);
        let by_label = [
            (INSTRUCTIONS, Self::Instructions),
            ("Total read+write", Self::Accesses),
            ("L1 Hits", Self::Caches),
            ("LL Hits", Self::Caches),
            ("RAM Hits", Self::Caches),
        ];
        let mut differing = by_label.into_iter().filter(|(label, _)| is_other(label));
        differing.next().map_or(Self::Nothing, |(_, differs)| differs)
    }
}

/// Returns the counts of the benchmark's first tool.
pub(crate) fn counts(summary: &Summary) -> Counts {
    let metrics = summary.tools.first().into_iter().flat_map(|tool| tool.total.values());
    metrics
        .filter_map(|metric| match metric.new {
            Some(Value::Count(count)) => Some((metric.label.clone(), count)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_matter_before_caches() {
        let counts = |numbers: [u64; 3]| {
            let labels = [INSTRUCTIONS, "Total read+write", "RAM Hits"];
            labels.map(str::to_owned).into_iter().zip(numbers).collect::<Counts>()
        };
        let differs = |new| Differs::of(&counts([100, 140, 3]), &counts(new));
        assert_eq!(differs([100, 140, 3]), Differs::Nothing);
        assert_eq!(differs([100, 140, 4]), Differs::Caches);
        assert_eq!(differs([100, 141, 4]), Differs::Accesses);
        assert_eq!(differs([101, 140, 4]), Differs::Instructions);
    }
}
