//! Takes the addresses out of a dump while it is read, and collects them. Before that it cleans the lines.
//!
//! Callgrind writes the cost line of a call or jump relative to the last line with self cost, and the next line as
//! well. The filter writes absolute numbers, which mean the same to all readers.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::mem;

use fnv::FnvBuildHasher;

use crate::addresses::{AddressProfile, Call, Position};
use crate::clean::Cleaner;
use crate::line::{number, words};
use crate::names::split_id;
use crate::positions::resolve;

/// The header line of a dump with addresses.
pub(crate) const WITH_ADDRESSES: &[u8] = b"positions: instr line";

/// Number of bytes that are filtered at once.
const PIECE: usize = 1 << 16;

/// Reads a dump without its addresses, which it collects.
#[derive(Debug)]
pub(crate) struct Filter<R> {
    input: R,
    cleaner: Option<Cleaner>,
    state: State,
    /// Filtered lines, and how much of them is read.
    output: Vec<u8>,
    read: usize,
    line: Vec<u8>,
    /// The line as it is in the dump.
    raw: Vec<u8>,
    number: usize,
    collector: Collector,
}

/// The lines that the filter changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// None.
    Off,
    /// None until a header line says that there are addresses. Then only read them, or remove them too.
    Header { keep: bool },
    /// None, but the addresses are read.
    Keep,
    /// All with addresses.
    Remove,
    /// The input is at its end.
    End,
}

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

impl<R: BufRead> Filter<R> {
    /// Creates a filter of a dump.
    pub(crate) fn new(input: R, cleaner: Option<Cleaner>, addresses: Addresses) -> Self {
        let state = match addresses {
            Addresses::Ignored => State::Off,
            Addresses::Kept => State::Header { keep: true },
            Addresses::Removed => State::Header { keep: false },
        };
        Self {
            input,
            cleaner,
            state,
            output: Vec::new(),
            read: 0,
            line: Vec::new(),
            raw: Vec::new(),
            number: 0,
            collector: Collector::default(),
        }
    }

    /// Returns the addresses of the lines that were read; `None` if the dump has none.
    pub(crate) fn take_profile(&mut self) -> Option<AddressProfile> {
        let profile = mem::take(&mut self.collector).profile;
        (!profile.events.is_empty()).then_some(profile)
    }

    /// Returns true if no line changes.
    fn is_off(&self) -> bool {
        self.state == State::Off && self.cleaner.is_none()
    }

    /// Filters the next lines.
    fn fill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.read = 0;
        while self.output.len() < PIECE && self.state != State::End {
            self.line.clear();
            let read = match &mut self.cleaner {
                None => self.input.read_until(b'\n', &mut self.line)?,
                Some(cleaner) => {
                    self.raw.clear();
                    let read = self.input.read_until(b'\n', &mut self.raw)?;
                    cleaner.write(&self.raw, &mut self.line)?;
                    read
                }
            };
            if read == 0 {
                self.collector.write_sums(&mut self.output);
                self.state = State::End;
                return Ok(());
            }
            self.number += 1;
            self.next_line().ok_or_else(|| {
                let line = String::from_utf8_lossy(&self.line);
                let line: String = line.trim_end().escape_debug().take(60).collect();
                let message = format!("line {}: `{line}` does not belong here", self.number);
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
        }
        Ok(())
    }

    /// Filters one line; `None` if it is malformed.
    fn next_line(&mut self) -> Option<()> {
        let Self { state, line, output, collector, .. } = self;
        if *state == State::Off {
            output.extend_from_slice(line);
            return Some(());
        }
        // A line that is cut off is passed on as it is, and is an error of its reader
        let Some(text) = line.strip_suffix(b"\n") else {
            output.extend_from_slice(line);
            return Some(());
        };
        if let State::Header { keep } = *state {
            collector.header(text);
            if text == WITH_ADDRESSES {
                *state = if keep { State::Keep } else { State::Remove };
                output.extend_from_slice(if keep { line } else { b"positions: line\n" });
            } else {
                output.extend_from_slice(line);
            }
            return Some(());
        }
        let kept = output.len();
        collector.line(text, output)?;
        if *state == State::Keep {
            output.truncate(kept);
            output.extend_from_slice(line);
        }
        Some(())
    }
}

impl<R: BufRead> BufRead for Filter<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_off() {
            return self.input.fill_buf();
        }
        if self.read == self.output.len() {
            self.fill()?;
        }
        Ok(&self.output[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        if self.is_off() {
            self.input.consume(amount);
        } else {
            self.read += amount;
        }
    }
}

impl<R: BufRead> Read for Filter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// Collects the costs of addresses, and adds up those of a source line.
#[derive(Debug, Default)]
struct Collector {
    profile: AddressProfile,
    objects: Names,
    functions: Names,
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

/// The indices of names by the numbers that stand for them in a dump, and of names without a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: HashMap<u64, u32, FnvBuildHasher>,
    texts: HashMap<Vec<u8>, u32, FnvBuildHasher>,
}

impl Names {
    /// Returns the index of the name in `(3) name`, or of the one that `(3)` means.
    pub(crate) fn index(&mut self, value: &[u8], all: &mut Vec<String>) -> Option<u32> {
        let (number, name) = match split_id(value).ok()? {
            Some((number, name)) => (Some(number), name.trim_ascii()),
            None => (None, value),
        };
        let known = match number {
            Some(number) if name.is_empty() => return self.numbers.get(&number).copied(),
            Some(_) => None,
            None => self.texts.get(name).copied(),
        };
        if known.is_some() {
            return known;
        }
        let index = u32::try_from(all.len()).ok()?;
        all.push(String::from_utf8_lossy(name).into_owned());
        match number {
            Some(number) => self.numbers.insert(number, index),
            None => self.texts.insert(name.to_owned(), index),
        };
        Some(index)
    }
}

impl Collector {
    fn header(&mut self, line: &[u8]) {
        let text = |value: &[u8]| String::from_utf8_lossy(value.trim_ascii()).into_owned();
        if let Some(creator) = line.strip_prefix(b"creator:") {
            self.profile.creator = text(creator);
        }
    }

