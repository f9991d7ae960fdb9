//! The largest heap of the measured region, from Valgrind's trace of all allocations.
//!
//! DHAT knows only the moment when the heap of the whole process was largest, which can be during the setup. With
//! `--trace-malloc=yes` the log has a line for each allocation in any thread, and the harness marks the region between them.

use iai_callgrind_base::MalformedFile;
use iai_callgrind_profile::files;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_plan::protocol::LOG_MARKS;
use iai_callgrind_profile::{Line, Lines};
use serde::{Deserialize, Serialize};

use super::parser::TOOL;
use crate::tool::lines::malformed;
use crate::{Error, Result};

/// The extension of the file with the peaks of a process, next to DHAT's file.
pub(super) const EXTENSION: &str = "peak.json";

/// Argument for Valgrind that writes the trace into the log.
pub(super) const ARGUMENT: &str = "--trace-malloc=yes";

/// Warning of DHAT after a monitor command that the core of Valgrind handles.
const WARNING: &str = "Warning: unknown DHAT client request code";

/// The most bytes and blocks that the code of a region had at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peak {
    bytes: u64,
    blocks: u64,
}

impl Peak {
    /// Reads the peaks that are stored with a file of DHAT, if there are any.
    pub(super) fn read(file: &Path) -> Result<Option<Self>> {
        let path = path(file);
        if !path.exists() {
            return Ok(None);
        }
        let json = files::read(&path).map_err(Error::io("read", &path))?;
        let peak = serde_json::from_slice(&json);
        peak.map(Some)
            .map_err(|error| malformed(TOOL, &path, error.line(), MalformedFile::Json(error)))
    }

    /// Writes the peaks of a process, whose file of DHAT has this path.
    pub(super) fn write(self, file: &Path) -> Result<()> {
        let path = path(file);
        let write = || fs::write(&path, serde_json::to_vec(&self)?);
        write().map_err(Error::io("write", &path))
    }

    /// Adds the peaks to the metrics of a process.
    pub(super) fn add_to(self, metrics: &mut Metrics) {
        metrics.extend([
            (MetricKind::RegionPeakBytes, self.bytes),
            (MetricKind::RegionPeakBlocks, self.blocks),
        ]);
    }
}

/// Returns the path of the peaks that go with a file of DHAT: `a.peak.json.p2` for `a.out.p2`.
fn path(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (stem, number) = match name.rsplit_once(".out") {
        Some((stem, number)) => (stem, number),
        None => (&*name, ""),
    };
    file.with_file_name(format!("{stem}.{EXTENSION}{number}"))
}

/// The part of a process in which allocations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TracedRegion {
    /// Between the marks of the harness.
    Marked,
    /// The whole process.
    Process,
}

/// Reads the trace in the log of a process.
pub(super) fn read_peak(log: &Path, region: TracedRegion) -> Result<Peak> {
    let mut heap = Heap { is_counted: region == TracedRegion::Process, ..Heap::default() };
    let mut calls = Calls::default();
    each_line(log, |line| {
        match Entry::parse(line) {
            Some(Entry::Begin) => heap.begin(),
            Some(Entry::End) => heap.is_counted = false,
            Some(Entry::Trace(text)) => calls.take(text, &mut heap),
            None => {}
        }
        Ok(())
    })?;
    Ok(heap.peak)
}

/// Removes the trace from a log.
pub(super) fn remove_trace(log: &Path) -> Result<()> {
    let copy = log.with_extension("untraced");
    let output = File::create(&copy).map_err(Error::io("create", &copy))?;
    let mut output = BufWriter::new(output);
    each_line(log, |line| {
        if Entry::parse(line).is_none() && !line.contains(WARNING) {
            writeln!(output, "{line}")?;
        }
        Ok(())
    })?;
    output.flush().map_err(Error::io("write", &copy))?;
    fs::rename(&copy, log).map_err(Error::io("write", log))
}

fn each_line(log: &Path, mut take: impl FnMut(&str) -> io::Result<()>) -> Result<()> {
    let mut lines = Lines::open(log).map_err(Error::io("read", log))?;
    while let Some(Line { text, .. }) = lines.next_line().map_err(Error::io("read", log))? {
        take(&String::from_utf8_lossy(text)).map_err(Error::io("read", log))?;
    }
    Ok(())
}

/// A line that the trace or the harness has in a log.
#[derive(Debug, PartialEq, Eq)]
enum Entry<'a> {
    Begin,
    End,
    /// Calls without the process: `malloc(8) = 0x4A40030`.
    Trace(&'a str),
}

