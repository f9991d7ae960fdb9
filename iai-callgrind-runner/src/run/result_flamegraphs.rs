//! Flamegraphs of results: the profiles that they show, and where they are stored.

use std::path::{Path, PathBuf};

use iai_callgrind_base::StagedFile;
use iai_callgrind_explain::Table;
use iai_callgrind_flamegraph::{Base, Drawable, Drawing, Flamegraphs};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::CallGraph;
use iai_callgrind_results::{Benchmark, Mode, ResultTable, ToolOptions};
use iai_callgrind_store::{Files, OutputDirectory, Slot};

use crate::error::Result;

/// A stored result with its configured flamegraphs.
pub(crate) struct ResultFlamegraphs<'a> {
    /// The title of the benchmark.
    pub(crate) title: String,
    pub(crate) files: &'a Files,
    pub(crate) tool: &'a ToolOptions,
    pub(crate) mode: &'a Mode,
}

impl<'a> ResultFlamegraphs<'a> {
    /// Returns the flamegraphs of a benchmark under one of its tools.
    pub(crate) fn of(benchmark: &'a Benchmark, tool: &'a ToolOptions, mode: &'a Mode) -> Self {
        Self { title: benchmark.title_in_text(), files: &benchmark.files, tool, mode }
    }

    /// Draws the configured flamegraphs into files whose names start with `stem`, with the inlined
    /// functions of the table, if there is one.
    ///
    /// The old result must still be in its slot.
    pub(crate) fn draw(
        &self,
        new: Option<&CallGraph>,
        table: Option<&Table>,
        stem: &Path,
    ) -> Result<Vec<StagedFile>> {
        let (Some(options), Some(graph)) = (&self.tool.flamegraphs, new) else {
            return Ok(Vec::new());
        };
        let base = self.old_profile().map(|path| self.base(&path)).transpose()?;
        let drawing = Drawing { title: &self.title, options, stem };
        Ok(drawing.draw(Drawable { graph, table }, base.as_ref())?)
    }

    /// Returns true if there is a flamegraph to draw.
    pub(crate) fn needs_call_graph(&self) -> bool {
        let options = self.tool.flamegraphs.as_ref();
        options.is_some_and(Flamegraphs::is_regular) || self.old_profile().is_some()
    }

    /// Returns the profile that differential flamegraphs compare with.
    fn old_profile(&self) -> Option<PathBuf> {
        self.tool.flamegraphs.as_ref().filter(|options| options.is_differential())?;
        // The last results are not moved, and the next run replaces them
        let is_new_baseline = self.mode.old == Slot::Latest && self.mode.new != Slot::Latest;
        if is_new_baseline {
            return None;
        }
        let old = self.files.find_result(self.tool.tool, &self.mode.old)?;
        old.files.into_iter().next()
    }

    /// Reads the old profile and names it for file names and subtitles.
    fn base(&self, old: &Path) -> Result<Base> {
        let graph = CallGraph::read(old)?;
        let table = self.stored_table(&graph, &self.mode.old);
        Ok(match &self.mode.old {
            Slot::Baseline(name) if self.mode.old != self.mode.new => Base {
                graph,
                table,
                slot: self.mode.old.to_string(),
                description: format!("compared with the baseline {name}"),
            },
            _ => Base {
                graph,
                table,
                slot: Slot::Old.to_string(),
                description: "compared with the result before".to_owned(),
            },
        })
    }

    /// Reads the table of a stored profile, if it has one that can be used.
    fn stored_table(&self, graph: &CallGraph, slot: &Slot) -> Option<Table> {
        let instructions = graph.total(MetricKind::Ir)?;
        let table = ResultTable::read(self.files, self.tool.tool, slot);
        table.parse(instructions, *slot == self.mode.old).ok()
    }
}

/// Draws the flamegraphs of results of an earlier run.
pub(crate) fn draw_stored<'a>(
    flamegraphs: impl IntoIterator<Item = ResultFlamegraphs<'a>>,
    output: &OutputDirectory,
) -> Result<()> {
    let staging = output.staging()?;
    for flamegraphs in flamegraphs {
        let ResultFlamegraphs { files, tool: ToolOptions { tool, .. }, mode, .. } = &flamegraphs;
        if let Some(new) = files.find_result(tool, &mode.new) {
            let new = new.files.first().filter(|_| flamegraphs.needs_call_graph());
            let new = new.map(|path| CallGraph::read(path)).transpose()?;
            let table = new.as_ref().and_then(|new| flamegraphs.stored_table(new, &mode.new));
            let stem = staging.path().join(tool.name);
            let drawn = flamegraphs.draw(new.as_ref(), table.as_ref(), &stem)?;
            files.place_flamegraphs(tool.name, &mode.new, &drawn)?;
        }
    }
    Ok(())
}
