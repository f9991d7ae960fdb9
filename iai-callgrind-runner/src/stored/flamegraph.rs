//! `flamegraph`: flamegraphs of stored profiles.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use super::find::{Found, Stored, find};
use super::{is_there, mode};
use crate::benchmark::{Benchmark, MeasuredFunction, Subject};
use crate::cli::Flamegraph;
use crate::error::{Error, Result};
use crate::flamegraph::draw_stored;
use crate::options::Options;
use crate::plan::{self, Config, ValgrindTool};
use crate::report::print_paths;
use crate::run::Start;
use crate::tool::CALLGRIND;

pub(super) fn run(options: &Flamegraph) -> Result<ExitCode> {
    let mode = mode(&options.results)?;
    let Found { benchmarks, locks, .. } = find(options.home.path(), &options.results.filters)?;
    is_there(&mode.new, &benchmarks)?;
    let mut config = Config::default();
    config.tool_mut(ValgrindTool::Callgrind).flamegraph = Some(plan::Flamegraph {
        kind: Some(options.kind),
        event_kinds: options.metrics.clone(),
        ..plan::Flamegraph::default()
    });
    let resolved = Options::resolve(&config, false, &mut BTreeSet::new()).map_err(Error::Stored)?;
    let resolved = Arc::new(resolved);
    let benchmarks: Vec<_> = benchmarks.into_iter().map(|it| benchmark(it, &resolved)).collect();
    let mut all_drawn = true;
    for benchmark in &benchmarks {
        // All of them are below one directory, so the first one's staging directory does for each
        match draw_stored(std::slice::from_ref(benchmark), &mode, &locks[0]) {
            Ok(()) => print_paths(&benchmark.files.flamegraphs(&CALLGRIND, &mode.new)),
            Err(error) => {
                anstream::eprintln!("error: {}: {error}", benchmark.name());
                all_drawn = false;
            }
        }
    }
    Ok(if all_drawn { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The benchmark that has been run, as far as that can be told; nobody will run it.
fn benchmark(stored: Stored, options: &Arc<Options>) -> Benchmark {
    Benchmark {
        path: stored.path(),
        function: stored.function,
        id: stored.id,
        arguments: String::new(),
        subject: Subject::Library {
            function: MeasuredFunction::default(),
            start: Start { entry: 0, item: 0, seed: None },
        },
        hook: None,
        group: 0,
        is_compared: false,
        files: stored.files,
        options: Arc::clone(options),
    }
}