impl<'a> Entry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let [begin, end] = LOG_MARKS.map(|mark| mark.text);
        if line.ends_with(begin) {
            return Some(Self::Begin);
        }
        if line.ends_with(end) {
            return Some(Self::End);
        }
        let (process, text) = line.strip_prefix("--")?.split_once("-- ")?;
        let is_process =
            process.bytes().all(|byte| byte.is_ascii_digit() || b": .".contains(&byte));
        let is_call = text.starts_with(" = ") || text.contains('(');
        (is_process && is_call).then_some(Self::Trace(text))
    }
}

/// A call of the allocator that changes the heap when it has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Allocate {
        size: u64,
    },
    Reallocate {
        from: u64,
        size: u64,
    },
    /// A call that changes no block.
    Other,
}

/// The calls that have not returned. Another thread can run between a call and its result, on the same line.
#[derive(Debug, Default)]
struct Calls(Vec<Call>);

impl Calls {
    /// Takes the calls and results of a line.
    fn take(&mut self, line: &str, heap: &mut Heap) {
        let mut rest = line;
        while let Some((call, after)) = next(rest) {
            match call {
                Step::Free(address) => heap.free(address),
                Step::Call(call) => self.0.push(call),
                // On the line of its call the last one returns, and later the oldest
                Step::Result(address) if rest.len() < line.len() => {
                    self.0.pop().into_iter().for_each(|call| heap.finish(call, address));
                }
                Step::Result(address) if !self.0.is_empty() => {
                    heap.finish(self.0.remove(0), address);
                }
                Step::Result(_) => {}
            }
            rest = after;
        }
    }
}

/// A part of a line.
enum Step {
    Free(u64),
    Call(Call),
    Result(u64),
}

/// Returns the first part of a line, and what follows it: `free(0x1)`, `malloc(8)` or ` = 0x1`.
fn next(text: &str) -> Option<(Step, &str)> {
    if let Some(result) = text.strip_prefix(" = ") {
        let end = result.find(|digit: char| !digit.is_ascii_hexdigit() && digit != 'x');
        let (address, rest) = result.split_at(end.unwrap_or(result.len()));
        return Some((Step::Result(number(address)?), rest));
    }
    let (name, rest) = text.split_once('(')?;
    let (arguments, rest) = rest.split_once(')')?;
    let mut numbers = arguments
        .split(',')
        .map(|argument| number(argument.trim().rsplit(' ').next().unwrap_or_default()));
    let mut next = || numbers.next().flatten();
    let step = if name.contains("free") || name.contains("delete") || name.contains("Zd") {
        Step::Free(next()?)
    } else if name == "calloc" {
        Step::Call(Call::Allocate { size: next()?.checked_mul(next()?)? })
    } else if name == "realloc" {
        Step::Call(Call::Reallocate { from: next()?, size: next()? })
    } else if name == "memalign" || name == "posix_memalign" || name == "aligned_alloc" {
        // The alignment comes first
        next()?;
        Step::Call(Call::Allocate { size: next()? })
    } else if name.contains("usable_size") {
        Step::Call(Call::Other)
    } else {
        Step::Call(Call::Allocate { size: next()? })
    };
    Some((step, rest))
}

/// Parses a decimal number or an address.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A block of the heap.
#[derive(Debug, Clone, Copy)]
struct Block {
    size: u64,
    /// The size at the start of the region; `None` for a block of the region.
    before: Option<u64>,
}

impl Block {
    /// Returns the bytes that the region added.
    fn added(self) -> u64 {
        self.size.saturating_sub(self.before.unwrap_or(0))
    }
}

/// The heap of a process.
#[derive(Debug, Default)]
struct Heap {
    blocks: HashMap<u64, Block>,
    is_counted: bool,
    /// The bytes and blocks that the region has.
    live: Peak,
    peak: Peak,
}

impl Heap {
    /// Starts the region.
    fn begin(&mut self) {
        self.blocks.values_mut().for_each(|block| block.before = Some(block.size));
        (self.is_counted, self.live, self.peak) = (true, Peak::default(), Peak::default());
    }

    /// Applies a call that has returned this address.
    fn finish(&mut self, call: Call, address: u64) {
        match call {
            Call::Allocate { size } if address != 0 => {
                self.insert(address, Block { size, before: (!self.is_counted).then_some(size) });
            }
            Call::Reallocate { from, size } if address != 0 => {
                let old = self.remove(from);
                let new = Block { size, before: (!self.is_counted).then_some(size) };
                // It stays a block of the setup, and only the growth counts
                let kept = old.filter(|_| self.is_counted).map_or(new, |old| Block { size, ..old });
                self.insert(address, kept);
            }
            // `realloc` to nothing frees
            Call::Reallocate { from, size: 0 } => self.free(from),
            Call::Allocate { .. } | Call::Reallocate { .. } | Call::Other => {}
        }
    }

