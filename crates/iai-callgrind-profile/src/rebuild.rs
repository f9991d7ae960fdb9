//! Rebuilds the functions and calls of a dump from its addresses and the machine code.
//!
//! On `AArch64` callgrind misjudges calls and returns. Valgrind's decoder reports a plain branch (`b`) as a call, and a
//! call leaves the stack pointer as it is, so that callgrind often misses the return of a function that has branched
//! in its own frame. In the dump, functions seem to call themselves at each branch, callers seem to be called by
//! functions that they called, and the costs of a caller are those of the called function. The costs of each
//! instruction are exact all the same, and so is the number of times that one instruction was followed by another.
//!
//! The text of the dump is made again from these:
//!
//! - An instruction belongs to the function whose symbol contains it. Where there is no symbol, a function starts at
//!   each target of a call.
//! - A call with a fixed target was made as often as its instruction was executed. An indirect call was made as often as
//!   callgrind says. A branch to another function is a call, because the function returns to the caller's caller.
//! - The inclusive cost of a call can't be known if its function has several callers. Each gets a part of
//!   the function's cost in proportion to its number of calls. A recursion is one unit here: calls into it share its
//!   cost, and calls within it cost nothing more.

mod branch;
mod code;
mod flow;
mod objects;
mod observed;
mod read;
mod write;

use crate::files;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

pub use self::branch::Branch;
pub use self::code::Code;
use self::flow::Edge;
use self::observed::{Address, Observed, without_level};
use crate::dump::WITH_ADDRESSES;
use crate::error::{Error, Result};
use crate::linkage::LINKAGE;

/// A function: the index of its object file, and its first address.
type Key = (u32, u64);

/// Rebuilds the functions and calls of the dump with this path, without the costs of the functions that are left out, and
/// returns the text. Returns `None` if its positions are not addresses and lines. The text of a dump that is cut off or has
/// no costs stays as it is.
///
/// # Errors
///
/// Returns an error if the dump can't be read, or is malformed.
pub fn rebuild(
    path: &Path,
    open: &dyn Fn(&str) -> Box<dyn Code>,
    is_left_out: &dyn Fn(&str) -> bool,
) -> Result<Option<Vec<u8>>> {
    let text = files::read(path).map_err(Error::io("read", path))?;
    let positions = format!("positions: {}", WITH_ADDRESSES.join(" "));
    let mut header = text.split(|byte| *byte == b'\n').take_while(|line| !read::is_body(line));
    if !header.any(|line| line == positions.as_bytes()) {
        return Ok(None);
    }
    let observed =
        Observed::read(&text, open).map_err(|(line, cause)| Error::malformed(path, line, cause))?;
    let rebuilt = observed.map(|observed| Rebuilt::new(observed, is_left_out).write());
    Ok(Some(rebuilt.unwrap_or(text)))
}

/// The functions and calls of a dump.
struct Rebuilt {
    observed: Observed,
    /// Functions in the order of their addresses, each with its name and its instructions.
    functions: Vec<Function>,
    edges: Vec<Edge>,
}

#[derive(Debug, Default)]
struct Function {
    key: Key,
    name: String,
    instructions: Vec<Address>,
}

impl Rebuilt {
    fn new(mut observed: Observed, is_left_out: &dyn Fn(&str) -> bool) -> Self {
        observed.find_linkage();
        let starts = Starts::new(&observed);
        let mut functions: BTreeMap<Key, Function> = BTreeMap::new();
        for at in observed.addresses() {
            let key = starts.function(at, &observed);
            functions.entry(key).or_default().instructions.push(at);
        }
        let calls = calls(&observed, &starts);
        let names = Names::new(&observed);
        for (key, function) in &mut functions {
            (function.key, function.name) = (*key, names.name(*key, &observed));
        }
        name_linkage(&mut functions, &calls, &observed);
        functions.retain(|_, function| !is_left_out(&function.name));
        let functions: Vec<_> = functions.into_values().collect();
        let indices: HashMap<Key, usize> =
            functions.iter().enumerate().map(|(index, function)| (function.key, index)).collect();
        let calls = calls.into_iter().filter_map(|calls| {
            let caller = *indices.get(&calls.from)?;
            let target = *indices.get(&calls.to)?;
            Some(Edge { caller, target, at: calls.at, times: calls.times, costs: Vec::new() })
        });
        let mut edges: Vec<_> = calls.collect();
        let own: Vec<_> =
            functions.iter().map(|function| observed.sum(&function.instructions)).collect();
        flow::distribute(&own, &mut edges);
        Self { observed, functions, edges }
    }
}

/// The first addresses of functions without symbols.
struct Starts(BTreeSet<Address>);

