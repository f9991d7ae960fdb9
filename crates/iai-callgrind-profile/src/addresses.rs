//! A profile with addresses: the cost of each instruction and of each call.
//!
//! A profile of 100 MB has millions of costs, so these are kept in fewer bytes than in the dump.

use std::collections::HashMap;

/// A profile with addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressProfile {
    /// The program that wrote it, with its version.
    pub creator: String,
    /// Names of the events, for example `Ir`.
    pub events: Vec<String>,
    /// Paths of the object files.
    pub objects: Vec<String>,
    /// Names of functions, as the tool spells them.
    pub functions: Vec<String>,
    /// The costs of instructions. An instruction can have several.
    pub costs: Costs,
    /// The calls that instructions make.
    pub calls: Vec<Call>,
}

/// An instruction of a function in an object file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// The index of the object file.
    pub object: u32,
    /// The index of the function.
    pub function: u32,
    /// The address in the object file.
    pub address: u64,
}

/// The calls that an instruction makes to one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The calling instruction.
    pub from: Position,
    /// The first instruction of the called function.
    pub to: Position,
    /// Number of calls.
    pub times: u64,
    /// The count of the first event during the calls.
    pub inclusive: u64,
}

impl AddressProfile {
    /// Adds the costs and calls of another process that was observed with the same events.
    pub fn append(&mut self, other: Self) {
        if self.events.is_empty() {
            *self = other;
            return;
        }
        let objects = merge(&mut self.objects, other.objects);
        let functions = merge(&mut self.functions, other.functions);
        let place = |at: Position| Position {
            object: objects[at.object as usize],
            function: functions[at.function as usize],
            ..at
        };
        let mut reader = other.costs.reader();
        while let Some(at) = reader.next_position() {
            self.costs.push(place(at), reader.counts());
        }
        let calls = other.calls.into_iter();
        self.calls.extend(calls.map(|call| Call {
            from: place(call.from),
            to: place(call.to),
            ..call
        }));
    }
}

/// Adds missing names, and returns the indices of all of them.
fn merge(names: &mut Vec<String>, others: Vec<String>) -> Vec<u32> {
    let known = names.iter().cloned().zip(0..);
    let mut known: HashMap<String, u32> = known.collect();
    let index = |name: String| {
        *known.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
        })
    };
    others.into_iter().map(index).collect()
}

/// The costs of instructions in the order of a dump.
///
/// Each one is a sequence of numbers of a variable length: twice the number of its counts, plus 1
/// if the function changes; in that case the object file and the function; the distance of the
/// address; the counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    bytes: Vec<u8>,
    last: Position,
}

impl Costs {
    /// Adds the cost of an instruction. The events without a count, which are the last ones, have no cost.
    pub fn push(&mut self, at: Position, counts: &[u64]) {
        let Position { object, function, address } = at;
        let is_other = (object, function) != (self.last.object, self.last.function);
        write_number(&mut self.bytes, (counts.len() as u64) << 1 | u64::from(is_other));
        if is_other {
            write_number(&mut self.bytes, object.into());
            write_number(&mut self.bytes, function.into());
        }
        write_number(&mut self.bytes, distance(self.last.address, address));
        for count in counts {
            write_number(&mut self.bytes, *count);
        }
        self.last = at;
    }

    /// Returns a reader of all costs.
    #[must_use]
    pub fn reader(&self) -> CostReader<'_> {
        CostReader { rest: &self.bytes, at: Position::default(), counts: Vec::new() }
    }
}

/// Reads costs one after the other. It is not an iterator, so that all of its code is in this crate, which is optimized.
#[derive(Debug)]
pub struct CostReader<'a> {
    rest: &'a [u8],
    at: Position,
    counts: Vec<u64>,
}

impl CostReader<'_> {
    /// Reads the next cost and returns its instruction; `None` at the end.
    pub fn next_position(&mut self) -> Option<Position> {
        if self.rest.is_empty() {
            return None;
        }
        let head = read_number(&mut self.rest);
        if head & 1 == 1 {
            self.at.object = u32::try_from(read_number(&mut self.rest)).unwrap_or(u32::MAX);
            self.at.function = u32::try_from(read_number(&mut self.rest)).unwrap_or(u32::MAX);
        }
        self.at.address = after(self.at.address, read_number(&mut self.rest));
        self.counts.clear();
        for _ in 0..head >> 1 {
            self.counts.push(read_number(&mut self.rest));
        }
        Some(self.at)
    }

    /// Returns the counts of the last cost that was read.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

/// Returns the distance between two addresses as a number that is small for both directions.
fn distance(from: u64, to: u64) -> u64 {
    let distance = to.wrapping_sub(from);
    let backwards = if distance >> 63 == 1 { u64::MAX } else { 0 };
    (distance << 1) ^ backwards
}

/// Returns the address at this distance.
fn after(from: u64, distance: u64) -> u64 {
    let backwards = if distance & 1 == 1 { u64::MAX } else { 0 };
    from.wrapping_add((distance >> 1) ^ backwards)
}

/// Writes seven bits per byte, the lowest first. All bytes but the last one have the highest bit.
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

fn read_number(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn costs_are_read_as_they_were_written(
            costs in vec((0..3_u32, 0..3_u32, any::<u64>(), vec(any::<u64>(), 1..9)), 0..20),
        ) {
            let mut written = Costs::default();
            for (object, function, address, counts) in &costs {
                let (object, function, address) = (*object, *function, *address);
                written.push(Position { object, function, address }, counts);
            }
            let mut reader = written.reader();
            for (object, function, address, counts) in costs {
                let at = Position { object, function, address };
                prop_assert_eq!(reader.next_position(), Some(at));
                prop_assert_eq!(reader.counts(), counts);
            }
            prop_assert_eq!(reader.next_position(), None);
        }
    }

    #[test]
    fn a_cost_takes_few_bytes() {
        let mut costs = Costs::default();
        for index in 0..1000 {
            let at = Position { object: 1, function: 70, address: 0x0012_3456 + 4 * index };
            costs.push(at, &[100, 1]);
        }
        assert!(costs.bytes.len() < 1000 * 4 + 16, "{}", costs.bytes.len());
    }
}