    /// Reads a line of the body, and appends to the output what it is without addresses.
    fn line(&mut self, line: &[u8], output: &mut Vec<u8>) -> Option<()> {
        match line.first() {
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => return self.costs(line, output),
            Some(_) => {}
            None => return Some(()),
        }
        self.write_sums(output);
        if let Some(call) = line.strip_prefix(b"calls=") {
            return self.call(call, output);
        }
        if line.starts_with(b"jump=") || line.starts_with(b"jcnd=") {
            self.next = Next::Jump;
            return self.jump(line, output);
        }
        if let Some(events) = line.strip_prefix(b"events:") {
            let names = words(events).map(|name| String::from_utf8_lossy(name).into_owned());
            self.profile.events = names.collect();
        }
        self.name(line)?;
        output.extend_from_slice(line);
        output.push(b'\n');
        Some(())
    }

    fn name(&mut self, line: &[u8]) -> Option<()> {
        let AddressProfile { objects, functions, .. } = &mut self.profile;
        if let Some(value) = line.strip_prefix(b"fn=") {
            self.function = self.functions.index(value, functions)?;
            self.undecided = Some(Vec::new());
        } else if let Some(value) = line.strip_prefix(b"cfn=") {
            self.target_function = self.functions.index(value, functions)?;
        } else if let Some(value) = line.strip_prefix(b"ob=") {
            self.object = self.objects.index(value, objects)?;
        } else if let Some(value) = line.strip_prefix(b"cob=") {
            self.target_object = Some(self.objects.index(value, objects)?);
        }
        Some(())
    }

    /// Reads `3 0x10 27`: the number of calls, and the first instruction of the called function.
    fn call(&mut self, call: &[u8], output: &mut Vec<u8>) -> Option<()> {
        let mut words = words(call);
        let times = number(words.next()?)?;
        let address = resolve(words.next()?, self.last.0)?;
        let line = resolve(words.next()?, self.last.1)?;
        // A call that was in progress when the measurement started
        self.next = Next::Call { times: times.max(1), address };
        writeln!(output, "calls={times} {line}").ok()
    }

    /// Reads `jcnd=1/2 0x10 27`: the address is the one before the last word.
    fn jump(&self, jump: &[u8], output: &mut Vec<u8>) -> Option<()> {
        let words: Vec<_> = words(jump).collect();
        let [counts @ .., address, line] = &*words else { return None };
        resolve(address, self.last.0)?;
        for word in counts {
            output.extend_from_slice(word);
            output.push(b' ');
        }
        writeln!(output, "{}", resolve(line, self.last.1)?).ok()
    }

    fn costs(&mut self, text: &[u8], output: &mut Vec<u8>) -> Option<()> {
        let mut words = words(text);
        let address = resolve(words.next()?, self.last.0)?;
        let line = resolve(words.next()?, self.last.1)?;
        let at = Position { object: self.object, function: self.function, address };
        match mem::take(&mut self.next) {
            Next::Own => {
                self.last = (address, line);
                self.own_costs(at, line, words, output)
            }
            Next::Jump => writeln!(output, "{line}").ok(),
            Next::Call { times, address } => {
                write!(output, "{line}").ok()?;
                let mut inclusive = None;
                for word in words {
                    inclusive = inclusive.or(number(word));
                    output.push(b' ');
                    output.extend_from_slice(word);
                }
                output.push(b'\n');
                let object = self.target_object.take().unwrap_or(self.object);
                let to = Position { object, function: self.target_function, address };
                let call = Call { from: at, to, times, inclusive: inclusive.unwrap_or_default() };
                self.undecided.as_mut().unwrap_or(&mut self.profile.calls).push(call);
                Some(())
            }
        }
    }

