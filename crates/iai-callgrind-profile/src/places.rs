//! Sums of the costs of instructions by place.

use std::collections::HashMap;

use fnv::FnvBuildHasher;

use crate::addresses::{Costs, Position};

/// Number of addresses in a page.
const PAGE: usize = 1 << 10;

/// An address without a number.
const UNKNOWN: u32 = u32::MAX;

/// The numbers of addresses in an object file. An address takes four bytes, as does each byte of code around it.
#[derive(Debug, Default)]
pub struct CostPlaces {
    /// The indices of pages by their numbers.
    indices: HashMap<u64, usize, FnvBuildHasher>,
    pages: Vec<Box<[u32]>>,
    /// The number and the index of the page that was looked up last.
    last: Option<(u64, usize)>,
}

impl CostPlaces {
    /// Returns the number of an address.
    pub fn get(&mut self, address: u64) -> Option<u32> {
        let (page, offset) = split(address);
        let index = match self.last {
            Some((last, index)) if last == page => index,
            _ => *self.indices.get(&page)?,
        };
        self.last = Some((page, index));
        let number = self.pages[index][offset];
        (number != UNKNOWN).then_some(number)
    }

    /// Sets the number of an address, which is less than `u32::MAX`.
    pub fn insert(&mut self, address: u64, number: u32) {
        let (page, offset) = split(address);
        let pages = &mut self.pages;
        let index = *self.indices.entry(page).or_insert_with(|| {
            pages.push(vec![UNKNOWN; PAGE].into());
            pages.len() - 1
        });
        pages[index][offset] = number;
    }
}

/// Returns the page of an address and its offset there.
fn split(address: u64) -> (u64, usize) {
    let offset = address % PAGE as u64;
    (address / PAGE as u64, usize::try_from(offset).unwrap_or(0))
}

/// The place of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostPlace {
    /// The place of the address, whichever function the tool names.
    OfAddress(u32),
    /// The place of the address in this function.
    OfFunction(u32),
}

impl CostPlace {
    /// Returns the number of the place.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::OfAddress(number) | Self::OfFunction(number) => number,
        }
    }
}

impl Costs {
    /// Adds up the counts of each place, in the order in which the places occur first. `find` returns the place of an
    /// instruction whose address is not known yet; `known` has the addresses of each object file.
    pub fn sum(
        &self,
        known: &mut [CostPlaces],
        find: &mut dyn FnMut(Position) -> CostPlace,
    ) -> Vec<(u32, Vec<u64>)> {
        let mut sums: Vec<(u32, Vec<u64>)> = Vec::new();
        let mut indices: Vec<u32> = Vec::new();
        let mut reader = self.reader();
        while let Some(at) = reader.next_position() {
            let known = &mut known[at.object as usize];
            let place = known.get(at.address).unwrap_or_else(|| {
                let found = find(at);
                if let CostPlace::OfAddress(place) = found {
                    known.insert(at.address, place);
                }
                found.number()
            });
            if indices.len() <= place as usize {
                indices.resize(place as usize + 1, UNKNOWN);
            }
            let index = &mut indices[place as usize];
            if *index == UNKNOWN {
                *index = u32::try_from(sums.len()).unwrap_or(UNKNOWN);
                sums.push((place, Vec::new()));
            }
            let counts = reader.counts();
            let (_, sum) = &mut sums[*index as usize];
            if sum.len() < counts.len() {
                sum.reserve_exact(counts.len() - sum.len());
                sum.resize(counts.len(), 0);
            }
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_added_up_by_place() {
        let mut costs = Costs::default();
        for (object, function, address, counts) in [
            (0, 0, 0x1000, &[1, 2][..]),
            (1, 0, 0x1000, &[10]),
            (0, 1, 0x1000, &[4]),
            (0, 1, 0xffff_ffff_ffff_ffff, &[8, 0, 1]),
            (1, 1, 0x1000, &[20]),
            (1, 0, 0x1000, &[40]),
        ] {
            costs.push(Position { object, function, address }, counts);
        }
        let mut known = [CostPlaces::default(), CostPlaces::default()];
        let mut found = Vec::new();
        let mut find = |at: Position| {
            found.push((at.object, at.address));
            // The addresses of the second object file depend on the function
            if at.object == 1 {
                CostPlace::OfFunction(at.function)
            } else {
                CostPlace::OfAddress(7)
            }
        };
        let sums = costs.sum(&mut known, &mut find);
        assert_eq!(sums, [(7, vec![13, 2, 1]), (0, vec![50]), (1, vec![20])]);
        let last = u64::MAX;
        assert_eq!(found, [(0, 0x1000), (1, 0x1000), (0, last), (1, 0x1000), (1, 0x1000)]);
        assert_eq!((known[0].get(last), known[0].get(0x1001)), (Some(7), None));
        let known_now = costs.sum(&mut known, &mut |at| CostPlace::OfFunction(at.function));
        assert_eq!(known_now, sums);
    }
}
