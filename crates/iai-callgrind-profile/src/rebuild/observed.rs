//! A dump with addresses: the costs of each instruction, and the steps from one function to another.

use std::collections::BTreeMap;

use super::branch::Branch;
use super::code::Code;

/// The name of an object file or a source file that callgrind does not know.
pub(super) const UNKNOWN: &str = "???";

/// An instruction: the index of its object file, and its address there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Address {
    pub(super) object: u32,
    pub(super) address: u64,
}

/// The costs of an instruction in one of callgrind's functions.
#[derive(Debug, Default)]
pub(super) struct CostLine {
    pub(super) at: Address,
    /// Callgrind's name of the function.
    pub(super) function: u32,
    pub(super) file: u32,
    /// 0 without debug information.
    pub(super) line: u64,
    pub(super) counts: Vec<u64>,
}

/// An instruction that was executed.
#[derive(Debug, Default)]
pub(super) struct Instruction {
    pub(super) file: u32,
    pub(super) line: u64,
    pub(super) counts: Vec<u64>,
}

/// A step that callgrind takes for a call.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) from: Address,
    pub(super) to: Address,
    /// Callgrind's name of the code at the target.
    pub(super) function: u32,
    pub(super) times: u64,
}

/// A file by the number that it has in the dump, and the object file that it is certain to belong to.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) object: Option<u32>,
}

/// A dump with addresses.
#[derive(Debug, Default)]
pub(super) struct Observed {
    /// The lines before the costs.
    pub(super) header: Vec<u8>,
    pub(super) objects: Vec<String>,
    /// The machine code of each of them.
    pub(super) codes: Vec<Box<dyn Code>>,
    /// A path has a file for each object file.
    pub(super) files: Vec<File>,
    pub(super) functions: Vec<String>,
    pub(super) instructions: BTreeMap<Address, Instruction>,
    pub(super) calls: Vec<Step>,
    /// The index of the number of executions among the counts.
    pub(super) executions: usize,
}

impl Observed {
    /// Returns the machine code of an object file.
    pub(super) fn code(&self, at: Address) -> &dyn Code {
        &*self.codes[at.object as usize]
    }

    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.instructions.keys().copied()
    }

    /// Returns how often an instruction was executed.
    pub(super) fn times(&self, at: Address) -> u64 {
        let counts = self.instructions.get(&at).map(|instruction| &instruction.counts);
        counts.and_then(|counts| counts.get(self.executions)).copied().unwrap_or_default()
    }

    /// Returns the costs of several instructions.
    pub(super) fn sum(&self, instructions: &[Address]) -> Vec<u64> {
        let mut sum = Vec::new();
        for instruction in instructions.iter().filter_map(|at| self.instructions.get(at)) {
            add(&mut sum, &instruction.counts);
        }
        sum
    }

    /// Finds the addresses of jumps to other object files. Callgrind knows neither their object file nor its address in
    /// memory, which follows from the first call of such a jump.
    pub(super) fn find_linkage(&mut self) {
        let is_unknown = |at: Address, objects: &[String]| objects[at.object as usize] == UNKNOWN;
        let mut bases: BTreeMap<u32, u64> = BTreeMap::new();
        for Step { from, to, .. } in &self.calls {
            if !is_unknown(*to, &self.objects) || is_unknown(*from, &self.objects) {
                continue;
            }
            let code = self.code(*from);
            if let Some(Branch::Call(target) | Branch::Jump(target)) = code.branch(from.address) {
                if code.is_linkage(target) {
                    bases.insert(from.object, to.address.wrapping_sub(target));
                }
            }
        }
        let (objects, codes) = (&self.objects, &self.codes);
        let known = |at: Address| {
            let of = |(object, base): (&u32, &u64)| {
                let address = at.address.wrapping_sub(*base);
                let found = Address { object: *object, address };
                codes[*object as usize].is_linkage(address).then_some(found)
            };
            let found = is_unknown(at, objects).then(|| bases.iter().find_map(of));
            found.flatten().unwrap_or(at)
        };
        let instructions = std::mem::take(&mut self.instructions).into_iter();
        self.instructions =
            instructions.map(|(at, instruction)| (known(at), instruction)).collect();
        for step in &mut self.calls {
            (step.from, step.to) = (known(step.from), known(step.to));
        }
    }
}

/// Adds costs, of which the last ones can be missing.
pub(super) fn add(sum: &mut Vec<u64>, counts: &[u64]) {
    if sum.len() < counts.len() {
        sum.resize(counts.len(), 0);
    }
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}

/// Returns a function's name without the level of a recursion: `f'2`.
pub(super) fn without_level(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((name, level))
            if !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}
