//! Reads callgrind's dumps, and the profiles that they are merged into, line by line.

use std::io::{BufRead, Cursor};
use std::path::Path;

use iai_callgrind_plan::metric::{MetricKind, Metrics};

use crate::addresses::AddressProfile;
use crate::collector::{Addresses, Collector};
use crate::error::{Error, Result};
use crate::exclusion::Exclusion;
use crate::line::{BodyLine, LineSink, ProfileLine};
use crate::lines::{self, Line, Lines};
use crate::malformed::Malformed;
use crate::names::Names;
use crate::renamed::Renamed;
use crate::scan::Scan;
use crate::words::{self, quote};

/// The positions of a dump with addresses, and without them.
pub(crate) const WITH_ADDRESSES: [&str; 2] = ["instr", "line"];
const WITHOUT_ADDRESSES: &str = "line";

/// A dump of a process that ran the executable under the path of a link.
pub struct DumpFile<'a> {
    /// The file.
    pub path: &'a Path,
    /// The path of the executable, which replaces the path of the link in all lines.
    pub link: &'a Renamed,
    /// The origin of the calls in it.
    pub calls: CallSource<'a>,
}

/// The origin of the calls in a dump.
pub enum CallSource<'a> {
    /// Callgrind. Jumps to other object files get the names of their targets, and functions for whose names this returns
    /// `true` have no self costs.
    Callgrind(&'a dyn Fn(&str) -> bool),
    /// The machine code. This is the text to read instead of the file.
    Rebuilt(Vec<u8>),
    /// A profile that was merged.
    Merged,
}

/// Header of a dump or of a merged profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DumpHeader {
    /// Program that wrote the file: `callgrind-3.19.0`.
    pub(crate) creator: Option<String>,
    /// Observed process.
    pub(crate) pid: Option<u64>,
    /// Number of the dump within the process, counted from one.
    pub(crate) number: Option<u64>,
    /// Observed thread (`--separate-threads=yes`), counted from one.
    pub(crate) thread: Option<u64>,
    /// Observed command line.
    pub(crate) command: Option<String>,
    /// Label of the client request or of the monitor command that caused the dump, empty without a
    /// label; `None` for any other cause.
    pub trigger: Option<String>,
    /// The function at whose entry the dump was made (`--dump-before`).
    pub entered: Option<String>,
    /// Counts of the dumps that were merged into this profile; empty for a single one.
    pub(crate) merged: Vec<ProcessMetrics>,
    /// Meaning of the first numbers of a cost line: `instr`, `bb`, `line` or several of them.
    pub(crate) positions: Vec<String>,
    /// Events of the counts.
    pub(crate) events: Vec<MetricKind>,
    /// Number of the line that lists the events, for errors about them.
    pub(crate) events_line: usize,
    /// Counts by callgrind's own sum. Wrong after client requests: it then includes costs from outside
    /// of the region.
    pub(crate) summary: Option<Metrics>,
    /// Lines that hold for a merged profile too.
    pub(crate) common: Vec<Vec<u8>>,
}

impl DumpHeader {
    /// Reads the header of a dump.
    ///
    /// # Errors
    ///
    /// Returns an error if it can't be read, or was not written by callgrind.
    pub fn read(dump: &Path) -> Result<Self> {
        Dump::open_merged(dump).map(|dump| dump.header)
    }

    /// Replaces the positions with those of lines without addresses.
    fn remove_addresses(&mut self) {
        self.positions = vec![WITHOUT_ADDRESSES.to_owned()];
        let mut lines = self.common.iter_mut();
        if let Some(line) = lines.find(|line| line.starts_with(b"positions:")) {
            *line = format!("positions: {WITHOUT_ADDRESSES}").into_bytes();
        }
    }

    /// Returns the words of the line with the events.
    fn event_names(&self) -> Vec<String> {
        let line = self.common.iter().find_map(|line| line.strip_prefix(b"events:"));
        words::words(line.unwrap_or_default()).map(text).collect()
    }
}

