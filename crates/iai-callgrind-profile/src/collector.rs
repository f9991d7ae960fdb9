//! Collects the costs of addresses while a dump is read, and takes the addresses out of it.
//!
//! Callgrind writes the cost line of a call or jump relative to the last line with self cost, and the next line as
//! well. Lines without addresses have absolute numbers, which mean the same to all readers.

use std::io::Write;
use std::mem;

use crate::addresses::{AddressProfile, Call, Position};
use crate::line::{BodyLine, LineSink};
use crate::malformed::Malformed;
use crate::names::{NameId, NameKind, NameSpec, Names};
use crate::positions::resolve;
use crate::words::{number, quote, words};

/// Use of the addresses in a dump.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Addresses {
    /// The dump is read as it is.
    #[default]
    Ignored,
    /// They are collected, and stay in the dump.
    Kept,
    /// They are collected and removed.
    Removed,
}

/// Collects the costs of addresses, and adds up the costs of a source line.
#[derive(Debug)]
pub(crate) struct Collector {
    profile: AddressProfile,
    keeps_addresses: bool,
    object: u32,
    function: u32,
    target_object: Option<u32>,
    target_function: u32,
    /// Address and line of the last line with self cost.
    last: (u64, u64),
    /// The counts of the current instruction.
    counts: Vec<u64>,
    /// A source line and the costs of its instructions.
    sums: Option<(u64, Vec<u64>)>,
    next: Next,
    /// The calls of a function before its first self cost. A function without one was not measured: its calls led to
    /// the measured function.
    undecided: Option<Vec<Call>>,
    /// A line without addresses.
    line: Vec<u8>,
}

/// The subject of the next cost line.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) enum Next {
    #[default]
    Own,
    Call {
        times: u64,
        address: u64,
    },
    Jump,
}

impl Collector {
    /// Collects costs of these events that this program wrote.
    pub(crate) fn new(creator: String, events: Vec<String>, keeps_addresses: bool) -> Self {
        let profile = AddressProfile { creator, events, ..AddressProfile::default() };
        Self {
            profile,
            keeps_addresses,
            object: 0,
            function: 0,
            target_object: None,
            target_function: 0,
            last: (0, 0),
            counts: Vec::new(),
            sums: None,
            next: Next::Own,
            undecided: None,
            line: Vec::new(),
        }
    }

    /// Returns the costs of all lines, whose names are these.
    pub(crate) fn finish(self, names: &Names) -> AddressProfile {
        let objects = names.texts(NameKind::Object);
        AddressProfile { objects, functions: names.texts(NameKind::Function), ..self.profile }
    }

    /// Reads a line of the body, and passes it on without addresses.
    pub(crate) fn read(
        &mut self,
        line: BodyLine<'_>,
        names: &Names,
        sink: &mut LineSink<'_>,
    ) -> Result<(), Malformed> {
        if self.keeps_addresses {
            self.parse(line, names, &mut |_, _| Ok(()))?;
            return sink(line, names);
        }
        self.parse(line, names, sink)
    }

    /// Passes on the costs that were added up.
    pub(crate) fn flush(
        &mut self,
        names: &Names,
        sink: &mut LineSink<'_>,
    ) -> Result<(), Malformed> {
        let Some((line, sums)) = self.sums.take().filter(|_| !self.keeps_addresses) else {
            return Ok(());
        };
        self.line.clear();
        let _ = write!(self.line, "{line}");
        for sum in sums {
            let _ = write!(self.line, " {sum}");
        }
        sink(BodyLine::Costs(&self.line), names)
    }

    fn parse(
        &mut self,
        line: BodyLine<'_>,
        names: &Names,
        sink: &mut LineSink<'_>,
    ) -> Result<(), Malformed> {
        match line {
            BodyLine::Nothing => Ok(()),
            BodyLine::Costs(costs) => self.costs(costs, names, sink),
            BodyLine::Name(spec, name) => {
                self.flush(names, sink)?;
                self.name(spec, name, names)?;
                sink(line, names)
            }
            BodyLine::Calls(calls) => {
                self.flush(names, sink)?;
                self.calls(calls).ok_or_else(|| malformed(calls))?;
                sink(BodyLine::Calls(&self.line), names)
            }
            BodyLine::Jump(spec, jump) => {
                self.flush(names, sink)?;
                self.jump(jump).ok_or_else(|| malformed(jump))?;
                sink(BodyLine::Jump(spec, &self.line), names)
            }
        }
    }

