//! Flamegraphs of callgrind's profiles.
//!
//! A profile's call graph becomes a flow of one event ([`flow`]), without cycles ([`cycles`]), that
//! becomes stacks ([`stacks`]), and these a picture ([`svg`]).

mod apportion;
mod cycles;
mod flow;
mod names;
mod options;
mod stacks;
mod svg;

use std::path::{Path, PathBuf};

use self::flow::Flow;
pub(crate) use self::options::Flamegraphs;
use self::stacks::stacks;
use self::svg::Picture;
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::metric::EventKind;
use crate::options::ToolOptions;
use crate::output::{Files, OutputDirectory, Slot};
use crate::settings::Mode;
use crate::tool::callgrind::{CallGraph, read_call_graph};

/// The result of a benchmark under one tool, of which flamegraphs may be made.
pub(crate) struct Export<'a> {
    /// The benchmark's title.
    pub(crate) title: String,
    pub(crate) files: &'a Files,
    pub(crate) tool: &'a ToolOptions,
    pub(crate) mode: &'a Mode,
}

/// A flamegraph that is still to be put into its place.
#[derive(Debug)]
pub(crate) struct Drawn {
    /// What its name has behind the slot.
    pub(crate) extension: String,
    pub(crate) file: PathBuf,
}

impl Drawn {
    fn new(extension: String, stem: &Path) -> Self {
        Self { file: stem.with_extension(&extension), extension }
    }
}

impl<'a> Export<'a> {
    /// The result of this benchmark under one of its tools.
    pub(crate) fn of(benchmark: &'a Benchmark, tool: &'a ToolOptions, mode: &'a Mode) -> Self {
        Self { title: benchmark.title_in_text(), files: &benchmark.files, tool, mode }
    }

    /// Draws the flamegraphs that the configuration asks for, in files that are named after `stem`. The
    /// old result has to be in its place still.
    pub(crate) fn draw(&self, new: Option<&Path>, stem: &Path) -> Result<Vec<Drawn>> {
        let (Some(options), Some(new)) = (&self.tool.flamegraphs, new) else {
            return Ok(Vec::new());
        };
        let old = self.files.existing(self.tool.tool, &self.mode.old);
        let old = old.and_then(|old| old.files.into_iter().next());
        let old = old.filter(|_| options.is_differential());
        if !options.is_regular() && old.is_none() {
            return Ok(Vec::new());
        }
        let new = read_call_graph(new)?;
        let old = old.map(|path| read_call_graph(&path)).transpose()?;
        let mut drawn = Vec::new();
        for &event in &options.events {
            let new = flow(&new, event)?;
            if new.total() == 0 {
                log::info!("no flamegraph of {event} for {}: there are none", self.title);
                continue;
            }
            if options.is_regular() {
                drawn.push(self.regular(options, event, &new, stem)?);
            }
            // What the old profile lacks can't be compared
            let old = old.as_ref().and_then(|old| Flow::new(old, event));
            if let Some(old) = old.filter(|old| old.total() > 0) {
                // A function's colour shall tell what changed in it
                let flows = [new, old].map(Flow::without_files);
                drawn.push(self.differential(options, event, &flows, stem)?);
            }
        }
        Ok(drawn)
    }

    fn regular(
        &self,
        options: &Flamegraphs,
        event: EventKind,
        flow: &Flow<'_>,
        stem: &Path,
    ) -> Result<Drawn> {
        let drawn = Drawn::new(format!("{event}.flamegraph.svg"), stem);
        let stacks = stacks(flow, options.smallest(flow.total()));
        self.picture(options, event, "").regular(&stacks, &drawn.file)?;
        Ok(drawn)
    }

    fn differential(
        &self,
        options: &Flamegraphs,
        event: EventKind,
        [new, old]: &[Flow<'_>; 2],
        stem: &Path,
    ) -> Result<Drawn> {
        let (slot, comparison) = self.comparison();
        let drawn = Drawn::new(format!("{event}.diff{slot}.flamegraph.svg"), stem);
        let smallest = options.smallest(new.total().min(old.total()));
        let [new, old] = [new, old].map(|flow| stacks(flow, smallest));
        self.picture(options, event, &comparison).differential(&new, &old, &drawn.file)?;
        Ok(drawn)
    }

    /// What the new profile is compared with, in file names and in words.
    fn comparison(&self) -> (Slot, String) {
        match &self.mode.old {
            Slot::Baseline(name) if self.mode.old != self.mode.new => {
                (self.mode.old.clone(), format!(", compared with the baseline {name}"))
            }
            _ => (Slot::Old, ", compared with the result before".to_owned()),
        }
    }

    fn picture<'b>(&self, options: &'b Flamegraphs, event: EventKind, more: &str) -> Picture<'b> {
        Picture {
            title: options.title.clone().unwrap_or_else(|| self.title.clone()),
            subtitle: options.subtitle.clone().unwrap_or_else(|| event.label().to_owned() + more),
            unit: event.label(),
            options,
        }
    }
}

/// Draws the flamegraphs of results of an earlier run.
pub(crate) fn draw_stored<'a>(
    exports: impl IntoIterator<Item = Export<'a>>,
    output: &OutputDirectory,
) -> Result<()> {
    let staging = output.staging()?;
    for export in exports {
        let Export { files, tool: ToolOptions { tool, .. }, mode, .. } = &export;
        if let Some(new) = files.existing(tool, &mode.new) {
            let new = new.files.first().map(|path| &**path);
            let drawn = export.draw(new, &staging.path().join(tool.name))?;
            files.place_flamegraphs(tool.name, &mode.new, &drawn)?;
        }
    }
    Ok(())
}

/// The costs of all stacks that a flamegraph of this profile would show, for each event that it has.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn costs_of_stacks(profile: &Path) -> Result<Vec<(EventKind, u64)>> {
    let graph = read_call_graph(profile)?;
    let kinds = EventKind::CALLGRIND.iter().filter(|kind| !kind.is_rate());
    let costs = kinds.filter_map(|kind| {
        let flow = Flow::new(&graph, *kind)?;
        let smallest = flow.total() / 1000;
        Some((*kind, stacks(&flow, smallest).values().sum()))
    });
    Ok(costs.collect())
}

/// How an event flows through a call graph; an event that was not counted is an error.
fn flow(graph: &CallGraph, event: EventKind) -> Result<Flow<'_>> {
    Flow::new(graph, event).ok_or_else(|| {
        Error::Case(format!(
            "there can be no flamegraph of `{event}`: callgrind did not count that.\nLeave it out of the \
             flamegraph's `event_kinds`, or give callgrind the argument that it needs"
        ))
    })
}
