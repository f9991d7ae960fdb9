//! Reads a dump with addresses.

use std::collections::HashMap;

use super::code::Code;
use super::objects::find_objects;
use super::observed::{Address, CostLine, File, Observed, Step, add};
use crate::filter::{Names, Next};
use crate::line::{number, quote, words};
use crate::names::split_id;
use crate::positions::resolve;

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
}

/// Returns true for a line that starts the costs.
pub(super) fn is_body(line: &[u8]) -> bool {
    [&b"ob="[..], b"fl=", b"fn="].iter().any(|start| line.starts_with(start))
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