/// A dump that is being read.
pub(crate) struct Dump<'a> {
    /// The header, which is read when the dump is opened.
    pub header: DumpHeader,
    path: &'a Path,
    link: &'a Renamed,
    lines: Lines<Input>,
    line: Vec<u8>,
    /// Position within the file.
    state: DumpState,
    names: Names,
    /// `None` if all costs count.
    exclusion: Option<Exclusion>,
    /// `None` if there are no addresses, or they are ignored.
    collector: Option<Collector>,
}

type Input = Box<dyn BufRead>;

#[derive(Debug)]
enum DumpState {
    /// The line is the first one after the header.
    Header,
    Body,
    Totals(Metrics),
}

impl<'a> Dump<'a> {
    /// Opens a profile that was merged, and reads its header.
    pub(crate) fn open_merged(path: &'a Path) -> Result<Self> {
        let dump = DumpFile { path, link: Renamed::NONE, calls: CallSource::Merged };
        Self::open(dump, Addresses::Ignored)
    }

    /// Opens a dump and reads its header.
    pub(crate) fn open(dump: DumpFile<'a>, addresses: Addresses) -> Result<Self> {
        let DumpFile { path, link, calls } = dump;
        let open = || lines::open(path).map_err(Error::io("read", path));
        let (input, Scan { names, left_out }): (Input, _) = match calls {
            CallSource::Callgrind(is_left_out) => {
                (Box::new(open()?), Scan::read(path, link, is_left_out)?)
            }
            CallSource::Rebuilt(text) => (Box::new(Cursor::new(text)), Scan::default()),
            CallSource::Merged => (Box::new(open()?), Scan::default()),
        };
        let mut dump = Self {
            header: DumpHeader::default(),
            path,
            link,
            lines: Lines::new(input),
            line: Vec::new(),
            state: DumpState::Header,
            names,
            exclusion: None,
            collector: None,
        };
        let mut header = dump.read_header()?;
        if !left_out.is_empty() {
            dump.exclusion = Some(Exclusion::new(left_out, header.positions.len()));
        }
        if addresses != Addresses::Ignored && header.positions == WITH_ADDRESSES {
            let creator = header.creator.clone().unwrap_or_default();
            let keeps_addresses = addresses == Addresses::Kept;
            dump.collector = Some(Collector::new(creator, header.event_names(), keeps_addresses));
            if !keeps_addresses {
                header.remove_addresses();
            }
        }
        Ok(Self { header, ..dump })
    }

    fn read_header(&mut self) -> Result<DumpHeader> {
        let mut reader = HeaderReader::default();
        while self.next_line()? {
            let is_over = reader.read(&self.line).map_err(|cause| self.wrong(cause))?;
            if reader.header.events_line == 0 && !reader.header.events.is_empty() {
                reader.header.events_line = self.lines.number();
            }
            if is_over {
                return Ok(reader.finish());
            }
        }
        Err(self.ends_early())
    }

    /// Reads the next line of the body, and passes on the lines that are known to be needed then. Returns false after the
    /// last one.
    pub(crate) fn next(&mut self, sink: &mut LineSink<'_>) -> Result<bool> {
        if let DumpState::Header = self.state {
            self.state = DumpState::Body;
        } else if !self.next_line()? {
            return Ok(false);
        }
        self.pass(sink).map_err(|cause| self.wrong(cause))?;
        Ok(true)
    }

    /// Passes on the line that was read last.
    fn pass(&mut self, sink: &mut LineSink<'_>) -> Result<(), Malformed> {
        let Self { line, names, exclusion, collector, .. } = self;
        let line = match (ProfileLine::classify(line), &self.state) {
            (Some(ProfileLine::Nothing), _) => return Ok(()),
            (_, DumpState::Totals(_)) => {
                return Err(Malformed::AfterEnd);
            }
            (Some(ProfileLine::Header { key: b"totals", value }), _) => {
                let totals = words::costs(value, &self.header.events)?;
                let left_out = exclusion.as_ref().map_or(&[][..], Exclusion::sums);
                self.state = DumpState::Totals(without(&totals, left_out)?);
                let flush = |collector: &mut Collector| collector.flush(names, sink);
                return collector.as_mut().map_or(Ok(()), flush);
            }
            (Some(ProfileLine::Header { .. }) | None, _) => {
                return Err(Malformed::NotInBody(quote(line)));
            }
            (Some(ProfileLine::Name { spec, value }), _) => {
                BodyLine::Name(spec, names.read(spec, value)?)
            }
            (Some(ProfileLine::Calls(value)), _) => BodyLine::Calls(value),
            (Some(ProfileLine::Jump(spec, value)), _) => BodyLine::Jump(spec, value),
            (Some(ProfileLine::Costs(costs)), _) => BodyLine::Costs(costs),
        };
        let line = match exclusion {
            Some(exclusion) => exclusion.filter(line)?,
            None => line,
        };
        match collector {
            Some(collector) => collector.read(line, names, sink),
            None => sink(line, names),
        }
    }

