//! The runs of each benchmark: with one seed or several, once or several times with each.

use std::fmt;

/// The source of randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// A generator with this seed.
    Fixed(u64),
    /// The system.
    Random,
}

impl Seed {
    /// Parses a number, or `random`.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "random" => Ok(Self::Random),
            number => number.parse().map(Self::Fixed).map_err(|_| "expected a number, or `random`"),
        }
    }
}

impl Default for Seed {
    fn default() -> Self {
        Self::Fixed(0)
    }
}

/// The runs of each benchmark, in the order of their seeds.
#[derive(Debug, Clone)]
pub struct Samples {
    /// The different seeds, at least one; `None` is the randomness of the system.
    seeds: Vec<Option<u64>>,
    /// Number of runs with each seed, at least one.
    repeat: usize,
}

impl Samples {
    /// Returns the runs with this many consecutive seeds, each repeated.
    pub fn new(first: Seed, seeds: u16, repeat: u16) -> Self {
        let seed = |index: u16| match first {
            Seed::Fixed(first) => Some(first.wrapping_add(index.into())),
            Seed::Random => None,
        };
        let seeds = (0..seeds.max(1)).map(seed).collect();
        Self { seeds, repeat: repeat.max(1).into() }
    }

    /// Returns the number of runs.
    pub fn number(&self) -> usize {
        self.seeds.len() * self.repeat
    }

    /// Returns the number of runs with the first seed. They are the first ones, and one of them is
    /// stored, compared and checked against limits.
    pub fn candidates(&self) -> usize {
        self.repeat
    }

    /// Returns the seed of a run.
    pub fn seed(&self, sample: usize) -> Option<u64> {
        self.seeds.get(sample / self.repeat).copied().flatten()
    }

    /// Returns the seeds of all runs.
    pub fn seeds(&self) -> impl Iterator<Item = Option<u64>> + use<'_> {
        (0..self.number()).map(|sample| self.seed(sample))
    }
}

/// Writes the number of runs: `5 runs`, `3 seeds`, `15 runs with 3 seeds`.
impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.seeds.len(), self.repeat) {
            (1, repeat) => write!(f, "{repeat} runs"),
            (seeds, 1) => write!(f, "{seeds} seeds"),
            (seeds, _) => write!(f, "{} runs with {seeds} seeds", self.number()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_seed_has_its_runs_one_after_the_other() {
        let samples = Samples::new(Seed::Fixed(7), 2, 3);
        assert_eq!(samples.seeds().collect::<Vec<_>>(), [7, 7, 7, 8, 8, 8].map(Some));
        assert_eq!((samples.number(), samples.candidates()), (6, 3));
        assert_eq!(samples.to_string(), "6 runs with 2 seeds");
        assert_eq!(Samples::new(Seed::Random, 1, 3).seeds().collect::<Vec<_>>(), [None; 3]);
        assert_eq!(Samples::new(Seed::Fixed(0), 1, 3).to_string(), "3 runs");
        assert_eq!(Samples::new(Seed::Fixed(u64::MAX), 2, 1).seed(1), Some(0));
    }
}