    fn name(&mut self, spec: NameSpec, name: NameId, names: &Names) -> Result<(), Malformed> {
        match spec {
            NameSpec::Function => {
                self.function = name.index;
                self.undecided = Some(Vec::new());
            }
            NameSpec::CalledFunction => self.target_function = name.index,
            NameSpec::Object => self.object = name.index,
            NameSpec::CalledObject => self.target_object = Some(name.index),
            _ => return Ok(()),
        }
        if names.text(name).is_empty() { Err(Malformed::UnknownName) } else { Ok(()) }
    }

    /// Reads `3 0x10 27`: the number of calls, and the first instruction of the called function.
    fn calls(&mut self, calls: &[u8]) -> Option<()> {
        let mut words = words(calls);
        let times = number(words.next()?)?;
        let address = resolve(words.next()?, self.last.0)?;
        let line = resolve(words.next()?, self.last.1)?;
        // A call that was in progress when the measurement started
        self.next = Next::Call { times: times.max(1), address };
        self.line.clear();
        write!(self.line, "{times} {line}").ok()
    }

    /// Reads `1/2 0x10 27`: the address is the one before the last word.
    fn jump(&mut self, jump: &[u8]) -> Option<()> {
        self.next = Next::Jump;
        let words: Vec<_> = words(jump).collect();
        let [counts @ .., address, line] = &*words else { return None };
        resolve(address, self.last.0)?;
        self.line.clear();
        for word in counts {
            self.line.extend_from_slice(word);
            self.line.push(b' ');
        }
        write!(self.line, "{}", resolve(line, self.last.1)?).ok()
    }

    fn costs(
        &mut self,
        text: &[u8],
        names: &Names,
        sink: &mut LineSink<'_>,
    ) -> Result<(), Malformed> {
        let mut words = words(text);
        let mut position = |last| {
            let position = words.next().and_then(|word| resolve(word, last));
            position.ok_or_else(|| malformed(text))
        };
        let (address, line) = (position(self.last.0)?, position(self.last.1)?);
        let at = Position { object: self.object, function: self.function, address };
        if let Next::Own = self.next {
            self.last = (address, line);
            if self.sums.as_ref().is_some_and(|(last, _)| *last != line) {
                self.flush(names, sink)?;
            }
            return self.own_costs(at, line, words).ok_or_else(|| malformed(text));
        }
        self.line.clear();
        let _ = write!(self.line, "{line}");
        if let Next::Call { times, address } = mem::take(&mut self.next) {
            let mut inclusive = None;
            for word in words {
                inclusive = inclusive.or(number(word));
                self.line.push(b' ');
                self.line.extend_from_slice(word);
            }
            let object = self.target_object.take().unwrap_or(self.object);
            let to = Position { object, function: self.target_function, address };
            let call = Call { from: at, to, times, inclusive: inclusive.unwrap_or_default() };
            self.undecided.as_mut().unwrap_or(&mut self.profile.calls).push(call);
        }
        sink(BodyLine::Costs(&self.line), names)
    }

    fn own_costs<'a>(
        &mut self,
        at: Position,
        line: u64,
        words: impl Iterator<Item = &'a [u8]>,
    ) -> Option<()> {
        let (_, sums) = self.sums.get_or_insert_with(|| (line, Vec::new()));
        let AddressProfile { costs, calls, .. } = &mut self.profile;
        self.counts.clear();
        for (index, word) in words.enumerate() {
            let count = number(word)?;
            self.counts.push(count);
            match sums.get_mut(index) {
                Some(sum) => *sum = sum.checked_add(count)?,
                None => sums.push(count),
            }
        }
        if !self.counts.is_empty() {
            costs.push(at, &self.counts);
            if let Some(undecided) = self.undecided.take() {
                calls.extend(undecided);
            }
        }
        Some(())
    }
}

fn malformed(text: &[u8]) -> Malformed {
    Malformed::NotInBody(quote(text))
}

#[cfg(test)]
mod tests;
