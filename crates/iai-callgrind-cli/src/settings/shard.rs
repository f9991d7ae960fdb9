//! The value of `--shard`.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use iai_callgrind_store::MOST_SHARDS;

/// One of several parts of the benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of this part, starting at 1.
    pub number: u32,
    /// The number of parts.
    pub total: NonZeroU32,
}

/// Writes `2/5`.
impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.total)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (number, total) = text.split_once('/')?;
            let (number, total) = (number.parse().ok()?, total.parse::<NonZeroU32>().ok()?);
            let is_valid = (1..=total.get()).contains(&number) && total.get() <= MOST_SHARDS;
            is_valid.then_some(Self { number, total })
        };
        parse().ok_or("expected the number of a shard and the number of shards, such as `2/5`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_several() {
        for text in ["1/1", "2/5", "5/5", "1000/1000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in ["", "2", "0/5", "6/5", "1/0", "-1/5", "1/5/2", "a/b", "1/1001", "1.0/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