impl Starts {
    fn new(observed: &Observed) -> Self {
        let mut starts = BTreeSet::new();
        let mut add = |to: Address| {
            if observed.code(to).symbol(to.address).is_none() {
                starts.insert(to);
            }
        };
        for at in observed.addresses() {
            let branch = observed.code(at).branch(at.address);
            if let Some(Branch::Call(address)) = branch {
                add(Address { address, ..at });
            } else if let Some(Branch::Jump(address)) = branch {
                // Within the code of a function without a symbol, a branch is an ordinary one
                if observed.code(at).is_linkage(address) {
                    add(Address { address, ..at });
                }
            }
        }
        for call in &observed.calls {
            if observed.code(call.from).branch(call.from.address) == Some(Branch::Indirect) {
                add(call.to);
            }
        }
        Self(starts)
    }

    fn function(&self, at: Address, observed: &Observed) -> Key {
        if let Some(start) = observed.code(at).symbol(at.address) {
            return (at.object, start);
        }
        let first = Address { address: 0, ..at };
        let start = self.0.range(first..=at).next_back();
        (at.object, start.map_or(0, |start| start.address))
    }
}

/// The calls of a function by one instruction.
#[derive(Debug)]
struct Calls {
    from: Key,
    at: Address,
    to: Key,
    times: u64,
}

fn calls(observed: &Observed, starts: &Starts) -> Vec<Calls> {
    let mut calls = direct_calls(observed, starts);
    calls.extend(other_calls(observed, starts));
    calls
}

/// Returns the calls whose target is in their instruction.
fn direct_calls(observed: &Observed, starts: &Starts) -> Vec<Calls> {
    let mut calls = Vec::new();
    for at in observed.addresses() {
        let (address, is_call) = match observed.code(at).branch(at.address) {
            Some(Branch::Call(address)) => (address, true),
            Some(Branch::Jump(address)) => (address, false),
            _ => continue,
        };
        let from = starts.function(at, observed);
        let to = starts.function(Address { address, ..at }, observed);
        let times = observed.times(at);
        if times > 0 && (is_call || from != to || to.1 == address) {
            calls.push(Calls { from, at, to, times });
        }
    }
    calls
}

/// Returns the calls by other instructions, with callgrind's targets.
fn other_calls(observed: &Observed, starts: &Starts) -> Vec<Calls> {
    let mut targets: BTreeMap<Address, BTreeMap<Key, u64>> = BTreeMap::new();
    for step in &observed.calls {
        let branch = observed.code(step.from).branch(step.from.address);
        if !matches!(branch, Some(Branch::Indirect | Branch::Other) | None) {
            continue;
        }
        let from = starts.function(step.from, observed);
        let to = starts.function(step.to, observed);
        if from != to || to.1 == step.to.address {
            let times = targets.entry(step.from).or_default().entry(to).or_default();
            *times = times.saturating_add(step.times);
        }
    }
    let mut calls = Vec::new();
    for (at, targets) in targets {
        let from = starts.function(at, observed);
        let is_indirect = observed.code(at).branch(at.address) == Some(Branch::Indirect);
        // An instruction that always calls the same function
        let is_fixed = is_indirect && targets.len() == 1 && !targets.contains_key(&from);
        let mut rest = observed.times(at);
        for (to, times) in targets {
            // Callgrind counts calls also while it collects no costs
            let times = if is_fixed { rest } else { times.min(rest) };
            rest -= times;
            if times > 0 {
                calls.push(Calls { from, at, to, times });
            }
        }
    }
    calls
}

/// The names that callgrind has for functions, by their first addresses.
struct Names(HashMap<Address, BTreeMap<u32, u64>>);

impl Names {
    fn new(observed: &Observed) -> Self {
        let mut names: HashMap<Address, BTreeMap<u32, u64>> = HashMap::new();
        for call in &observed.calls {
            let times = names.entry(call.to).or_default().entry(call.function).or_default();
            *times = times.saturating_add(call.times.max(1));
        }
        Self(names)
    }

    /// Returns callgrind's name of the function, or else the symbol's.
    fn name(&self, (object, address): Key, observed: &Observed) -> String {
        let at = Address { object, address };
        // The numbers of functions depend on what ran before
        let name = |function: &u32| &observed.functions[*function as usize];
        let names = self.0.get(&at);
        let known =
            names.and_then(|names| names.iter().max_by_key(|(id, times)| (**times, name(id))));
        if let Some((function, _)) = known {
            return without_level(&observed.functions[*function as usize]).to_owned();
        }
        match observed.code(at).name(address) {
            Some(name) => name,
            None if address == 0 => "???".to_owned(),
            None => format!("{address:#018x}"),
        }
    }
}

/// Names the jumps to other object files by their targets: `malloc@plt`.
fn name_linkage(functions: &mut BTreeMap<Key, Function>, calls: &[Calls], observed: &Observed) {
    for Calls { from, to, .. } in calls {
        let (object, address) = *from;
        if !observed.code(Address { object, address }).is_linkage(address) {
            continue;
        }
        let Some(name) = functions.get(to).map(|function| format!("{}{LINKAGE}", function.name))
        else {
            continue;
        };
        if let Some(function) = functions.get_mut(from) {
            function.name = name;
        }
    }
}

#[cfg(test)]
mod tests;
