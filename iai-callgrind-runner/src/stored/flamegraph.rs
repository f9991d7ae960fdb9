//! `flamegraph`: flamegraphs of stored profiles.

use std::collections::BTreeSet;

use iai_callgrind_cli::FlamegraphArgs;
use iai_callgrind_plan::{self as plan, Config, ValgrindTool};
use iai_callgrind_render::report::print_paths;
use iai_callgrind_results::Options;
use iai_callgrind_results::values::parse_metrics;
use iai_callgrind_store::find_to_write;
use iai_callgrind_tools::tool::CALLGRIND;

use super::selection::select_mode;
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::run::{ResultFlamegraphs, draw_stored};
use crate::stored::existing_directory;

pub(super) fn run(options: &FlamegraphArgs) -> Result<CommandOutcome> {
    let mode = select_mode(&options.results)?;
    let selected =
        find_to_write(&existing_directory(options.home.path())?, &options.filters(), &mode.new)?;
    let metrics = options.metrics.as_deref().map(|text| parse_metrics(text, CALLGRIND.metrics));
    let event_kinds = metrics.transpose()?;
    let mut config = Config::default();
    config.tool_mut(ValgrindTool::Callgrind).flamegraph = Some(plan::Flamegraph {
        kind: Some(options.kind),
        event_kinds,
        ..plan::Flamegraph::default()
    });
    let resolved = Options::resolve(&config, false, &mut BTreeSet::new());
    let in_configuration =
        |cause| Error::InConfiguration { benchmark: "the flamegraphs".to_owned(), cause };
    let resolved = resolved.map_err(in_configuration)?;
    let mut errors = Vec::new();
    for benchmark in &selected.benchmarks {
        let title = match &benchmark.id {
            Some(id) => format!("{} {id}", benchmark.path()),
            None => benchmark.path(),
        };
        let export = |tool| ResultFlamegraphs {
            title: title.clone(),
            files: &benchmark.files,
            tool,
            mode: &mode,
        };
        // One staging directory serves all benchmark files, because all are on one file system
        match draw_stored(resolved.tools.iter().map(export), &selected.locks[0]) {
            Ok(()) => print_paths(&benchmark.files.flamegraphs(&CALLGRIND, &mode.new))?,
            Err(error) => errors.push(error.of_benchmark(benchmark.name())),
        }
    }
    Error::all(errors).map(|()| CommandOutcome::Success)
}
