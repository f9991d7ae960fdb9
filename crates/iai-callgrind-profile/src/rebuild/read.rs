//! Reads a dump with addresses.

use std::collections::HashMap;

use super::code::Code;
use super::objects::find_objects;
use super::observed::{Address, CostLine, File, Observed, Step, add};
use crate::collector::Next;
use crate::current_file::CurrentFile;
use crate::line::ProfileLine;
use crate::malformed::Malformed;
use crate::names::{NameId, NameKind, NameSpec, Names};
use crate::positions::resolve;
use crate::words::{number, quote, words};

impl Observed {
    /// Reads a dump; `None` if it has no costs or is cut off. An error has the number of its line.
    pub(super) fn read(
        text: &[u8],
        open: &dyn Fn(&str) -> Box<dyn Code>,
    ) -> Result<Option<Self>, (usize, Malformed)> {
        let mut reader = Reader::default();
        let (mut in_body, mut is_complete) = (false, false);
        for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            in_body |= is_body(line);
            if content.starts_with(b"totals:") {
                is_complete = true;
            } else if in_body {
                reader
                    .line(content)
                    .ok_or_else(|| (index + 1, Malformed::NotInBody(quote(content))))?;
            } else {
                reader.header(line);
            }
        }
        Ok((in_body && is_complete).then(|| reader.finish(open)))
    }
}

/// Returns true for a line that starts the costs.
pub(super) fn is_body(line: &[u8]) -> bool {
    [&b"ob="[..], b"fl=", b"fn="].iter().any(|start| line.starts_with(start))
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
    names: Names,
    /// The object files that the files of some names are certain to belong to.
    objects_of_files: HashMap<u32, u32>,
    object: u32,
    function: u32,
    file: CurrentFile<u32>,
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
        self.observed.objects = self.names.texts(NameKind::Object);
        self.observed.functions = self.names.texts(NameKind::Function);
        let files = (0..).zip(self.names.texts(NameKind::File));
        let object = |index| self.objects_of_files.get(&index).copied();
        let files = files.map(|(index, name)| File { name, object: object(index) });
        self.observed.files = files.collect();
        self.sort_objects();
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

    /// Sorts the object files by their paths. Their order in the dump is that in which callgrind found them, in other benchmarks
    /// as well, and the order of functions decides about the rests of divided costs.
    fn sort_objects(&mut self) {
        let unsorted = std::mem::take(&mut self.observed.objects);
        let mut order: Vec<_> = (0_u32..).zip(unsorted).collect();
        order.sort_by(|(_, object), (_, other)| object.cmp(other));
        let sorted = (0_u32..).zip(&order).map(|(to, (from, _))| (*from, to));
        let sorted: HashMap<u32, u32> = sorted.collect();
        for line in &mut self.lines {
            line.at.object = sorted[&line.at.object];
        }
        for step in &mut self.observed.calls {
            step.to.object = sorted[&step.to.object];
        }
        for object in self.observed.files.iter_mut().filter_map(|file| file.object.as_mut()) {
            *object = sorted[object];
        }
        self.observed.objects = order.into_iter().map(|(_, object)| object).collect();
    }

    /// Reads a line; `None` if it is malformed.
    fn line(&mut self, line: &[u8]) -> Option<()> {
        match ProfileLine::classify(line)? {
            ProfileLine::Nothing => {}
            ProfileLine::Header { .. } => return None,
            ProfileLine::Costs(costs) => return self.costs(costs),
            ProfileLine::Name { spec, value } => {
                let name = self.names.read(spec, value).ok()?;
                let is_known = name.kind == NameKind::File || !self.names.text(name).is_empty();
                is_known.then(|| self.name(spec, name))?;
            }
            ProfileLine::Calls(value) => {
                let mut words = words(value);
                let times = number(words.next()?)?;
                self.next = Next::Call { times, address: resolve(words.next()?, self.last.0)? };
            }
            ProfileLine::Jump(..) => self.next = Next::Jump,
        }
        Some(())
    }

    fn name(&mut self, spec: NameSpec, name: NameId) {
        let NameId { index, .. } = name;
        match spec {
            NameSpec::Object => self.object = index,
            NameSpec::CalledObject => self.target_object = Some(index),
            NameSpec::File => {
                self.file.name_functions(index);
                self.objects_of_files.insert(index, self.object);
            }
            NameSpec::InlinedFile | NameSpec::EndOfInlinedFile => self.file.name(index),
            NameSpec::CalledFile | NameSpec::CalledFileOfOldVersions => {
                let object = self.target_object.unwrap_or(self.object);
                self.objects_of_files.insert(index, object);
            }
            NameSpec::Function => {
                self.function = index;
                self.file.start_function();
            }
            NameSpec::CalledFunction => self.target_function = index,
            NameSpec::JumpFile | NameSpec::JumpFunction => {}
        }
    }

    fn costs(&mut self, line: &[u8]) -> Option<()> {
        if NameKind::ALL.into_iter().any(|kind| self.names.is_empty(kind)) {
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
                self.file.self_cost();
                let (function, file) = (self.function, self.file.get());
                self.lines.push(CostLine { at, function, file, line, counts });
            }
            Next::Call { times, address: target } => {
                self.file.call();
                let object = self.target_object.take().unwrap_or(self.object);
                let to = Address { object, address: target };
                // A call by an instruction without a cost was not measured
                if self.lines.last().is_some_and(|line| line.at.address == address) {
                    self.from.push(self.lines.len() - 1);
                    let (from, function) = (at, self.target_function);
                    self.observed.calls.push(Step { from, to, function, times });
                }
            }
            Next::Jump => self.file.call(),
        }
        Some(())
    }
}
