//! Benchmarks that the tasks build and run with the runner of this checkout.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_summary::{Summary, Value};
use xtask::command;

use crate::histories::record::Counts;

/// Builds the runner of this checkout.
pub(crate) fn runner() -> Result<PathBuf, String> {
    let mut build =
        command::cargo(["build", "--quiet", "--release", "--package", "iai-callgrind-runner"]);
    if !command::run(&mut build)?.success() {
        return Err("the runner could not be built".to_owned());
    }
    Ok(command::target().join("release/iai-callgrind-runner"))
}

/// Returns the command that runs a benchmark file of the package in this directory, without settings of the user's
/// environment.
pub(crate) fn bench(directory: &Path, file: &str, target: &Path) -> Command {
    let mut command = command::cargo(["bench", "--quiet", "--bench", file]);
    let others = std::env::vars_os().map(|(name, _)| name);
    for name in others.filter(|name| name.to_string_lossy().starts_with("IAI_CALLGRIND_")) {
        command.env_remove(name);
    }
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command.current_dir(directory).env("CARGO_TARGET_DIR", target);
    command
}

/// Runs benchmarks, and returns their summaries.
pub(crate) fn summaries(command: &mut Command) -> Result<Vec<Summary>, String> {
    Summary::read_all(&run(command)?).map_err(|error| error.to_string())
}

/// Runs benchmarks, and returns their output. The error is that of the benchmarks.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo can't be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the counts of the benchmark's first tool by label.
pub(crate) fn counts(summary: &Summary) -> Counts {
    let metrics = summary.tools.first().into_iter().flat_map(|tool| tool.total.values());
    metrics
        .filter_map(|metric| match metric.new {
            Some(Value::Count(count)) => Some((metric.label.clone(), count)),
            _ => None,
        })
        .collect()
}
