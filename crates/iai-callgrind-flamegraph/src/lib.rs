//! Flamegraphs of callgrind's profiles.
//!
//! A profile's call graph becomes the flow of one event (`flow`) without cycles (`cycles`), in which functions are
//! divided by what is inlined into them (`inlined`), then stacks (`stacks`), then a picture (`svg`).

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod apportion;
mod cycles;
mod flow;
mod functions;
mod inlined;
mod names;
mod node;
mod options;
mod stacks;
mod svg;

use std::path::Path;

use iai_callgrind_base::StagedFile;
use iai_callgrind_explain::{Inlining, Table};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::CallGraph;
use iai_callgrind_tools::Result;
use iai_callgrind_tools::tool::ToolFailure;

use self::flow::Flow;
pub use self::functions::{FunctionCost, function_costs};
use self::inlined::divide;
pub use self::options::{FlamegraphError, Flamegraphs};
use self::stacks::stacks;
use self::svg::Picture;

/// The flamegraphs of one profile.
pub struct Drawing<'a> {
    /// The title of the benchmark.
    pub title: &'a str,
    /// The choice of flamegraphs and their texts.
    pub options: &'a Flamegraphs,
    /// The start of the names of the files that are written.
    pub stem: &'a Path,
}

/// A profile to draw.
#[derive(Clone, Copy)]
pub struct Drawable<'a> {
    /// The functions with their costs and calls.
    pub graph: &'a CallGraph,
    /// The table of the profile, by which inlined functions are known.
    pub table: Option<&'a Table>,
}

/// The profile that differential flamegraphs compare with.
pub struct Base {
    /// The functions with their costs and calls.
    pub graph: CallGraph,
    /// The table of the profile, by which inlined functions are known.
    pub table: Option<Table>,
    /// The slot of the profile as a part of file names.
    pub slot: String,
    /// The slot in words, for the subtitle.
    pub description: String,
}

impl Drawing<'_> {
    /// Draws the flamegraphs of all configured events.
    pub fn draw(&self, new: Drawable<'_>, base: Option<&Base>) -> Result<Vec<StagedFile>> {
        let table = new.table.filter(|_| self.options.is_regular());
        let inlining = table.and_then(|table| Inlining::new(table, [table, table]));
        // With frames of inlined functions on one side only, all of them would look new or gone
        let tables = new.table.zip(base.and_then(|base| base.table.as_ref()));
        let both = tables.and_then(|(new, old)| {
            Some([Inlining::new(new, [old, new])?, Inlining::new(old, [old, new])?])
        });
        let mut drawn = Vec::new();
        for &event in &self.options.events {
            let flow = flow(new.graph, event)?;
            if flow.total() == 0 {
                log::info!("no flamegraph of {event} for {}: it is zero", self.title);
                continue;
            }
            if self.options.is_regular() {
                let mut divided = flow.clone();
                if let Some(inlining) = &inlining {
                    divide(&mut divided, new.graph, inlining, event);
                }
                drawn.push(self.regular(event, &divided)?);
            }
            // A base without the event is not comparable
            let old = base.and_then(|base| Some((base, Flow::new(&base.graph, event)?)));
            if let Some((base, old)) = old.filter(|(_, old)| old.total() > 0) {
                let mut flows = [flow, old];
                for ((flow, graph), inlining) in
                    flows.iter_mut().zip([new.graph, &base.graph]).zip(both.iter().flatten())
                {
                    divide(flow, graph, inlining, event);
                }
                // The colour of a function shows its change wherever the code that it contains is from
                let flows = flows.map(Flow::without_libraries);
                drawn.push(self.differential(event, &flows, base)?);
            }
        }
        Ok(drawn)
    }

    fn regular(&self, event: MetricKind, flow: &Flow<'_>) -> Result<StagedFile> {
        let drawn = self.file(format!("{event}.flamegraph.svg"));
        let stacks = stacks(flow, self.options.smallest(flow.total()));
        let subtitle = event.label().to_owned();
        self.picture(event, subtitle).regular(&stacks, &drawn.file)?;
        Ok(drawn)
    }

    fn differential(
        &self,
        event: MetricKind,
        [new, old]: &[Flow<'_>; 2],
        base: &Base,
    ) -> Result<StagedFile> {
        let drawn = self.file(format!("{event}.diff{}.flamegraph.svg", base.slot));
        let smallest = self.options.smallest(new.total().min(old.total()));
        let [new, old] = [new, old].map(|flow| stacks(flow, smallest));
        let subtitle = format!("{}, {}", event.label(), base.description);
        self.picture(event, subtitle).differential(&new, &old, &drawn.file)?;
        Ok(drawn)
    }

    fn file(&self, extension: String) -> StagedFile {
        StagedFile { file: self.stem.with_extension(&extension), extension }
    }

    fn picture(&self, event: MetricKind, subtitle: String) -> Picture<'_> {
        Picture {
            title: self.options.title.clone().unwrap_or_else(|| self.title.to_owned()),
            subtitle: self.options.subtitle.clone().unwrap_or(subtitle),
            unit: event.label(),
            options: self.options,
        }
    }
}

/// Returns the sum of all stacks in a flamegraph of this profile, for each of its events.
#[cfg(feature = "fuzzing")]
pub fn costs_of_stacks(profile: &Path) -> Result<Vec<(MetricKind, u64)>> {
    let graph = CallGraph::read(profile)?;
    let kinds = MetricKind::CALLGRIND.iter().filter(|kind| !kind.is_rate());
    let costs = kinds.filter_map(|kind| {
        let flow = Flow::new(&graph, *kind)?;
        let smallest = flow.total() / 1000;
        Some((*kind, stacks(&flow, smallest).values().sum()))
    });
    Ok(costs.collect())
}

/// Returns the flow of an event; an error if the event was not counted.
fn flow(graph: &CallGraph, event: MetricKind) -> Result<Flow<'_>> {
    Flow::new(graph, event).ok_or_else(|| ToolFailure::NoFlamegraph { event }.into())
}
