//! The addresses of instructions in a profile: read for the table of attributed costs, and removed before the profile
//! is stored.

use std::collections::HashMap;

use iai_callgrind_explain::{Call, Position, Profile};

use super::dump::DumpHeader;
use super::graph::Texts;
use super::line::{ProfileLine, number, quote, words};

/// The columns of a dump with addresses.
const COLUMNS: [&str; 2] = ["instr", "line"];

/// Callgrind's argument for addresses.
pub(super) const ARGUMENT: &str = "--dump-instr=yes";

/// Returns true if the user's arguments decide about the columns.
pub(super) fn are_configured(arguments: &[String]) -> bool {
    let columns = ["--dump-instr", "--dump-line", "--dump-bb"];
    arguments.iter().any(|argument| columns.iter().any(|column| argument.starts_with(column)))
}

/// Returns true if the cost lines have addresses in front of the numbers of lines.
pub(super) fn has_addresses(header: &DumpHeader) -> bool {
    header.positions == COLUMNS
}

/// Removes the addresses from the lines of a profile.
#[derive(Debug, Default)]
pub(super) struct AddressRemover {
    /// A line number with its own costs, which are added up while it does not change.
    costs: Option<(Vec<u8>, Vec<u64>)>,
    /// The next cost line belongs to a call or a jump.
    follows_call: bool,
}

