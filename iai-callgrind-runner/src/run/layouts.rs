//! Limits that are learned by counting other layouts of the benchmark file.

use std::path::Path;
use std::sync::Arc;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_compare::Noise;
use iai_callgrind_plan::Plan;
use iai_callgrind_plan::metric::Metrics;
use iai_callgrind_results::Benchmark;
use iai_callgrind_revisions::{MeasuringArguments, count_layouts};
use iai_callgrind_store::{Files, Slot};
use iai_callgrind_tools::tool::ReadOptions;

use crate::error::Result;

/// The results of a benchmark in all layouts, for each of its tools.
type ToolResults = Vec<Vec<Metrics>>;

/// Counts the benchmarks of a plan in this many layouts, and learns the limits of functions from the spread of each metric.
/// Programs of commands are not linked again.
///
/// # Errors
///
/// Returns an error if a layout can't be linked or counted.
pub(crate) fn learn_from_layouts(
    benchmarks: &mut [Benchmark],
    plan: &Plan,
    settings: &Settings,
    arguments: &MeasuringArguments,
    number: u32,
) -> Result<()> {
    let mut functions: Vec<_> =
        benchmarks.iter_mut().filter(|benchmark| benchmark.command().is_none()).collect();
    if functions.is_empty() {
        return Ok(());
    }
    let no_results = |benchmark: &&mut Benchmark| vec![Vec::new(); benchmark.options.tools.len()];
    let mut all: Vec<ToolResults> = functions.iter().map(no_results).collect();
    count_layouts(plan, &settings.home, arguments, number, |home| {
        let mut each = functions.iter().zip(&mut all);
        each.try_for_each(|(benchmark, results)| read(benchmark, &settings.home, home, results))
    })?;
    for (benchmark, results) in functions.iter_mut().zip(&all) {
        let tools = &mut Arc::make_mut(&mut benchmark.options).tools;
        for (options, results) in tools.iter_mut().zip(results) {
            options.learn(Noise::of_layouts(results));
        }
    }
    Ok(())
}

/// Adds the results of a benchmark, which are in another directory of results.
fn read(
    benchmark: &Benchmark,
    own_home: &Path,
    home: &Path,
    results: &mut ToolResults,
) -> Result<()> {
    let path = benchmark.files.directory().strip_prefix(own_home).ok();
    let Some(files) = path.and_then(|path| Files::from_directory(&home.join(path))) else {
        return Ok(());
    };
    for (options, results) in benchmark.options.tools.iter().zip(results) {
        let wanted = options.wanted();
        let read = ReadOptions { options: Some(&options.launch), wanted: &wanted };
        let result = files.read(options.tool, &Slot::Latest, &read)?;
        results.extend(result.map(|result| result.total));
    }
    Ok(())
}
