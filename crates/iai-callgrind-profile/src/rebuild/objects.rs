//! Finds the object file of each cost.
//!
//! Callgrind writes the object file of the function, and the address of the instruction in its own object file. When it
//! has missed the return of `malloc`, the instructions of the caller have their right addresses, among those of the C
//! library.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::branch::Branch;
use super::observed::{Address, CostLine, Observed, without_level};

/// Maximum distance of an instruction without a symbol from the start of its function.
const NAMELESS: u64 = 1 << 16;

/// Sets the object files of all costs.
pub(super) fn find_objects(lines: &mut [CostLine], observed: &Observed) {
    if observed.objects.len() < 2 {
        return;
    }
    let stated: Vec<u32> = lines.iter().map(|line| line.at.object).collect();
    let mut entered = Entered::new(lines, observed);
    loop {
        let files = files(lines, &stated, observed, &mut entered);
        for (line, stated) in lines.iter_mut().zip(&stated) {
            line.at.object = object(line, *stated, &files, observed, &mut entered);
        }
        if !entered.add_branches(lines, observed) {
            return;
        }
    }
}

/// Returns the object file of a cost.
fn object(
    line: &CostLine,
    stated: u32,
    files: &[Option<u32>],
    observed: &Observed,
    entered: &mut Entered,
) -> u32 {
    if let Some(object) = files[line.file as usize].filter(|_| line.line > 0) {
        return object;
    }
    let function = without_level(&observed.functions[line.function as usize]);
    let as_stated = Address { object: stated, ..line.at };
    if entered.function(as_stated, observed).is_some_and(|it| entered.has_name(it, function)) {
        return stated;
    }
    // Returns are missed more often than calls
    entered.objects(line.at.address, observed).find(|it| *it != stated).unwrap_or(stated)
}

/// Returns the object file of each source file, if known.
fn files(
    lines: &[CostLine],
    stated: &[u32],
    observed: &Observed,
    entered: &mut Entered,
) -> Vec<Option<u32>> {
    let mut files: Vec<_> = observed.files.iter().map(|file| file.object).collect();
    // For the others, the object file in which most of their instructions belong to a function that was called
    let mut votes: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for (index, (line, stated)) in lines.iter().zip(stated).enumerate() {
        if line.line == 0 || files[line.file as usize].is_some() {
            continue;
        }
        let votes = votes.entry(line.file).or_default();
        // With equal votes, callgrind is believed
        *votes.entry(*stated).or_default() += 1;
        for object in entered.objects(line.at.address, observed) {
            *votes.entry(object).or_default() += 4;
        }
        // What is next to the instruction in a block of code is in the same object file
        for next in neighbours(lines, index) {
            if let Some(object) = observed.files[next.file as usize].object {
                *votes.entry(object).or_default() += 8;
            }
        }
    }
    for (file, votes) in votes {
        files[file as usize] =
            votes.into_iter().max_by_key(|(_, votes)| *votes).map(|(object, _)| object);
    }
    files
}

/// Returns the costs of the instructions right before and after one.
fn neighbours(lines: &[CostLine], index: usize) -> impl Iterator<Item = &CostLine> {
    let address = lines[index].at.address;
    let others = [index.checked_sub(1), index.checked_add(1)].into_iter().flatten();
    let others = others.filter_map(|other| lines.get(other));
    others.filter(move |other| other.line > 0 && other.at.address.abs_diff(address) == 4)
}

/// The functions that were called, by their first addresses.
struct Entered {
    starts: BTreeSet<Address>,
    /// Callgrind's names of them.
    names: HashMap<Address, BTreeSet<String>>,
}

impl Entered {
    fn new(lines: &[CostLine], observed: &Observed) -> Self {
        let mut entered = Self { starts: BTreeSet::new(), names: HashMap::new() };
        let mut add = |at: Address, function: u32| {
            entered.starts.insert(at);
            let name = without_level(&observed.functions[function as usize]).to_owned();
            entered.names.entry(at).or_default().insert(name);
        };
        for step in &observed.calls {
            // What seems to be called after a return is the middle of a function
            let start = observed.code(step.to).symbol(step.to.address);
            if start.is_none_or(|start| start == step.to.address) {
                add(step.to, step.function);
            }
        }
        // The measured function and the start functions of threads have no measured caller
        for line in lines {
            if observed.code(line.at).symbol(line.at.address) == Some(line.at.address) {
                add(line.at, line.function);
            }
        }
        entered
    }

    /// Adds the targets of the calls and jumps that were executed. Returns `false` if all were known.
    fn add_branches(&mut self, lines: &[CostLine], observed: &Observed) -> bool {
        let before = self.starts.len();
        for line in lines {
            let code = observed.code(line.at);
            let branch = code.branch(line.at.address);
            if let Some(Branch::Call(address) | Branch::Jump(address)) = branch {
                if code.symbol(address) == Some(address) {
                    self.starts.insert(Address { address, ..line.at });
                }
            }
        }
        self.starts.len() > before
    }

    /// Returns the first address of the function that contains an address; `None` if it was not called.
    fn function(&self, at: Address, observed: &Observed) -> Option<Address> {
        if let Some(address) = observed.code(at).symbol(at.address) {
            return Some(Address { address, ..at }).filter(|start| self.starts.contains(start));
        }
        let first = Address { address: at.address.saturating_sub(NAMELESS), ..at };
        let start = self.starts.range(first..=at).next_back()?;
        observed.code(at).symbol(start.address).is_none().then_some(*start)
    }

    /// Returns the object files that have such a function at this address.
    fn objects<'a>(
        &'a self,
        address: u64,
        observed: &'a Observed,
    ) -> impl Iterator<Item = u32> + 'a {
        let objects = (0_u32..).zip(&observed.objects).map(|(object, _)| object);
        objects.filter(move |object| {
            let at = Address { object: *object, address };
            self.function(at, observed).is_some()
        })
    }

    fn has_name(&self, start: Address, name: &str) -> bool {
        self.names.get(&start).is_some_and(|names| names.contains(name))
    }
}
