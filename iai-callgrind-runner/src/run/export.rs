//! Flamegraphs of results: which profiles they show, and where they are stored.

use std::path::Path;

use crate::benchmark::Benchmark;
use crate::error::Result;
use crate::flamegraph::{Base, Drawing, Drawn};
use crate::options::ToolOptions;
use crate::output::{Files, OutputDirectory, Slot};
use crate::settings::Mode;
use crate::tool::callgrind::read_call_graph;

/// A result that is stored, with the flamegraphs that its configuration asks for.
pub(crate) struct Export<'a> {
    /// The title of the benchmark.
    pub(crate) title: String,
    pub(crate) files: &'a Files,
    pub(crate) tool: &'a ToolOptions,
    pub(crate) mode: &'a Mode,
}

impl<'a> Export<'a> {
    /// Returns the export of a benchmark under one of its tools.
    pub(crate) fn of(benchmark: &'a Benchmark, tool: &'a ToolOptions, mode: &'a Mode) -> Self {
        Self { title: benchmark.title_in_text(), files: &benchmark.files, tool, mode }
    }

    /// Draws the configured flamegraphs into files whose names start with `stem`.
    ///
    /// The old result must still be in its slot.
    pub(crate) fn draw(&self, new: Option<&Path>, stem: &Path) -> Result<Vec<Drawn>> {
        let (Some(options), Some(new)) = (&self.tool.flamegraphs, new) else {
            return Ok(Vec::new());
        };
        let old = self.files.find_result(self.tool.tool, &self.mode.old);
        let old = old.and_then(|old| old.files.into_iter().next());
        let old = old.filter(|_| options.is_differential());
        if !options.is_regular() && old.is_none() {
            return Ok(Vec::new());
        }
        let new = read_call_graph(new)?;
        let base = old.map(|path| self.base(&path)).transpose()?;
        Drawing { title: &self.title, options, stem }.draw(&new, base.as_ref())
    }

    /// Reads the old profile and names it for file names and subtitles.
    fn base(&self, old: &Path) -> Result<Base> {
        let graph = read_call_graph(old)?;
        Ok(match &self.mode.old {
            Slot::Baseline(name) if self.mode.old != self.mode.new => Base {
                graph,
                slot: self.mode.old.to_string(),
                description: format!("compared with the baseline {name}"),
            },
            _ => Base {
                graph,
                slot: Slot::Old.to_string(),
                description: "compared with the result before".to_owned(),
            },
        })
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
        if let Some(new) = files.find_result(tool, &mode.new) {
            let new = new.files.first().map(|path| &**path);
            let drawn = export.draw(new, &staging.path().join(tool.name))?;
            files.place_flamegraphs(tool.name, &mode.new, &drawn)?;
        }
    }
    Ok(())
}
