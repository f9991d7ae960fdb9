//! Identities of benchmarks that a file makes while it runs.

use crate::protocol::ServerCommand;

/// Identity of a benchmark in each walk through its file: the hash of the name, and the index among
/// all if another benchmark has the same name.
///
/// Names are enough as long as they differ. Under Valgrind a file can have other benchmarks than
/// natively, for example those for other features of the CPU, so indices can differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item {
    hash: u64,
    index: u64,
}

/// Bits of the index in the number of an [`Item`].
const INDEX_BITS: u32 = 20;

/// The index for any place.
const ANY: u64 = (1 << INDEX_BITS) - 1;

impl Item {
    /// Returns the identity of the benchmark with these names, the `index`-th of the walk.
    #[must_use]
    pub fn new(group: &str, function: &str, index: usize) -> Self {
        // FNV-1a. No text contains the byte between the names
        let bytes = group.bytes().chain([0xff]).chain(function.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { hash: hash >> INDEX_BITS, index: (index as u64).min(ANY - 1) }
    }

    /// Returns the number for [`ServerCommand::item`]. The index is a part of it unless the name is unique.
    #[must_use]
    pub fn number(self, is_unique: bool) -> u64 {
        self.hash << INDEX_BITS | if is_unique { ANY } else { self.index }
    }

    /// Returns `true` if a command asks for this benchmark.
    #[must_use]
    pub fn is_wanted(self, command: &ServerCommand) -> bool {
        command.entry == ServerCommand::WALK
            && [self.number(true), self.number(false)].contains(&command.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Token;

    fn command(item: u64) -> ServerCommand {
        let (entry, seed, number) = (ServerCommand::WALK, None, 1);
        ServerCommand {
            entry,
            item,
            seed,
            number,
            wait: true,
            fork: true,
            alone: false,
            enter: false,
            isolate: false,
            token: Token::START,
        }
    }

    #[test]
    fn a_unique_name_is_found_at_any_place_and_others_at_theirs() {
        let (here, there) = (Item::new("group", "a", 3), Item::new("group", "a", 4));
        let others = [Item::new("group", "b", 3), Item::new("groupa", "", 3)];
        let by_name = command(here.number(true));
        assert!(here.is_wanted(&by_name) && there.is_wanted(&by_name));
        let by_place = command(here.number(false));
        assert!(here.is_wanted(&by_place) && !there.is_wanted(&by_place));
        for other in others {
            assert!(!other.is_wanted(&by_name) && !other.is_wanted(&by_place));
        }
        let elsewhere = ServerCommand { entry: 0, ..by_name };
        assert!(!here.is_wanted(&elsewhere));
    }
}