    fn free(&mut self, address: u64) {
        self.remove(address);
    }

    fn insert(&mut self, address: u64, block: Block) {
        self.blocks.insert(address, block);
        if self.is_counted {
            self.live.bytes += block.added();
            self.live.blocks += u64::from(block.before.is_none());
            self.peak.bytes = self.peak.bytes.max(self.live.bytes);
            self.peak.blocks = self.peak.blocks.max(self.live.blocks);
        }
    }

    fn remove(&mut self, address: u64) -> Option<Block> {
        let block = self.blocks.remove(&address)?;
        if self.is_counted {
            self.live.bytes = self.live.bytes.saturating_sub(block.added());
            let own = u64::from(block.before.is_none());
            self.live.blocks = self.live.blocks.saturating_sub(own);
        }
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak(lines: &[&str], region: TracedRegion) -> (u64, u64) {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("7.log");
        let text: String = lines
            .iter()
            .map(|line| match *line {
                "begin" => format!("n_errs_found 0 {}\n", LOG_MARKS[0].text),
                "end" => format!("n_errs_found 0 {}\n", LOG_MARKS[1].text),
                line => format!("--7-- {line}\n"),
            })
            .collect();
        fs::write(&log, format!("==7== DHAT\n{text}==7== Total: 1 bytes\n")).unwrap();
        let Peak { bytes, blocks } = read_peak(&log, region).unwrap();
        remove_trace(&log).unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), "==7== DHAT\n==7== Total: 1 bytes\n");
        (bytes, blocks)
    }

    #[test]
    fn only_blocks_of_the_region_count() {
        let lines = [
            "malloc(1000) = 0x10",
            "malloc(5000) = 0x20",
            "free(0x20)",
            "malloc(7) = 0x70",
            "begin",
            "malloc(10) = 0x20",
            "calloc(3,7) = 0x30",
            "free(0x20)",
            "free(0x10)",
            "memalign(al 64, size 4) = 0x10",
            "free(0x999)",
            "free(0x0)",
            "end",
            "malloc(9999) = 0x50",
        ];
        assert_eq!(peak(&lines, TracedRegion::Marked), (31, 2));
        assert_eq!(peak(&["begin", "free(0x1)", "end"], TracedRegion::Marked), (0, 0));
        assert_eq!(peak(&["malloc(3) = 0x1"], TracedRegion::Marked), (0, 0));
        assert_eq!(peak(&["malloc(3) = 0x1", "_Znwm(4) = 0x2"], TracedRegion::Process), (7, 2));
    }

    #[test]
    fn of_a_block_that_grows_the_growth_counts() {
        let own = ["begin", "malloc(10) = 0x1", "realloc(0x1,30) = 0x2", "realloc(0x2,5) = 0x2"];
        assert_eq!(peak(&own, TracedRegion::Marked), (30, 1));
        let of_setup = [
            "malloc(10) = 0x1",
            "begin",
            "realloc(0x1,30) = 0x2",
            "realloc(0x2,5) = 0x2",
            "malloc(1) = 0x3",
            "realloc(0x3,0) = 0x0",
            "realloc(0x0,2) = 0x3",
        ];
        assert_eq!(peak(&of_setup, TracedRegion::Marked), (20, 1));
    }

    #[test]
    fn a_thread_can_run_between_a_call_and_its_result() {
        let lines = [
            "begin",
            "malloc(100)malloc(10) = 0x1",
            "free(0x1)",
            "malloc(20) = 0x1",
            " = 0x2",
            "free(0x2)",
            "malloc(50) = 0x3",
        ];
        assert_eq!(peak(&lines, TracedRegion::Marked), (120, 2));
    }

    #[test]
    fn the_last_region_counts() {
        let lines = ["begin", "malloc(5) = 0x1", "end", "begin", "malloc(3) = 0x2", "end"];
        assert_eq!(peak(&lines, TracedRegion::Marked), (3, 1));
    }

    #[test]
    fn peaks_are_stored_next_to_the_file() {
        for (file, expected) in
            [("7.out", "7.peak.json"), ("dhat.f.out.x.out.p2", "dhat.f.out.x.peak.json.p2")]
        {
            assert_eq!(path(Path::new(file)), Path::new(expected));
        }
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("7.out");
        assert_eq!(Peak::read(&file).unwrap(), None);
        let peak = Peak { bytes: 3, blocks: 1 };
        peak.write(&file).unwrap();
        assert_eq!(Peak::read(&file).unwrap(), Some(peak));
        fs::write(directory.path().join("7.peak.json"), "{").unwrap();
        assert!(Peak::read(&file).unwrap_err().to_string().contains("7.peak.json"));
    }
}