impl AddressRemover {
    /// Appends the lines without addresses, except for costs that can still be added up.
    pub(super) fn remove(&mut self, text: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            match ProfileLine::classify(line) {
                Some(ProfileLine::Costs(line)) if std::mem::take(&mut self.follows_call) => {
                    write_words(words(line).skip(1), output);
                }
                Some(ProfileLine::Costs(line)) => self.add(line, output)?,
                Some(ProfileLine::Entry { spec: b"calls" | b"jump" | b"jcnd", .. }) => {
                    self.finish(output);
                    self.follows_call = true;
                    // The target follows the counts: its address and its line
                    let last = words(line).count().saturating_sub(1);
                    let is_kept = |(index, _): &(usize, &[u8])| index + 1 != last;
                    write_words(
                        words(line).enumerate().filter(is_kept).map(|(_, word)| word),
                        output,
                    );
                }
                _ => {
                    self.finish(output);
                    output.extend_from_slice(line);
                    output.push(b'\n');
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, line: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
        let mut columns = words(line).skip(1);
        let position = columns.next().unwrap_or_default();
        if self.costs.as_ref().is_none_or(|(known, _)| known != position) {
            self.finish(output);
            self.costs = Some((position.to_vec(), Vec::new()));
        }
        let Some((_, sums)) = &mut self.costs else { return Ok(()) };
        for (index, word) in columns.enumerate() {
            let count = number(word).ok_or_else(|| format!("{} is not a count", quote(word)))?;
            if index == sums.len() {
                sums.push(0);
            }
            sums[index] = sums[index].checked_add(count).ok_or("the costs are too large")?;
        }
        Ok(())
    }

    /// Writes the costs that were added up.
    pub(super) fn finish(&mut self, output: &mut Vec<u8>) {
        if let Some((position, sums)) = self.costs.take() {
            output.extend_from_slice(&position);
            for sum in sums {
                output.extend_from_slice(format!(" {sum}").as_bytes());
            }
            output.push(b'\n');
        }
    }
}

fn write_words<'a>(words: impl Iterator<Item = &'a [u8]>, output: &mut Vec<u8>) {
    for (index, word) in words.enumerate() {
        if index > 0 {
            output.push(b' ');
        }
        output.extend_from_slice(word);
    }
    output.push(b'\n');
}

/// Reads a profile with absolute addresses.
#[derive(Debug, Default)]
pub(super) struct AddressReader {
    profile: Profile,
    texts: Texts,
    objects: Indices,
    functions: Indices,
    /// Indices into `profile.costs`, because several processes execute the same instructions.
    known: HashMap<Position, usize>,
    object: u32,
    function: u32,
    target_object: Option<u32>,
    target: (u32, u32),
    next: Next,
}

/// The subject of the next cost line.
#[derive(Debug, Default)]
enum Next {
    #[default]
    Own,
    Call {
        times: u64,
        address: u64,
    },
    Jump,
}

/// The indices of texts among those of one kind.
#[derive(Debug, Default)]
struct Indices(HashMap<usize, u32>);

impl Indices {
    fn index(&mut self, text: usize, texts: &Texts, all: &mut Vec<String>) -> u32 {
        *self.0.entry(text).or_insert_with(|| {
            all.push(texts.get(text).to_owned());
            u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

impl AddressReader {
    /// Prepares for the lines of a profile with this header.
    pub(super) fn new(header: &DumpHeader) -> Self {
        let events = header.events.iter().map(|event| event.name().to_owned()).collect();
        let creator = header.creator.clone().unwrap_or_default();
        Self { profile: Profile { creator, events, ..Profile::default() }, ..Self::default() }
    }

    /// Returns the profile of all lines.
    pub(super) fn finish(self) -> Profile {
        self.profile
    }

    /// Reads the next line.
    pub(super) fn read(&mut self, line: ProfileLine<'_>) -> Result<(), String> {
        match line {
            ProfileLine::Costs(line) => self.costs(line),
            ProfileLine::Entry { spec: b"calls", value } => {
                let mut words = words(value);
                let times = words.next().and_then(number);
                let address = words.next().and_then(address);
                let (times, address) =
                    times.zip(address).ok_or_else(|| format!("{} is no call", quote(value)))?;
                self.next = Next::Call { times, address };
                Ok(())
            }
            ProfileLine::Entry { spec: b"jump" | b"jcnd", .. } => {
                self.next = Next::Jump;
                Ok(())
            }
            ProfileLine::Entry { spec, value } => self.name(spec, value),
            ProfileLine::Header { .. } | ProfileLine::Nothing => Ok(()),
        }
    }

    fn name(&mut self, spec: &[u8], value: &[u8]) -> Result<(), String> {
        let text = self.texts.read(spec, value)?;
        let Self { profile, texts, objects, functions, .. } = self;
        match spec {
            b"ob" => self.object = objects.index(text, texts, &mut profile.objects),
            b"cob" => {
                self.target_object = Some(objects.index(text, texts, &mut profile.objects));
            }
            b"fn" => self.function = functions.index(text, texts, &mut profile.functions),
            b"cfn" => {
                let object = self.target_object.take().unwrap_or(self.object);
                self.target = (object, functions.index(text, texts, &mut profile.functions));
            }
            _ => {}
        }
        Ok(())
    }

    fn costs(&mut self, line: &[u8]) -> Result<(), String> {
        let mut columns = words(line);
        let wrong = || format!("{} has no address", quote(line));
        let address = columns.next().and_then(address).ok_or_else(wrong)?;
        let from = Position { object: self.object, function: self.function, address };
        let mut counts = columns
            .skip(1)
            .map(|word| number(word).ok_or_else(|| format!("{} is not a count", quote(word))));
        match std::mem::take(&mut self.next) {
            Next::Jump => {}
            Next::Call { times, address } => {
                let inclusive = counts.next().transpose()?.unwrap_or_default();
                let (object, function) = self.target;
                let to = Position { object, function, address };
                self.profile.calls.push(Call { from, to, times, inclusive });
            }
            Next::Own => {
                let Profile { costs, counts: all, events, .. } = &mut self.profile;
                let row = *self.known.entry(from).or_insert_with(|| {
                    costs.push(from);
                    all.resize(costs.len() * events.len(), 0);
                    costs.len() - 1
                });
                let sums = all.iter_mut().skip(row * events.len()).take(events.len());
                for (sum, count) in sums.zip(counts) {
                    *sum = sum.checked_add(count?).ok_or("the costs are too large")?;
                }
            }
        }
        Ok(())
    }
}

/// Parses an absolute address.
fn address(word: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(word.strip_prefix(b"0x")?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n0x10 7 1 1\n0x14 7 2\n0x18 9 3\ncob=(2) libc\ncfn=(2) g\n\
calls=2 0x50 0\n0x1c 9 20 4\njcnd=1/2 0x14 7\n0x1e 9\n0x1e 9 5\n\nob=(2)\nfn=(2)\n0x50 0 20 4\n";

    #[test]
    fn without_addresses_lines_are_added_up() {
        let mut output = Vec::new();
        let mut remover = AddressRemover::default();
        remover.remove(LINES.as_bytes(), &mut output).unwrap();
        remover.finish(&mut output);
        let expected = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n7 3 1\n9 3\ncob=(2) libc\ncfn=(2) g\ncalls=2 0\n9 20 4\n\
jcnd=1/2 7\n9\n9 5\n\nob=(2)\nfn=(2)\n0 20 4\n";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
        assert!(remover.remove(b"0x10 7 x\n", &mut Vec::new()).is_err());
    }

    #[test]
    fn costs_and_calls_by_address() {
        let header = DumpHeader {
            events: super::super::line::events(b"Ir Dr").unwrap(),
            ..DumpHeader::default()
        };
        let mut reader = AddressReader::new(&header);
        // A second process executes the same instructions
        for line in LINES.lines().chain(LINES.lines()) {
            reader.read(ProfileLine::classify(line.as_bytes()).unwrap()).unwrap();
        }
        let profile = reader.finish();
        assert_eq!(
            (&*profile.objects, &*profile.functions),
            (&["exe".into(), "libc".into()][..], &["f".into(), "g".into()][..])
        );
        let costs: Vec<_> = profile.costs.iter().map(|at| (at.object, at.address)).collect();
        assert_eq!(costs, [(0, 0x10), (0, 0x14), (0, 0x18), (0, 0x1e), (1, 0x50)]);
        assert_eq!(profile.counts, [2, 2, 4, 0, 6, 0, 10, 0, 40, 8]);
        let calls: Vec<_> =
            profile.calls.iter().map(|call| (call.to, call.times, call.inclusive)).collect();
        let to = Position { object: 1, function: 1, address: 0x50 };
        assert_eq!(calls, [(to, 2, 20); 2]);
        for wrong in ["calls=2", "7 7", "0x10 7 x"] {
            let line = ProfileLine::classify(wrong.as_bytes()).unwrap();
            assert!(AddressReader::new(&header).read(line).is_err(), "{wrong}");
        }
    }
}