    /// Returns the names of a dump that was read to its end.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the totals of a dump that was read to its end.
    pub(crate) fn totals(&self) -> Result<&Metrics> {
        match &self.state {
            DumpState::Totals(totals) => Ok(totals),
            DumpState::Header | DumpState::Body => Err(self.ends_early()),
        }
    }

    /// Returns the addresses of a dump that was read to its end; `None` if it has none.
    pub(crate) fn take_addresses(&mut self) -> Option<AddressProfile> {
        let collector = self.collector.take()?;
        Some(collector.finish(&self.names))
    }

    fn next_line(&mut self) -> Result<bool> {
        self.line.clear();
        match self.lines.next_line().map_err(Error::io("read", self.path))? {
            None => Ok(false),
            Some(Line { text, flaw: None, .. }) => {
                self.link.restore_line(text, &mut self.line);
                Ok(true)
            }
            Some(Line { number, flaw: Some(flaw), .. }) => {
                Err(Error::malformed(self.path, number, Malformed::Incomplete(flaw)))
            }
        }
    }

    /// Returns an error about the line that was read last.
    pub(crate) fn wrong(&self, cause: Malformed) -> Error {
        Error::malformed(self.path, self.lines.number(), cause)
    }

    /// Returns an error about the line that lists the events.
    pub(crate) fn wrong_events(&self, cause: Malformed) -> Error {
        Error::malformed(self.path, self.header.events_line, cause)
    }

    fn ends_early(&self) -> Error {
        self.wrong(Malformed::EndsEarly)
    }
}

/// Returns the totals of a dump without the sums of costs that are left out.
fn without(totals: &Metrics, left_out: &[u64]) -> Result<Metrics, Malformed> {
    let sums = left_out.iter().copied().chain(std::iter::repeat(0));
    let rest = totals.events().zip(sums).map(|((kind, total), sum)| {
        Ok((kind, total.checked_sub(sum).ok_or(Malformed::NotTheTotal(total))?))
    });
    rest.collect()
}

/// A header as far as it was read.
#[derive(Default)]
struct HeaderReader {
    header: DumpHeader,
    /// Descriptions of merged dumps, which precede the events that their counts are of.
    merged: Vec<Vec<u8>>,
}

impl HeaderReader {
    /// Reads a line. Returns true for the first one after the header.
    fn read(&mut self, line: &[u8]) -> Result<bool, Malformed> {
        match ProfileLine::classify(line) {
            Some(ProfileLine::Nothing) => Ok(false),
            Some(ProfileLine::Header { key: b"totals", .. }) if self.header.events.is_empty() => {
                Err(Malformed::EventsAfter)
            }
            Some(ProfileLine::Header { key: b"totals", .. }) => Ok(true),
            Some(ProfileLine::Header { key, value }) => {
                self.entry(key, value)?;
                if is_common(key, value) {
                    self.header.common.push(line.to_owned());
                }
                Ok(false)
            }
            Some(_) if self.header.events.is_empty() => Err(Malformed::NoEvents),
            Some(_) => Ok(true),
            None => Err(Malformed::NotInHeader(quote(line))),
        }
    }

