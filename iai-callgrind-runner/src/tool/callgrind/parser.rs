//! Reads what a profile says of itself: its header, `summary:` and `totals:`.

use std::path::Path;

use iai_callgrind_plan::metric::{EventKind, Metrics};

use super::CALLGRIND;
use super::line::{self, Line, quote};
use crate::error::{Error, Result};
use crate::tool;
use crate::tool::lines::Lines;

/// One profile: what a process counted since its start or since its previous dump
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The program that wrote the file: `callgrind-3.19.0`
    pub(crate) creator: Option<String>,
    /// The process that was observed
    pub(crate) pid: Option<u64>,
    /// The number of the dump within the process, counted from one
    pub(crate) number: Option<u64>,
    /// The thread that was observed (`--separate-threads=yes`), counted from one
    pub(crate) thread: Option<u64>,
    /// The command line that was observed
    pub(crate) command: Option<String>,
    /// The label of the client request or of the monitor command that caused the dump, empty if it had
    /// none; `None` for any other cause
    pub(crate) trigger: Option<String>,
    /// What was joined to this profile, see [`super::merge`]; empty if nothing was
    pub(crate) joined: Vec<tool::ProcessMetrics>,
    /// What the first numbers of a cost line mean: `instr`, `bb`, `line` or several of them
    pub(crate) positions: Vec<String>,
    /// The line that lists the events, for errors about them
    pub(super) events_line: usize,
    /// The sum of all cost lines: what was counted
    pub(crate) totals: Metrics,
    /// What callgrind says was counted. Wrong once client requests were used: it then holds costs
    /// from outside of what they select
    pub(crate) summary: Option<Metrics>,
}

/// Reads a profile from its first line to its `totals:`, which have to be the last
pub(crate) fn read_totals(path: &Path) -> Result<Part> {
    let mut lines = Lines::open(&CALLGRIND, path)?;
    let mut header = Header::default();
    while let Some(line) = lines.next()? {
        let step = header.read(line);
        let number = lines.number();
        match step.map_err(|message| lines.wrong(message))? {
            Step::Header => {}
            Step::Events => header.part.events_line = number,
            Step::Body => return read_body(&mut lines, header),
            Step::Totals(totals) => return read_end(&mut lines, header.finish(totals)),
        }
    }
    Err(ends_early(&lines))
}

/// The cost lines up to the `totals:`
fn read_body(lines: &mut Lines<'_>, header: Header) -> Result<Part> {
    while let Some(line) = lines.next()? {
        match Line::classify(line) {
            Some(Line::Header { key: b"totals", value }) => {
                let totals = line::costs(value, &header.events);
                let totals = totals.map_err(|message| lines.wrong(message))?;
                return read_end(lines, header.finish(totals));
            }
            Some(Line::Nothing | Line::Entry { .. } | Line::Costs) => {}
            Some(Line::Header { .. }) | None => {
                let message = format!("{} doesn't belong among the costs", quote(line));
                return Err(lines.wrong(message));
            }
        }
    }
    Err(ends_early(lines))
}

/// Nothing may follow the totals
fn read_end(lines: &mut Lines<'_>, part: Part) -> Result<Part> {
    while let Some(line) = lines.next()? {
        if Line::classify(line) != Some(Line::Nothing) {
            return Err(lines.wrong("the file goes on after its `totals:` line"));
        }
    }
    Ok(part)
}

fn ends_early(lines: &Lines<'_>) -> Error {
    lines.wrong("the file ends before its `totals:` line")
}

/// What a header line turned out to be
enum Step {
    Header,
    Events,
    Totals(Metrics),
    /// The header was over before this line
    Body,
}

/// The header as far as it was read
#[derive(Default)]
struct Header {
    part: Part,
    events: Vec<EventKind>,
    /// Descriptions of joined parts. They stand before the events that their counts are of.
    joined: Vec<Vec<u8>>,
}

impl Header {
    fn read(&mut self, line: &[u8]) -> Result<Step, String> {
        match Line::classify(line) {
            Some(Line::Nothing) => Ok(Step::Header),
            Some(Line::Header { key, value }) => self.entry(key, value),
            Some(Line::Entry { .. } | Line::Costs) if !self.events.is_empty() => Ok(Step::Body),
            Some(Line::Entry { .. } | Line::Costs) => {
                Err("the header has no `events:` line".to_owned())
            }
            None => Err(format!("{} doesn't belong to a header", quote(line))),
        }
    }

    /// Keys that nothing here depends on are ignored, as the format demands
    fn entry(&mut self, key: &[u8], value: &[u8]) -> Result<Step, String> {
        match key {
            b"version" if value != b"1" => {
                return Err(format!("version {} of the format is not known", quote(value)));
            }
            b"creator" => self.part.creator = Some(text(value)),
            b"pid" => self.part.pid = Some(number(key, value)?),
            b"part" => self.part.number = Some(number(key, value)?),
            b"thread" => self.part.thread = Some(number(key, value)?),
            b"cmd" => self.part.command = Some(text(value)),
            b"desc" => self.describe(value),
            b"positions" => self.part.positions = positions(value)?,
            b"events" if self.events.is_empty() => {
                self.events = line::events(value)?;
                for text in std::mem::take(&mut self.joined) {
                    self.part.joined.push(self.joined(&text)?);
                }
                return Ok(Step::Events);
            }
            b"events" => return Err("the events are listed a second time".to_owned()),
            b"summary" => self.part.summary = Some(self.costs(value)?),
            b"totals" => return Ok(Step::Totals(self.costs(value)?)),
            _ => {}
        }
        Ok(Step::Header)
    }

    fn describe(&mut self, description: &[u8]) {
        if let Some(joined) = description.strip_prefix(b"Part ") {
            self.joined.push(joined.to_owned());
        }
        let Some(trigger) = description.strip_prefix(b"Trigger:").map(<[u8]>::trim_ascii) else {
            return;
        };
        let label =
            [&b"Client Request"[..], b"dump"].iter().find_map(|it| trigger.strip_prefix(*it));
        if let Some(label) = label {
            self.part.trigger = Some(text(label.strip_prefix(b":").unwrap_or(label).trim_ascii()));
        }
    }

    /// `NUMBER: pid PID thread THREAD: COMMAND: COUNTS`
    fn joined(&self, description: &[u8]) -> Result<tool::ProcessMetrics, String> {
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
            let metrics = line::costs(counts.as_bytes(), &self.events).ok()?;
            Some(tool::ProcessMetrics { pid, thread, command, metrics })
        };
        parse().ok_or_else(|| format!("{} does not describe a part", quote(description)))
    }

    fn costs(&self, value: &[u8]) -> Result<Metrics, String> {
        if self.events.is_empty() {
            return Err("there is no `events:` line before this one".to_owned());
        }
        line::costs(value, &self.events)
    }

    fn finish(self, totals: Metrics) -> Part {
        let mut part = self.part;
        if part.positions.is_empty() {
            // The format's default
            part.positions.push("line".to_owned());
        }
        Part { totals, ..part }
    }
}

/// Names may be of any encoding; they are only printed
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
#[path = "parser_tests.rs"]
mod tests;
