//! Profiles: the counts of all dumps of one benchmark in one file.
//!
//! `callgrind_annotate` and `KCachegrind` read a merged profile like any other. Each dump is read once
//! and never held in memory. The merged header contains the totals of all dumps, so the merged body is
//! spooled until they are known.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::{AddError, MetricKind, Metrics};
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::addresses::AddressProfile;
use crate::body::BodyRewriter;
use crate::collector::Addresses;
use crate::dump::{CallSource, Dump, DumpFile, DumpHeader, ProcessMetrics, description};
use crate::error::{Error, Result};
use crate::graph::{CallGraph, CallGraphReader};
use crate::heap::{HeapCallReader, HeapCalls};
use crate::line::BodyLine;
use crate::malformed::Malformed;
use crate::names::Names;
use crate::renamed::Renamed;
use crate::text::BodyText;
use crate::words::counts;

/// Size of a merged body that is spooled in memory, and of the pieces that are written to a file.
const IN_MEMORY: usize = 1 << 20;
const PIECE: usize = 1 << 16;

/// Counts of a profile with the requested details.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The counts of all processes and threads.
    pub total: Metrics,
    /// Counts of each process or thread; empty if there was only one.
    pub processes: Vec<ProcessMetrics>,
    /// The allocations and frees; `None` if they are not requested or not known.
    pub heap_calls: Option<HeapCalls>,
    /// The call graph, if it is asked for.
    pub call_graph: Option<CallGraph>,
    /// The costs by address, if the dumps have addresses.
    pub addresses: Option<AddressProfile>,
}

/// Details of a profile that are made of all of its lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProfileDetails {
    /// Allocations and frees.
    pub heap_calls: bool,
    /// The call graph.
    pub call_graph: bool,
    /// The costs by address.
    pub addresses: Addresses,
}

impl ProfileDetails {
    /// Returns the details that these metrics need.
    #[must_use]
    pub fn of_metrics(metrics: &[MetricKind]) -> Self {
        let heap_calls = [MetricKind::Allocations, MetricKind::Frees];
        Self { heap_calls: metrics.iter().any(|kind| heap_calls.contains(kind)), ..Self::default() }
    }
}

impl Profile {
    /// Reads a stored profile.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read, or was not written by callgrind.
    pub fn read(path: &Path, details: ProfileDetails) -> Result<Self> {
        let mut dump = Dump::open_merged(path)?;
        let mut reader = DetailReader::new(details, &dump.header);
        while dump.next(&mut |line, names| reader.read(line, names))? {}
        reader.end_body().map_err(|cause| dump.wrong(cause))?;
        let total = dump.totals()?.clone();
        let processes = std::mem::take(&mut dump.header.merged);
        let processes = by_process(processes)
            .map_err(|cause| dump.wrong_events(Malformed::PartsNotAddable(cause)))?;
        Ok(Self { total, processes, ..reader.finish(path) })
    }
}

/// Merges dumps into the profile `to`, which may be one of them.
///
/// # Errors
///
/// Returns an error if a dump can't be read, does not fit to the others, or the profile can't be written.
pub fn merge(dumps: &[PathBuf], to: &Path, details: ProfileDetails) -> Result<Profile> {
    let mut writer = ProfileWriter::new(to, details);
    for path in dumps {
        writer.add(DumpFile { path, link: Renamed::NONE, calls: CallSource::Merged })?;
    }
    writer.finish()
}

/// Adds the counts of the same process or thread; empty for a single one.
fn by_process(dumps: Vec<ProcessMetrics>) -> Result<Vec<ProcessMetrics>, AddError> {
    let mut processes: Vec<ProcessMetrics> = Vec::new();
    for dump in dumps {
        let is_same =
            |other: &&mut ProcessMetrics| (other.pid, other.thread) == (dump.pid, dump.thread);
        match processes.iter_mut().find(is_same) {
            Some(process) => process.metrics = process.metrics.checked_add(&dump.metrics)?,
            None => processes.push(dump),
        }
    }
    if processes.len() == 1 {
        processes.clear();
    }
    Ok(processes)
}

/// Collects the requested details from the lines of a profile.
#[derive(Debug, Default)]
struct DetailReader {
    heap_calls: Option<HeapCallReader>,
    call_graph: Option<CallGraphReader>,
}

impl DetailReader {
    fn new(details: ProfileDetails, header: &DumpHeader) -> Self {
        Self {
            heap_calls: details.heap_calls.then(HeapCallReader::default),
            call_graph: details.call_graph.then(|| CallGraphReader::new(header)),
        }
    }

    fn read(&mut self, line: BodyLine<'_>, names: &Names) -> Result<(), Malformed> {
        if let Some(heap_calls) = &mut self.heap_calls {
            heap_calls.read(line, names)?;
        }
        self.call_graph.as_mut().map_or(Ok(()), |call_graph| call_graph.read(line, names))
    }

    /// Ends the lines of a dump. The next one has other names.
    fn end_body(&mut self) -> Result<(), Malformed> {
        if let Some(call_graph) = &mut self.call_graph {
            call_graph.end_body();
        }
        self.heap_calls.as_mut().map_or(Ok(()), HeapCallReader::end_body)
    }

