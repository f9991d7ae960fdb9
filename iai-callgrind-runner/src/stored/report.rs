//! `report`: a report in any format, of stored results or of summaries in JSON.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use iai_callgrind_plan::VERSION;
use iai_callgrind_plan::metric::EventKind;
use iai_callgrind_summary::{self as summary, Status, Summary};

use super::find::{StoredBenchmark, find};
use super::{counted, is_there, mode, selection};
use crate::cli::Report;
use crate::error::{Error, Result};
use crate::output::Slot;
use crate::report::{Compared, baselines, print_document};
use crate::settings::Mode;
use crate::tool::{TOOLS, Tool};

pub(super) fn run(options: &Report) -> Result<ExitCode> {
    if !options.files.is_empty() {
        print_document(options.format, &of_files(&options.files)?);
        return Ok(ExitCode::SUCCESS);
    }
    let summaries = of_results(options)?;
    print_document(options.format, &summaries);
    let has_failed = summaries.iter().any(|summary| summary.status == Status::Failed);
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The summaries that runs wrote.
fn of_files(files: &[PathBuf]) -> Result<Vec<Summary>> {
    let mut summaries = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
        let read = Summary::read_all(&text)
            .map_err(|error| Error::Stored(format!("can't read {}: {error}", path.display())))?;
        summaries.extend(read);
    }
    Ok(summaries)
}

/// What is stored, as if it had just been loaded.
fn of_results(options: &Report) -> Result<Vec<Summary>> {
    let mode = mode(&options.results)?;
    let found = find(options.home.path(), &options.results.filters)?;
    for slot in [&mode.new, &mode.old] {
        if matches!(slot, Slot::Baseline(_)) {
            is_there(slot, &found.benchmarks)?;
        }
    }
    let metrics = options.metrics.as_deref();
    let mut summaries = Vec::new();
    for benchmark in &found.benchmarks {
        let mut tools = Vec::new();
        let mut error = None;
        for tool in TOOLS {
            match compared(tool, benchmark, &mode, &selection(tool, metrics)?) {
                Ok(tool) => tools.extend(tool),
                Err(what) => error = Some(what),
            }
        }
        if let Some(error) = error {
            anstream::eprintln!("error: {}: {error}", benchmark.name());
            summaries.push(summary(benchmark, &mode, Vec::new(), Some(error.to_string())));
        } else if !tools.is_empty() {
            summaries.push(summary(benchmark, &mode, tools, None));
        }
    }
    Ok(summaries)
}

/// The results under one tool; none if there is no new one.
fn compared(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    mode: &Mode,
    shown: &[EventKind],
) -> Result<Option<summary::Tool>> {
    let Some(new) = counted(tool, benchmark, &mode.new, shown)? else { return Ok(None) };
    let old = counted(tool, benchmark, &mode.old, shown)?;
    let (files, old) = (&benchmark.files, old.as_ref());
    let compared = Compared { tool, files, mode, shown, tolerance: 0.0, new: &new, old };
    Ok(Some(compared.summary()))
}

fn summary(
    benchmark: &StoredBenchmark,
    mode: &Mode,
    tools: Vec<summary::Tool>,
    error: Option<String>,
) -> Summary {
    Summary {
        version: summary::VERSION,
        runner: VERSION.to_owned(),
        name: benchmark.name(),
        package: benchmark.package.clone(),
        package_dir: None,
        file: benchmark.file.clone(),
        group: benchmark.group.clone(),
        function: Some(benchmark.function.clone()),
        id: benchmark.id.clone(),
        arguments: None,
        executable: None,
        target: benchmark.target.clone(),
        baselines: baselines(mode),
        status: if error.is_some() { Status::Failed } else { Status::Ok },
        error,
        tools,
        comparisons: Vec::new(),
    }
}