    fn own_costs<'a>(
        &mut self,
        at: Position,
        line: u64,
        words: impl Iterator<Item = &'a [u8]>,
        output: &mut Vec<u8>,
    ) -> Option<()> {
        if self.sums.as_ref().is_none_or(|(last, _)| *last != line) {
            self.write_sums(output);
        }
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

    /// Writes the costs that were added up.
    fn write_sums(&mut self, output: &mut Vec<u8>) {
        let Some((line, sums)) = self.sums.take() else { return };
        let _ = write!(output, "{line}");
        for sum in sums {
            let _ = write!(output, " {sum}");
        }
        output.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "version: 1\ncreator: callgrind-3.19.0\npositions: instr line\nevents: Ir Dr\n";
    const BODY: &str = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n0x10 7 1 1\n+4 * 2\n+4 +2 3\ncob=(2) libc\ncfn=(2) g\n\
calls=2 0x50 0\n+4 * 20 4\n0x1c * 1\njcnd=1/2 0x14 7\n0x1e 9\n0x1e 9 5\n\nob=(2)\nfn=(2)\n0x50 0 20 4\n\n\
ob=(1)\nfn=(3) main\ncfn=(1)\ncalls=0 0x10 7\n0x70 3 31 5\n\ntotals: 31 5\n";

    fn filter(text: &str, addresses: Addresses) -> io::Result<(String, Option<AddressProfile>)> {
        let mut filter = Filter::new(text.as_bytes(), None, addresses);
        let mut output = String::new();
        filter.read_to_string(&mut output)?;
        Ok((output, filter.take_profile()))
    }

    #[test]
    fn costs_are_added_up_by_line() {
        let text = format!("{HEADER}{BODY}");
        let (output, profile) = filter(&text, Addresses::Removed).unwrap();
        let expected = "\
version: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir Dr\n\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n7 3 1\n9 3\ncob=(2) libc\ncfn=(2) g\ncalls=2 0\n9 20 4\n\
9 1\njcnd=1/2 7\n9\n9 5\nob=(2)\nfn=(2)\n0 20 4\nob=(1)\nfn=(3) main\ncfn=(1)\ncalls=0 7\n3 31 5\ntotals: 31 5\n";
        assert_eq!(output, expected);
        let profile = profile.unwrap();
        assert_eq!(profile.objects, ["exe", "libc"]);
        assert_eq!(profile.functions, ["f", "g", "main"]);
        assert_eq!(
            (&*profile.creator, &*profile.events),
            ("callgrind-3.19.0", &["Ir", "Dr"].map(str::to_owned)[..])
        );
        let expected: [(u32, u64, &[u64]); 6] = [
            (0, 0x10, &[1, 1]),
            (0, 0x14, &[2]),
            (0, 0x18, &[3]),
            (0, 0x1c, &[1]),
            (0, 0x1e, &[5]),
            (1, 0x50, &[20, 4]),
        ];
        let mut costs = profile.costs.reader();
        for (object, address, counts) in expected {
            let at = costs.next_position().unwrap();
            assert_eq!((at.object, at.address, costs.counts()), (object, address, counts));
        }
        assert_eq!(costs.next_position(), None);
        // The call by `main`, which executed nothing that was measured, is left out
        let from = Position { object: 0, function: 0, address: 0x1c };
        let to = Position { object: 1, function: 1, address: 0x50 };
        assert_eq!(profile.calls, [Call { from, to, times: 2, inclusive: 20 }]);
    }

    #[test]
    fn addresses_can_stay() {
        let text = format!("{HEADER}{BODY}");
        let (kept, collected) = filter(&text, Addresses::Kept).unwrap();
        assert_eq!(kept, text);
        assert_eq!(collected, filter(&text, Addresses::Removed).unwrap().1);
        assert_eq!(filter(&text, Addresses::Ignored).unwrap(), (text, None));
        let without = "positions: line\nevents: Ir\nfn=f\n7 1\n+1 1\n";
        assert_eq!(filter(without, Addresses::Removed).unwrap(), (without.to_owned(), None));
    }

    #[test]
    fn a_name_without_a_number_can_have_brackets() {
        // With `--compress-strings=no`
        let text = format!("{HEADER}ob=exe\nfn=(below main)\n0x10 7 1 1\n\ntotals: 1 1\n");
        let (_, profile) = filter(&text, Addresses::Removed).unwrap();
        assert_eq!(profile.unwrap().functions, ["(below main)"]);
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        for wrong in [
            "calls=2",
            "0x 7",
            "0x10 7 x",
            "+1",
            "-1 1 1",
            "fn=(3)",
            "jump=1",
            "0x10 7 18446744073709551616",
        ] {
            let error = filter(&format!("{HEADER}{wrong}\n"), Addresses::Removed).unwrap_err();
            assert_eq!(error.to_string(), format!("line 5: `{wrong}` does not belong here"));
        }
        let cut = format!("{HEADER}0x10 7");
        assert!(filter(&cut, Addresses::Removed).unwrap().0.ends_with("\n0x10 7"));
    }
}