    /// Returns the details, in a profile without counts.
    fn finish(self, path: &Path) -> Profile {
        Profile {
            heap_calls: self.heap_calls.and_then(|heap_calls| heap_calls.finish(path)),
            call_graph: self.call_graph.map(CallGraphReader::finish),
            ..Profile::default()
        }
    }
}

/// Merges dumps as they come.
pub struct ProfileWriter<'a> {
    to: &'a Path,
    details: ProfileDetails,
    reader: DetailReader,
    /// Header of the first dump, and the sum of all totals.
    first: Option<(DumpHeader, Metrics)>,
    dumps: Vec<ProcessMetrics>,
    body: BodyRewriter,
    addresses: Option<AddressProfile>,
    body_text: BodyText,
    /// Merged lines that are not spooled yet.
    text: Vec<u8>,
    spool: SpooledTempFile,
}

impl<'a> ProfileWriter<'a> {
    /// Prepares the profile `to`, which is written by [`Self::finish`].
    #[must_use]
    pub fn new(to: &'a Path, details: ProfileDetails) -> Self {
        let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self {
            to,
            details,
            reader: DetailReader::default(),
            first: None,
            dumps: Vec::new(),
            body: BodyRewriter::default(),
            addresses: None,
            body_text: BodyText::default(),
            text: Vec::new(),
            spool: spooled_tempfile_in(IN_MEMORY, directory.unwrap_or(Path::new("."))),
        }
    }

    /// Returns true if no dump was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Adds a dump.
    ///
    /// # Errors
    ///
    /// Returns an error if it can't be read, or does not have the positions and events of the others.
    pub fn add(&mut self, dump: DumpFile<'_>) -> Result<()> {
        let mut dump = Dump::open(dump, self.details.addresses)?;
        let header = &dump.header;
        match &self.first {
            None => self.reader = DetailReader::new(self.details, header),
            Some((first, _)) if first.positions != header.positions => {
                return Err(dump.wrong_events(Malformed::OtherPositions {
                    here: header.positions.join(" "),
                    others: first.positions.join(" "),
                }));
            }
            Some((first, _)) if first.events != header.events => {
                return Err(not_addable(&dump, AddError::DifferentEvents));
            }
            Some(_) => {}
        }
        self.body.start(&header.positions);
        while dump.next(&mut |line, names| self.rewrite(line, names))? {
            if self.text.len() > PIECE {
                self.spool_text()?;
            }
        }
        self.spool_text()?;
        self.reader.end_body().map_err(|cause| dump.wrong(cause))?;
        self.body_text.end_body(dump.names()).map_err(|cause| dump.wrong(cause))?;
        let metrics = dump.totals()?.clone();
        if let Some(addresses) = dump.take_addresses() {
            self.addresses.get_or_insert_default().append(addresses);
        }
        self.first = Some(match self.first.take() {
            None => (dump.header.clone(), metrics.clone()),
            Some((first, total)) => {
                let total = total.checked_add(&metrics);
                (first, total.map_err(|error| not_addable(&dump, error))?)
            }
        });
        let DumpHeader { pid, thread, command, .. } = dump.header;
        let (pid, command) = (pid.unwrap_or_default(), command.unwrap_or_default());
        self.dumps.push(ProcessMetrics { pid, thread, command, metrics });
        Ok(())
    }

    fn rewrite(&mut self, line: BodyLine<'_>, names: &Names) -> Result<(), Malformed> {
        let Self { body, reader, body_text, text, .. } = self;
        body.rewrite(line, &mut |line| {
            reader.read(line, names)?;
            body_text.write(line, names, text)
        })
    }

    fn spool_text(&mut self) -> Result<()> {
        self.spool.write_all(&self.text).map_err(Error::io("write", self.to))?;
        self.text.clear();
        Ok(())
    }

    /// Writes the profile.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no dump, or the file can't be written.
    pub fn finish(mut self) -> Result<Profile> {
        let Some((header, total)) = self.first.take() else {
            return Err(Error::NoDump { path: self.to.to_owned() });
        };
        self.write(&header, &total).map_err(Error::io("write", self.to))?;
        let wrong = |cause| Error::malformed(self.to, 1, Malformed::PartsNotAddable(cause));
        let processes = by_process(self.dumps).map_err(wrong)?;
        Ok(Profile { total, processes, addresses: self.addresses, ..self.reader.finish(self.to) })
    }

    fn write(&mut self, header: &DumpHeader, total: &Metrics) -> io::Result<()> {
        let mut output = BufWriter::new(File::create(self.to)?);
        output.write_all(b"# callgrind format\n")?;
        for line in &header.common {
            let is_events = line.starts_with(b"events:");
            let dumps = if is_events && self.dumps.len() > 1 { &*self.dumps } else { &[] };
            for (number, dump) in (1..).zip(dumps) {
                writeln!(output, "{}", description(number, dump))?;
            }
            output.write_all(line)?;
            output.write_all(b"\n")?;
            if is_events {
                writeln!(output, "summary: {}", counts(total))?;
            }
        }
        self.spool.rewind()?;
        io::copy(&mut self.spool, &mut output)?;
        writeln!(output, "\ntotals: {}", counts(total))?;
        output.flush()
    }
}

fn not_addable(dump: &Dump<'_>, cause: AddError) -> Error {
    dump.wrong_events(Malformed::NotAddable(cause))
}

#[cfg(test)]
mod tests;
