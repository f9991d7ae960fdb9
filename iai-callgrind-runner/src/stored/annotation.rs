//! `annotate`: the user's source lines with the costs of stored results.

use std::env;
use std::iter;
use std::path::Path;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::AnnotateArgs;
use iai_callgrind_explain::{Annotation, Table};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::files;
use iai_callgrind_render::report::{
    Annotated, AnnotatedBenchmark, AnnotatedSource, print_annotations,
};
use iai_callgrind_results::{Mode, NoExplanation, ResultTable};
use iai_callgrind_store::{Slot, StoredBenchmark, find_benchmarks};
use iai_callgrind_tools::tool::{TOOLS, Tool};

use super::error::StoredError;
use super::gone::leave_out_gone;
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

/// A result with its table, or the reason why the table can't be used.
type TableOfResult = std::result::Result<Table, NoExplanation>;

pub(super) fn run(options: &AnnotateArgs) -> Result<CommandOutcome> {
    let mode = Mode {
        run: false,
        new: options.load_baseline.as_deref().map_or(Ok(Slot::Latest), Slot::baseline)?,
        old: options.baseline.as_deref().map_or(Ok(Slot::Old), Slot::baseline)?,
    };
    let old = options.baseline.iter().map(|_| &mode.old);
    let slots: Vec<_> = iter::once(&mode.new).chain(old).collect();
    let mut selected =
        find_benchmarks(&existing_directory(options.home.path())?, &options.filters.all(), &slots)?;
    leave_out_gone(&mut selected.benchmarks)?;
    let current = || workspace_directory(&env::current_dir().unwrap_or_default());
    let workspace = options.workspace_root.clone().unwrap_or_else(current);
    let (mut annotations, mut errors) = (Vec::new(), Vec::new());
    for benchmark in &selected.benchmarks {
        for tool in TOOLS.into_iter().filter(|tool| tool.has_tables()) {
            match annotate(tool, benchmark, &mode, options, &workspace) {
                Ok(annotation) => annotations.push(annotation),
                Err(error) => errors.push(error),
            }
        }
    }
    print_annotations(&annotations, options.lines, options.sort)?;
    Error::all(errors).map(|()| CommandOutcome::Success)
}

/// Annotates the lines of a benchmark under a tool.
fn annotate(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    mode: &Mode,
    options: &AnnotateArgs,
    workspace: &Path,
) -> Result<AnnotatedBenchmark> {
    let new = read_table(tool, benchmark, &mode.new, false)?;
    let old = read_table(tool, benchmark, &mode.old, true)?;
    let nothing = |reason| Annotated::Nothing { reason, has_remedy: false };
    let lines = match new {
        None => nothing(format!("{} has no result `{}`", tool.name, mode.new.name())),
        Some(Err(reason)) => nothing(reason.to_string()),
        Some(Ok(new)) if !new.has_debug_info() => Annotated::Nothing {
            reason: "no debug information of the executable was found".to_owned(),
            has_remedy: true,
        },
        Some(Ok(new)) => annotate_table(&new, old, mode, options, workspace)?,
    };
    Ok(AnnotatedBenchmark { name: benchmark.title(), lines })
}

/// Reads the table of a result; `None` if there is no result of the tool.
fn read_table(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    slot: &Slot,
    is_old: bool,
) -> Result<Option<TableOfResult>> {
    let result = benchmark.read(tool, slot, &[MetricKind::Ir])?;
    let instructions = result.and_then(|result| result.total.count(MetricKind::Ir));
    let read =
        |instructions| ResultTable::read(&benchmark.files, tool, slot).parse(instructions, is_old);
    Ok(instructions.map(read))
}

fn annotate_table(
    new: &Table,
    old: Option<TableOfResult>,
    mode: &Mode,
    options: &AnnotateArgs,
    workspace: &Path,
) -> Result<Annotated> {
    let unknown_event = |table: &Table| StoredError::NoEvent {
        name: options.event.clone(),
        known: table.events().join(", "),
    };
    let event = new.find_event(&options.event).ok_or_else(|| unknown_event(new))?;
    let (old, not_compared) = match old {
        None if options.baseline.is_none() => (None, None),
        None => (None, Some(format!("this benchmark has no result `{}`", mode.old.name()))),
        Some(Err(reason)) => (None, Some(reason.to_string())),
        Some(Ok(old)) if !old.has_debug_info() => {
            (None, Some("no debug information of the old executable was found".to_owned()))
        }
        Some(Ok(old)) if old.find_event(event).is_none() => {
            (None, Some(format!("the old result has no event `{event}`")))
        }
        Some(Ok(old)) => (Some(old), None),
    };
    let annotation = Annotation::new(new, old.as_ref(), event).ok_or_else(|| unknown_event(new))?;
    let read = |path: &str| match files::read_to_string(workspace.join(path)) {
        Ok(text) => AnnotatedSource::Text(text),
        Err(_) => AnnotatedSource::Missing,
    };
    let sources = annotation.files.iter().map(|file| read(&file.path)).collect();
    Ok(Annotated::Lines {
        event: event.to_owned(),
        old: old.map(|_| match &mode.old {
            Slot::Baseline(name) => format!("the baseline `{name}`"),
            Slot::Latest | Slot::Old => "the run before the last".to_owned(),
        }),
        not_compared,
        annotation,
        sources,
    })
}
