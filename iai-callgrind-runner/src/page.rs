//! `report --html`, and the pages of a run.

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::ReportArgs;
use iai_callgrind_cli::settings::Settings;
use iai_callgrind_render::page::{Pages, check};
use iai_callgrind_store::find_benchmarks;

use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::{Project, current_directory, existing_directory, report, select_mode};

/// Writes the pages of the benchmarks in these directories, after a run of this package has stored
/// their results.
pub(crate) fn write_run(
    directory: &Path,
    settings: &Settings,
    package: &Path,
    benchmarks: &BTreeSet<&Path>,
) -> Result<()> {
    let workspace = &*workspace_directory(package);
    let (mode, lines) = (&settings.mode, settings.explanations.lines);
    let pages = Pages { directory, workspace, mode, lines };
    let project = Project::here();
    let is_gone = |package: &str, file: &str| project.lacks_file(package, file);
    Ok(pages.write_run(&settings.home, benchmarks, &is_gone)?)
}

/// Runs `report --html`: writes the pages of stored results or of JSON summaries.
pub(crate) fn run(directory: &Path, options: &ReportArgs) -> Result<CommandOutcome> {
    check(directory)?;
    let mut results = report::summarize(options)?;
    let mode = &select_mode(&options.results)?;
    let mut selected = match &*options.files {
        [] => {
            let home = existing_directory(options.home.path())?;
            Some(find_benchmarks(&home, &options.results.filters, &[])?)
        }
        _ => None,
    };
    if let Some(selected) = &mut selected {
        let (present, _) = Project::here().split(mem::take(&mut selected.benchmarks))?;
        selected.benchmarks = present;
    }
    let current = current_directory()?;
    let workspace = &*workspace_directory(&current);
    let benchmarks = selected.as_ref().map_or(&[][..], |selected| &selected.benchmarks);
    let pages = Pages { directory, workspace, mode, lines: options.length.lines() };
    pages.write(&mut results.summaries, benchmarks)?;
    results.outcome()
}
