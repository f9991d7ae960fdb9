//! Records the benchmarks of a benchmark file, to find results of deleted ones.

use std::env;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_plan::{OTHER_REVISION_VARIABLE, Plan};
use iai_callgrind_store::{DeclaredBenchmarks, Files, OutputDirectory, select_benchmarks};

use crate::error::Result;
use crate::note::Note;
use crate::resolve::hook_files;

/// Records the benchmarks of a plan, selected or not. Prints a note if there are results of others. Benchmarks of another
/// revision and commands of a command line are not recorded.
pub(crate) fn record(plan: &Plan, settings: &Settings) -> Result<()> {
    if plan.executable.is_none() || env::var_os(OTHER_REVISION_VARIABLE).is_some() {
        return Ok(());
    }
    let directory = &*settings.directory;
    let declared = declared(plan, settings);
    // A damaged record is replaced
    let is_recorded =
        DeclaredBenchmarks::read(directory).is_ok_and(|read| read.as_ref() == Some(&declared));
    if is_recorded || !directory.exists() {
        return Ok(());
    }
    {
        let _lock = OutputDirectory::open(&settings.home, directory)?;
        declared.write(directory)?;
    }
    let is_gone = |files: &Files| files.output() == directory && !declared.has(files);
    let gone = select_benchmarks(&settings.home, |benchmark| is_gone(&benchmark.files))?;
    if !gone.benchmarks.is_empty() {
        Note::Gone { benchmarks: gone.benchmarks.len(), place: &format!("`{}`", plan.file) }
            .print();
    }
    Ok(())
}

fn declared(plan: &Plan, settings: &Settings) -> DeclaredBenchmarks {
    let directory = &*settings.directory;
    let files = plan.groups.iter().flat_map(|group| {
        let cases = group.functions.iter().flat_map(move |function| {
            let name = function.name.as_deref();
            let files = move |id| Files::new(directory, &group.name, name, id);
            function.cases.iter().map(move |case| files(case.id.as_deref()))
        });
        let hooks = group.measured_hooks.iter();
        cases.chain(hooks.map(|hook| hook_files(directory, &group.name, hook)))
    });
    DeclaredBenchmarks::new(directory, files)
}
