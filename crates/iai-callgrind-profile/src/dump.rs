//! Reads callgrind's dumps, and the profiles that they are merged into, line by line.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use iai_callgrind_plan::metric::{MetricKind, Metrics};

use crate::addresses::AddressProfile;
use crate::clean::Cleaner;
use crate::error::{Error, Result};
use crate::filter::{Addresses, Filter};
use crate::line::{self, ProfileLine, quote};
use crate::lines::{self, Line, Lines};
use crate::renamed::Renamed;

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
        let link = Renamed::default();
        Dump::open(dump, &link, None, Addresses::Ignored).map(|dump| dump.header)
    }
}

/// A dump that is being read.
pub(crate) struct Dump<'a> {
    /// The header, which is read when the dump is opened.
    pub header: DumpHeader,
    path: &'a Path,
    link: &'a Renamed,
    lines: Lines<Filter<BufReader<File>>>,
    line: Vec<u8>,
    /// Position within the file.
    state: DumpState,
}

#[derive(Debug)]
enum DumpState {
    /// The line is the first one after the header.
    Header,
    Body,
    Totals(Metrics),
}

impl<'a> Dump<'a> {
    /// Opens a dump and reads its header.
    ///
    /// All lines name the benchmark executable by its own path instead of that of `link`.
    pub(crate) fn open(
        path: &'a Path,
        link: &'a Renamed,
        cleaner: Option<Cleaner>,
        addresses: Addresses,
    ) -> Result<Self> {
        let file = lines::open(path).map_err(Error::io("read", path))?;
        let mut dump = Self {
            header: DumpHeader::default(),
            path,
            link,
            lines: Lines::new(Filter::new(file, cleaner, addresses)),
            line: Vec::new(),
            state: DumpState::Header,
        };
        let mut reader = HeaderReader::default();
        while dump.next_line()? {
            let is_over = reader.read(&dump.line).map_err(|message| dump.wrong(message))?;
            if reader.header.events_line == 0 && !reader.header.events.is_empty() {
                reader.header.events_line = dump.lines.number();
            }
            if is_over {
                return Ok(Self { header: reader.finish(), ..dump });
            }
        }
        Err(dump.ends_early())
    }

    /// Returns the next line of the body; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<ProfileLine<'_>>> {
        if let DumpState::Header = self.state {
            self.state = DumpState::Body;
        } else if !self.next_line()? {
            return Ok(None);
        }
        let wrong = |message| Err(Error::malformed(self.path, self.lines.number(), message));
        match (ProfileLine::classify(&self.line), &self.state) {
            (Some(ProfileLine::Nothing), _) => {}
            (_, DumpState::Totals(_)) => {
                return wrong("the file goes on after its `totals:` line".to_owned());
            }
            (Some(ProfileLine::Header { key: b"totals", value }), _) => {
                match line::costs(value, &self.header.events) {
                    Ok(totals) => self.state = DumpState::Totals(totals),
                    Err(message) => return wrong(message),
                }
            }
            (Some(line @ (ProfileLine::Entry { .. } | ProfileLine::Costs(_))), _) => {
                return Ok(Some(line));
            }
            (Some(ProfileLine::Header { .. }) | None, _) => {
                return wrong(format!("{} doesn't belong among the costs", quote(&self.line)));
            }
        }
        Ok(Some(ProfileLine::Nothing))
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
        let mut profile = self.lines.input().take_profile()?;
        for object in &mut profile.objects {
            *object = self.link.restored(object);
        }
        Some(profile)
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
                Err(Error::malformed(self.path, number, flaw))
            }
        }
    }

    /// Returns an error about the line that was read last.
    pub(crate) fn wrong(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.lines.number(), message)
    }

    /// Returns an error about the line that lists the events.
    pub(crate) fn wrong_events(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.path, self.header.events_line, message)
    }

    fn ends_early(&self) -> Error {
        self.wrong("the file ends before its `totals:` line")
    }
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
    fn read(&mut self, line: &[u8]) -> Result<bool, String> {
        match ProfileLine::classify(line) {
            Some(ProfileLine::Nothing) => Ok(false),
            Some(ProfileLine::Header { key: b"totals", .. }) if self.header.events.is_empty() => {
                Err("there is no `events:` line before this one".to_owned())
            }
            Some(ProfileLine::Header { key: b"totals", .. }) => Ok(true),
            Some(ProfileLine::Header { key, value }) => {
                self.entry(key, value)?;
                if is_common(key, value) {
                    self.header.common.push(line.to_owned());
                }
                Ok(false)
            }
            Some(_) if self.header.events.is_empty() => {
                Err("the header has no `events:` line".to_owned())
            }
            Some(_) => Ok(true),
            None => Err(format!("{} doesn't belong to a header", quote(line))),
        }
    }

    /// Reads an entry. Unknown keys are ignored, as the format demands.
    fn entry(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let header = &mut self.header;
        match key {
            b"version" if value != b"1" => {
                return Err(format!("version {} of the format is not known", quote(value)));
            }
            b"creator" => header.creator = Some(text(value)),
            b"pid" => header.pid = Some(number(key, value)?),
            b"part" => header.number = Some(number(key, value)?),
            b"thread" => header.thread = Some(number(key, value)?),
            b"cmd" => header.command = Some(text(value)),
            b"desc" => self.describe(value),
            b"positions" => header.positions = positions(value)?,
            b"events" if header.events.is_empty() => {
                header.events = line::events(value)?;
                for text in std::mem::take(&mut self.merged) {
                    header.merged.push(merged(&text, &header.events)?);
                }
            }
            b"events" => return Err("the events are listed a second time".to_owned()),
            b"summary" if header.events.is_empty() => {
                return Err("there is no `events:` line before this one".to_owned());
            }
            b"summary" => header.summary = Some(line::costs(value, &header.events)?),
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
    format!("desc: Part {number}: pid {pid}{thread}: {command}: {}", line::counts(metrics))
}

/// Parses a description without its start: `NUMBER: pid PID thread THREAD: COMMAND: COUNTS`.
fn merged(description: &[u8], events: &[MetricKind]) -> Result<ProcessMetrics, String> {
    let text = text(description);
    let parse = || {
        let (_, rest) = text.split_once(": pid ")?;
        let (process, rest) = rest.split_once(": ")?;
        let (command, counts) = rest.rsplit_once(": ")?;
        let (pid, thread) = match process.split_once(" thread ") {
            Some((pid, thread)) => (pid, Some(line::number(thread.as_bytes())?)),
            None => (process, None),
        };
        let (pid, command) = (line::number(pid.as_bytes())?, command.to_owned());
        let metrics = line::costs(counts.as_bytes(), events).ok()?;
        Some(ProcessMetrics { pid, thread, command, metrics })
    };
    parse().ok_or_else(|| format!("{} does not describe a part", quote(description)))
}

/// Converts a name of any encoding, only to print it.
fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

fn number(key: &[u8], value: &[u8]) -> Result<u64, String> {
    line::number(value)
        .ok_or_else(|| format!("{} of `{}:` is not a number", quote(value), text(key)))
}

fn positions(value: &[u8]) -> Result<Vec<String>, String> {
    line::words(value)
        .map(|word| match word {
            b"instr" | b"bb" | b"line" => Ok(text(word)),
            _ => Err(format!("the position {} is not known", quote(word))),
        })
        .collect()
}

#[cfg(test)]
mod tests;
