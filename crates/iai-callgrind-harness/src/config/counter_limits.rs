//! Limits of counters.

use iai_callgrind_plan as plan;

use super::{LibraryBenchmarkConfig, Limit};

/// Limits of counters.
impl LibraryBenchmarkConfig {
    /// Adds soft limits of values that benchmarks report with [`counter`](crate::counter()): the largest increase in percent
    /// of the old value. A negative percentage is the largest decrease, for counters of which more is better.
    ///
    /// The limits of a level replace those of the levels above, hard ones too. Of two for the same counter the last one
    /// wins.
    ///
    /// ```
    /// use iai_callgrind::LibraryBenchmarkConfig;
    ///
    /// LibraryBenchmarkConfig::default()
    ///     .counter_soft_limits([("nodes visited", 5.0), ("compression ratio", -1.0)])
    ///     .counter_hard_limits([("nodes visited", 10_000)]);
    /// ```
    pub fn counter_soft_limits<K, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        T: IntoIterator<Item = (K, f64)>,
    {
        let limit = |(name, percentage): (K, f64)| {
            (name.into(), plan::Limit::Soft { change: percentage.into() })
        };
        self.0.counter_limits.extend(limits.into_iter().map(limit));
        self
    }

    /// Adds hard limits of counters: the largest value, whatever the old value is. They are in addition to soft ones, see
    /// [`Self::counter_soft_limits`].
    pub fn counter_hard_limits<K, L, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        L: Into<Limit>,
        T: IntoIterator<Item = (K, L)>,
    {
        let limit = |(name, limit): (K, L)| (name.into(), limit.into().into());
        self.0.counter_limits.extend(limits.into_iter().map(limit));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soft(percentage: f64) -> plan::Limit {
        plan::Limit::Soft { change: percentage.into() }
    }

    #[test]
    fn counters_have_limits_by_name() {
        let mut config = LibraryBenchmarkConfig::default();
        config.counter_soft_limits([("ratio", -1.0)]).counter_hard_limits([("nodes", 1000)]);
        config.counter_hard_limits(vec![("ratio".to_owned(), 9.5)]);
        let expected = [
            ("ratio".to_owned(), soft(-1.0)),
            ("nodes".to_owned(), plan::Limit::Count { value: 1000 }),
            ("ratio".to_owned(), plan::Limit::Rate { value: 9.5.into() }),
        ];
        assert_eq!(config.0.counter_limits, expected);
    }
}