    /// Reads an entry. Unknown keys are ignored, as the format demands.
    fn entry(&mut self, key: &[u8], value: &[u8]) -> Result<(), Malformed> {
        let header = &mut self.header;
        match key {
            b"version" if value != b"1" => {
                return Err(Malformed::UnknownVersion(quote(value)));
            }
            b"creator" => header.creator = Some(text(value)),
            b"pid" => header.pid = Some(number(key, value)?),
            b"part" => header.number = Some(number(key, value)?),
            b"thread" => header.thread = Some(number(key, value)?),
            b"cmd" => header.command = Some(text(value)),
            b"desc" => self.describe(value),
            b"positions" => header.positions = positions(value)?,
            b"events" if header.events.is_empty() => {
                header.events = words::events(value)?;
                for text in std::mem::take(&mut self.merged) {
                    header.merged.push(merged(&text, &header.events)?);
                }
            }
            b"events" => return Err(Malformed::RepeatedEvents),
            b"summary" if header.events.is_empty() => {
                return Err(Malformed::EventsAfter);
            }
            b"summary" => header.summary = Some(words::costs(value, &header.events)?),
            _ => {}
        }
        Ok(())
    }

    fn describe(&mut self, description: &[u8]) {
        if let Some(merged) = description.strip_prefix(b"Part ") {
            self.merged.push(merged.to_owned());
        }
        let Some(trigger) = description.strip_prefix(b"Trigger:").map(<[u8]>::trim_ascii) else {
            return;
        };
        let causes = [&b"Client Request"[..], b"dump"];
        if let Some(label) = causes.iter().find_map(|cause| trigger.strip_prefix(*cause)) {
            let label = label.strip_prefix(b":").unwrap_or(label).trim_ascii();
            self.header.trigger = Some(text(label));
        }
        self.header.entered = trigger.strip_prefix(b"--dump-before=").map(text);
    }

    fn finish(mut self) -> DumpHeader {
        if self.header.positions.is_empty() {
            // The format's default
            self.header.positions.push("line".to_owned());
        }
        self.header
    }
}

/// The counts of a process or a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessMetrics {
    /// The process.
    pub pid: u64,
    /// The thread, counted from one; `None` for the whole process.
    pub thread: Option<u64>,
    /// The command that the process ran.
    pub command: String,
    /// The counts.
    pub metrics: Metrics,
}

/// Returns true for a header line that holds for a merged profile too.
fn is_common(key: &[u8], value: &[u8]) -> bool {
    const OF_ONE_DUMP: [&[u8]; 3] = [b"Timerange:", b"Trigger:", b"Part "];
    match key {
        b"part" | b"thread" | b"summary" => false,
        b"desc" => !OF_ONE_DUMP.iter().any(|start| value.starts_with(start)),
        _ => true,
    }
}

/// Describes a merged dump in the header of the profile.
pub(crate) fn description(number: usize, dump: &ProcessMetrics) -> String {
    let ProcessMetrics { pid, thread, command, metrics } = dump;
    let thread = thread.map(|thread| format!(" thread {thread}")).unwrap_or_default();
    format!("desc: Part {number}: pid {pid}{thread}: {command}: {}", words::counts(metrics))
}

/// Parses a description without its start: `NUMBER: pid PID thread THREAD: COMMAND: COUNTS`.
fn merged(description: &[u8], events: &[MetricKind]) -> Result<ProcessMetrics, Malformed> {
    let text = text(description);
    let parse = || {
        let (_, rest) = text.split_once(": pid ")?;
        let (process, rest) = rest.split_once(": ")?;
        let (command, counts) = rest.rsplit_once(": ")?;
        let (pid, thread) = match process.split_once(" thread ") {
            Some((pid, thread)) => (pid, Some(words::number(thread.as_bytes())?)),
            None => (process, None),
        };
        let (pid, command) = (words::number(pid.as_bytes())?, command.to_owned());
        let metrics = words::costs(counts.as_bytes(), events).ok()?;
        Some(ProcessMetrics { pid, thread, command, metrics })
    };
    parse().ok_or_else(|| Malformed::NotAPart(quote(description)))
}

/// Converts a name of any encoding, only to print it.
fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

fn number(key: &[u8], value: &[u8]) -> Result<u64, Malformed> {
    words::number(value)
        .ok_or_else(|| Malformed::NotANumber { key: text(key), value: quote(value) })
}

fn positions(value: &[u8]) -> Result<Vec<String>, Malformed> {
    words::words(value)
        .map(|word| match word {
            b"instr" | b"bb" | b"line" => Ok(text(word)),
            _ => Err(Malformed::UnknownPosition(quote(word))),
        })
        .collect()
}

#[cfg(test)]
mod tests;
