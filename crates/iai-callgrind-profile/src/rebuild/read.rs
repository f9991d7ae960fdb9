//! Reads a dump with addresses: the costs of each instruction, and the steps from one function to another.

use std::collections::{BTreeMap, HashMap};

use super::objects::find_objects;
use super::{Branch, Code};
use crate::filter::{Names, Next};
use crate::line::{number, quote, words};
use crate::names::split_id;
use crate::positions::resolve;

/// The name of an object file that callgrind does not know.
const UNKNOWN: &str = "???";

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
    codes: Vec<Box<dyn Code>>,
    /// A path has a file for each object file.
    pub(super) files: Vec<File>,
    pub(super) functions: Vec<String>,
    pub(super) instructions: BTreeMap<Address, Instruction>,
    pub(super) calls: Vec<Step>,
    /// The index of the number of executions among the counts.
    executions: usize,
}

impl Observed {
    /// Reads a dump; `None` if it has no costs or is cut off. An error has the number of its line.
    pub(super) fn read(
        text: &[u8],
        open: &dyn Fn(&str) -> Box<dyn Code>,
    ) -> Result<Option<Self>, (usize, String)> {
        let mut reader = Reader::default();
        let (mut in_body, mut is_complete) = (false, false);
        for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            in_body |= is_body(line);
            if content.starts_with(b"totals:") {
                is_complete = true;
            } else if in_body {
                reader.line(content).ok_or_else(|| {
                    (index + 1, format!("{} doesn't belong among the costs", quote(content)))
                })?;
            } else {
                reader.header(line);
            }
        }
        Ok((in_body && is_complete).then(|| reader.finish(open)))
    }

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

/// Returns true for a line that starts the costs.
pub(super) fn is_body(line: &[u8]) -> bool {
    [&b"ob="[..], b"fl=", b"fn="].iter().any(|start| line.starts_with(start))
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

/// The files by their numbers in the dump. Callgrind has a number for each path and object file.
#[derive(Debug, Default)]
struct Files(HashMap<Vec<u8>, u32>);

impl Files {
    fn index(&mut self, value: &[u8], all: &mut Vec<File>) -> Option<u32> {
        let (key, name) = match split_id(value).ok()? {
            Some((number, name)) => (number.to_string().into_bytes(), name.trim_ascii()),
            None => (value.to_owned(), value),
        };
        if let Some(index) = self.0.get(&key) {
            return Some(*index);
        }
        let index = u32::try_from(all.len()).ok()?;
        all.push(File { name: String::from_utf8_lossy(name).into_owned(), object: None });
        self.0.insert(key, index);
        Some(index)
    }
}

/// The state between two lines of the costs.
#[derive(Debug, Default)]
struct Reader {
    observed: Observed,
    /// The number of counts in the header.
    events: usize,
    lines: Vec<CostLine>,
    /// The instruction of each call, which has a cost line before it.
    from: Vec<usize>,
    objects: Names,
    files: Files,
    functions: Names,
    object: u32,
    function: u32,
    file: u32,
    target_object: Option<u32>,
    target_function: u32,
    /// Address and line of the last line with self cost.
    last: (u64, u64),
    next: Next,
}

impl Reader {
    fn header(&mut self, line: &[u8]) {
        self.observed.header.extend_from_slice(line);
        if let Some(events) = line.strip_prefix(b"events:") {
            let mut events = words(events.trim_ascii_end());
            self.events = events.clone().count();
            self.observed.executions = events.position(|name| name == b"Ir").unwrap_or_default();
        }
    }

    /// Returns the dump with each cost at its instruction.
    fn finish(mut self, open: &dyn Fn(&str) -> Box<dyn Code>) -> Observed {
        self.observed.codes = self.observed.objects.iter().map(|object| open(object)).collect();
        find_objects(&mut self.lines, &self.observed);
        for (step, line) in self.observed.calls.iter_mut().zip(self.from) {
            step.from = self.lines[line].at;
        }
        for CostLine { at, file, line, counts, .. } in self.lines {
            let instruction = self.observed.instructions.entry(at).or_default();
            (instruction.file, instruction.line) = (file, line);
            add(&mut instruction.counts, &counts);
        }
        self.observed
    }

    /// Reads a line; `None` if it is malformed.
    fn line(&mut self, line: &[u8]) -> Option<()> {
        match line.first() {
            None => Some(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.costs(line),
            Some(_) => {
                let at = line.iter().position(|byte| *byte == b'=')?;
                self.entry(&line[..at], &line[at + 1..])
            }
        }
    }

    fn entry(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        let Observed { objects, files, functions, .. } = &mut self.observed;
        match key {
            b"ob" => self.object = self.objects.index(value, objects)?,
            b"cob" => self.target_object = Some(self.objects.index(value, objects)?),
            b"fl" => {
                self.file = self.files.index(value, files)?;
                files[self.file as usize].object = Some(self.object);
            }
            b"fi" | b"fe" => self.file = self.files.index(value, files)?,
            b"cfi" | b"cfl" => {
                let file = self.files.index(value, files)?;
                files[file as usize].object = Some(self.target_object.unwrap_or(self.object));
            }
            b"jfi" => drop(self.files.index(value, files)?),
            b"fn" => self.function = self.functions.index(value, functions)?,
            b"jfn" => drop(self.functions.index(value, functions)?),
            b"cfn" => self.target_function = self.functions.index(value, functions)?,
            b"calls" => {
                let mut words = words(value);
                let times = number(words.next()?)?;
                self.next = Next::Call { times, address: resolve(words.next()?, self.last.0)? };
            }
            b"jump" | b"jcnd" => self.next = Next::Jump,
            _ => return None,
        }
        Some(())
    }

    fn costs(&mut self, line: &[u8]) -> Option<()> {
        let Observed { objects, files, functions, .. } = &self.observed;
        if objects.is_empty() || files.is_empty() || functions.is_empty() {
            return None;
        }
        let mut words = words(line);
        let address = resolve(words.next()?, self.last.0)?;
        let line = resolve(words.next()?, self.last.1)?;
        let at = Address { object: self.object, address };
        match std::mem::take(&mut self.next) {
            Next::Own => {
                self.last = (address, line);
                let counts = words.map(number).collect::<Option<Vec<_>>>()?;
                if counts.len() > self.events {
                    return None;
                }
                let (function, file) = (self.function, self.file);
                self.lines.push(CostLine { at, function, file, line, counts });
            }
            Next::Call { times, address: target } => {
                let object = self.target_object.take().unwrap_or(self.object);
                let to = Address { object, address: target };
                // A call by an instruction without a cost was not measured
                if self.lines.last().is_some_and(|line| line.at.address == address) {
                    self.from.push(self.lines.len() - 1);
                    let (from, function) = (at, self.target_function);
                    self.observed.calls.push(Step { from, to, function, times });
                }
            }
            Next::Jump => {}
        }
        Some(())
    }
}
