//! What the sub-commands do that work with stored results and run nothing.

mod archive;
mod compare;
mod find;
mod flamegraph;
mod home;
mod list;
mod manifest;
mod report;
mod tables;

use std::process::ExitCode;

use iai_callgrind_plan::metric::EventKind;

use self::find::StoredBenchmark;
use crate::cli::metrics::parse_metrics;
use crate::cli::{Results, StoredCommand};
use crate::error::{Error, Result};
use crate::output::Slot;
use crate::settings::Mode;
use crate::tool::{Measurement, ReadOptions, TOOLS, Tool};

/// Carries out a sub-command.
pub(crate) fn run(command: StoredCommand) -> Result<ExitCode> {
    match command {
        StoredCommand::List(options) => list::run(&options),
        StoredCommand::Compare(options) => compare::run(&options),
        StoredCommand::Flamegraph(options) => flamegraph::run(&options),
        StoredCommand::Report(options) => report::run(&options),
        StoredCommand::Export(options) => archive::export(&options),
        StoredCommand::Import(options) => archive::import(&options),
    }
}

/// The results of the last run, or those that the user names, compared with those of the run before or a
/// baseline.
fn mode(Results { load_baseline, baseline, .. }: &Results) -> Result<Mode> {
    Ok(Mode {
        run: false,
        new: load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?,
        old: baseline.as_deref().map_or(Ok(Slot::Old), Slot::baseline)?,
    })
}

/// What a benchmark has in this slot under a tool, read as it was configured then.
fn counted(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    slot: &Slot,
    wanted: &[EventKind],
) -> Result<Option<Measurement>> {
    let reading = ReadOptions { options: None, wanted };
    let stored = benchmark.files.existing(tool, slot);
    stored.map(|stored| (tool.read)(&stored, &reading)).transpose()
}

/// A name that none of the benchmarks has is a mistake.
fn is_there(slot: &Slot, benchmarks: &[StoredBenchmark]) -> Result<()> {
    if benchmarks.iter().any(|benchmark| benchmark.slots().contains(slot)) {
        return Ok(());
    }
    Err(Error::Stored(format!(
        "none of the benchmarks has `{}`.\n`iai-callgrind-runner list` shows what they have",
        slot.name()
    )))
}

/// The metrics of a tool that the user asks for, as far as the tool has them. One that no tool has is a
/// mistake.
fn selection(tool: &Tool, text: Option<&str>) -> Result<Vec<EventKind>> {
    let Some(text) = text else { return Ok(tool.metrics.default()) };
    let mut kinds = Vec::new();
    for name in text.split(',') {
        let of_tool = |tool: &Tool| parse_metrics(name, tool.metrics);
        match of_tool(tool) {
            Ok(named) => kinds.extend(named),
            Err(_) if TOOLS.into_iter().any(|tool| of_tool(tool).is_ok()) => {}
            Err(message) => return Err(Error::Stored(message)),
        }
    }
    Ok(kinds)
}
