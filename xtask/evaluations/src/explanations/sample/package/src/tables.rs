//! Hash tables.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

/// The hasher of all tables.
pub type State = BuildHasherDefault<DefaultHasher>;

/// A hasher that multiplies.
#[derive(Default)]
pub struct Multiplied(u64);

impl Hasher for Multiplied {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Returns the number of different words.
pub fn different(words: &[&str]) -> usize {
    let mut table: HashMap<&str, usize, State> = HashMap::default();
    for word in words {
        *table.entry(word).or_insert(0) += 1;
    }
    table.len()
}

/// Returns all words with their positions.
pub fn positions<'a>(words: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut all = Vec::new();
    for (index, word) in words.iter().enumerate() {
        all.push((index, *word));
    }
    all
}
