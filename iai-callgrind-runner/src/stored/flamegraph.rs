//! `flamegraph`: flamegraphs of stored profiles.

use std::collections::BTreeSet;
use std::process::ExitCode;

use iai_callgrind_plan::{self as plan, Config, ValgrindTool};

use super::find::{Found, find};
use super::tables::print_paths;
use super::{is_there, mode};
use crate::cli::Flamegraph;
use crate::cli::metrics::parse_metrics;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::run::{Export, draw_stored};
use crate::tool::CALLGRIND;

pub(super) fn run(options: &Flamegraph) -> Result<ExitCode> {
    let mode = mode(&options.results)?;
    let Found { benchmarks, locks, .. } = find(options.home.path(), &options.results.filters)?;
    is_there(&mode.new, &benchmarks)?;
    let metrics = options.metrics.as_deref().map(|text| parse_metrics(text, CALLGRIND.metrics));
    let event_kinds = metrics.transpose().map_err(Error::Stored)?;
    let mut config = Config::default();
    config.tool_mut(ValgrindTool::Callgrind).flamegraph = Some(plan::Flamegraph {
        kind: Some(options.kind),
        event_kinds,
        ..plan::Flamegraph::default()
    });
    let resolved = Options::resolve(&config, false, &mut BTreeSet::new()).map_err(Error::Stored)?;
    let mut all_drawn = true;
    for benchmark in &benchmarks {
        let title = match &benchmark.id {
            Some(id) => format!("{} {id}", benchmark.path()),
            None => benchmark.path(),
        };
        let export =
            |tool| Export { title: title.clone(), files: &benchmark.files, tool, mode: &mode };
        // All of them are below one directory, so the first one's staging directory does for each
        match draw_stored(resolved.tools.iter().map(export), &locks[0]) {
            Ok(()) => print_paths(&benchmark.files.flamegraphs(&CALLGRIND, &mode.new)),
            Err(error) => {
                anstream::eprintln!("error: {}: {error}", benchmark.name());
                all_drawn = false;
            }
        }
    }
    Ok(if all_drawn { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
