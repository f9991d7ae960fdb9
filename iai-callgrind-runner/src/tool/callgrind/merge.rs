//! Joins the profiles of one benchmark, its dumps and its processes, in one file.
//!
//! The result is a profile of one part, which `callgrind_annotate` and `KCachegrind` read as it is.
//! Each source is read twice, for the totals have to stand before the costs, and never held in
//! memory.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use iai_callgrind_plan::metric::Metrics;
use tempfile::NamedTempFile;

use super::CALLGRIND;
use super::line::Line;
use super::parser::{Part, read_totals};
use super::rewrite::Body;
use crate::error::{Error, Result};
use crate::tool::lines::{Lines, malformed};

/// Makes the profile `to` out of `parts`, which are gone afterwards
///
/// If this fails, the parts and a previous `to` are still there.
pub(crate) fn finish(parts: &[PathBuf], to: &Path) -> Result<Metrics> {
    let totals = merge(parts, to)?;
    for part in parts.iter().filter(|part| *part != to) {
        fs::remove_file(part).map_err(Error::io("remove", part))?;
    }
    Ok(totals)
}

/// Writes the profile `to` with the costs of all `parts` and returns their sum
///
/// `to` appears when it is complete, and may be one of the parts.
pub(crate) fn merge(parts: &[PathBuf], to: &Path) -> Result<Metrics> {
    let sources = parts
        .iter()
        .map(|path| Ok((path.as_path(), read_totals(path)?)))
        .collect::<Result<Vec<_>>>()?;
    let total = sum(&sources, to)?;

    let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    let file = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")));
    let mut target =
        Target { path: to, output: BufWriter::new(file.map_err(Error::io("write", to))?) };
    target.write_header(&sources, &total)?;
    let mut body = Body::default();
    for (path, part) in &sources {
        body.start(&part.positions);
        target.copy_body(path, &mut body)?;
    }
    target.write(format!("\ntotals: {}\n", counts(&total)).as_bytes())?;
    target.persist()?;
    Ok(total)
}

/// Adds the totals up; sources that don't fit together are an error
fn sum(sources: &[(&Path, Part)], to: &Path) -> Result<Metrics> {
    let Some(((_, first), others)) = sources.split_first() else {
        return Err(Error::NoProfile { path: to.to_owned() });
    };
    others.iter().try_fold(first.totals.clone(), |total, (path, part)| {
        let error = |message| malformed(&CALLGRIND, path, part.events_line, message);
        if part.positions != first.positions {
            return Err(error(format!(
                "the positions `{}` are not the `{}` of the other profiles",
                part.positions.join(" "),
                first.positions.join(" "),
            )));
        }
        total.checked_add(&part.totals).map_err(|cause| {
            error(format!("the costs can't be added to those of the other profiles: {cause}"))
        })
    })
}

/// The file that is being written
struct Target<'a> {
    path: &'a Path,
    output: BufWriter<NamedTempFile>,
}

impl Target<'_> {
    /// The header of the first source, without what is true of that one only
    fn write_header(&mut self, sources: &[(&Path, Part)], total: &Metrics) -> Result<()> {
        let Some((first, _)) = sources.first() else { return Ok(()) };
        self.write(b"# callgrind format\n")?;
        let mut lines = Lines::open(&CALLGRIND, first)?;
        while let Some(line) = lines.next()? {
            match Line::classify(line) {
                Some(Line::Nothing) => {}
                Some(Line::Header { key: b"events", .. }) => {
                    self.write_sources(sources)?;
                    self.write_line(line)?;
                    self.write_line(format!("summary: {}", counts(total)).as_bytes())?;
                }
                Some(Line::Header { key, value }) => {
                    if is_common(key, value) {
                        self.write_line(line)?;
                    }
                }
                Some(Line::Entry { .. } | Line::Costs) | None => break,
            }
        }
        Ok(())
    }

    /// A line for each of several sources, so that the parts can still be told apart
    fn write_sources(&mut self, sources: &[(&Path, Part)]) -> Result<()> {
        if sources.len() == 1 {
            return Ok(());
        }
        for (number, (_, part)) in (1..).zip(sources) {
            let pid = part.pid.unwrap_or_default();
            let thread = part.thread.map(|thread| format!(" thread {thread}")).unwrap_or_default();
            let command = part.command.as_deref().unwrap_or_default();
            let totals = counts(&part.totals);
            let line = format!("desc: Part {number}: pid {pid}{thread}: {command}: {totals}");
            self.write_line(line.as_bytes())?;
        }
        Ok(())
    }

    fn copy_body(&mut self, path: &Path, body: &mut Body) -> Result<()> {
        let mut lines = Lines::open(&CALLGRIND, path)?;
        let mut output = Vec::new();
        while let Some(line) = lines.next()? {
            if let Err(message) = body.rewrite(line, &mut output) {
                return Err(lines.wrong(message));
            }
            self.write(&output)?;
            output.clear();
        }
        Ok(())
    }

    fn write_line(&mut self, line: &[u8]) -> Result<()> {
        self.write(line)?;
        self.write(b"\n")
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.output.write_all(bytes).map_err(Error::io("write", self.path))
    }

    fn persist(self) -> Result<()> {
        let file = self.output.into_inner().map_err(io::IntoInnerError::into_error);
        file.and_then(|file| file.persist(self.path).map_err(|error| error.error))
            .map_err(Error::io("write", self.path))?;
        Ok(())
    }
}

/// Whether a header line of the first source holds for all of them
fn is_common(key: &[u8], value: &[u8]) -> bool {
    const OF_ONE_PART: [&[u8]; 3] = [b"Timerange:", b"Trigger:", b"Part "];
    match key {
        b"part" | b"thread" | b"summary" | b"totals" => false,
        b"desc" => !OF_ONE_PART.iter().any(|start| value.starts_with(start)),
        _ => true,
    }
}

/// The values as callgrind writes them, with the zeros at the end
fn counts(metrics: &Metrics) -> String {
    metrics.events().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
