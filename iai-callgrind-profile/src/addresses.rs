//! A profile with addresses: the cost of each instruction and of each call.

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
    pub costs: Vec<Cost>,
    /// The counts of these costs, one after the other.
    pub counts: Vec<u64>,
    /// The calls that instructions make.
    pub calls: Vec<Call>,
}

/// The costs of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// The instruction.
    pub at: Position,
    /// Number of its counts. The events without one, which are the last ones, have none.
    pub number: u16,
}

/// An instruction of a function in an object file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// Returns the instructions with their counts.
    pub fn rows(&self) -> impl Iterator<Item = (Position, &[u64])> {
        let mut rest = &*self.counts;
        self.costs.iter().map(move |cost| {
            let (counts, after) = rest.split_at(rest.len().min(cost.number.into()));
            rest = after;
            (cost.at, counts)
        })
    }

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
        self.costs.extend(other.costs.into_iter().map(|cost| Cost { at: place(cost.at), ..cost }));
        self.counts.extend(other.counts);
        let calls = other.calls.into_iter();
        self.calls.extend(calls.map(|call| Call {
            from: place(call.from),
            to: place(call.to),
            ..call
        }));
    }
}

/// Adds names that are not there yet, and returns the indices of all of them.
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
