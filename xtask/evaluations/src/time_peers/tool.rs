//! The tools that compare two executables.

use std::process::Command;

use clap::ValueEnum;
use iai_callgrind_summary::time::TimeVerdict;

use crate::harness;
use crate::time_peers::package::{Package, Side};

/// A tool that compares times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tool {
    Ours,
    Tango,
    Criterion,
}

/// The comparisons of a kind, by what the tool called them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    pub(crate) comparisons: usize,
    pub(crate) slower: usize,
    pub(crate) faster: usize,
    pub(crate) runs: usize,
    /// Number of runs with one that is called slower or faster.
    pub(crate) runs_with_any: usize,
}

impl Calls {
    /// Adds those of a run.
    pub(crate) fn add(&mut self, run: Self) {
        self.comparisons += run.comparisons;
        self.slower += run.slower;
        self.faster += run.faster;
        self.runs += 1;
        self.runs_with_any += usize::from(run.slower + run.faster > 0);
    }
}

impl Tool {
    /// Returns the name in the table.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Ours => "`--time --against`",
            Self::Tango => "tango-bench 0.9.0, `compare`",
            Self::Criterion => "Criterion 0.8.2, `--baseline`",
        }
    }

    /// Compares the executable of this side with the committed one, for this many seconds for each benchmark.
    pub(crate) fn compare(
        self,
        package: &Package,
        side: Side,
        seconds: u32,
    ) -> Result<Calls, String> {
        match self {
            Self::Ours => ours(package, side, seconds),
            Self::Tango => tango(package, side, seconds),
            Self::Criterion => criterion(package, side, seconds),
        }
    }
}

fn ours(package: &Package, side: Side, seconds: u32) -> Result<Calls, String> {
    package.set(side)?;
    let mut bench = package.bench();
    bench.args(["--", "--time=all", "--against=HEAD", "--output-format=json"]);
    let summaries = harness::summaries(bench.arg(format!("--time-budget={seconds}s")));
    package.set(Side::Same)?;
    let mut calls = Calls::default();
    for time in summaries?.iter().filter_map(|summary| summary.time.as_ref()) {
        calls.comparisons += 1;
        calls.slower += usize::from(time.verdict == Some(TimeVerdict::Slower));
        calls.faster += usize::from(time.verdict == Some(TimeVerdict::Faster));
    }
    Ok(calls)
}

fn tango(package: &Package, side: Side, seconds: u32) -> Result<Calls, String> {
    let mut compare = Command::new(package.executable("tango", side));
    compare.args(["--color=never", "compare"]).arg(package.executable("tango", Side::Same));
    compare.args(["--time", &seconds.to_string()]).current_dir(package.directory());
    // Ends with 1 if it calls one slower
    let output = compare.output().map_err(|error| format!("tango-bench: {error}"))?;
    let output = String::from_utf8_lossy(&output.stdout);
    let lines = output.lines().filter(|line| line.contains(" ... "));
    let significant = |line: &&str| line.ends_with('*');
    if lines.clone().next().is_none() {
        return Err("tango-bench: no comparisons".to_owned());
    }
    Ok(Calls {
        comparisons: lines.clone().count(),
        slower: lines.clone().filter(significant).filter(|line| line.contains('+')).count(),
        faster: lines.filter(significant).filter(|line| !line.contains('+')).count(),
        ..Calls::default()
    })
}

/// Runs both sides one after the other, each for half of the time, of which it warms up for a fifth.
fn criterion(package: &Package, side: Side, seconds: u32) -> Result<Calls, String> {
    let seconds = f64::from(seconds);
    let run = |side, baseline: &str| {
        let mut run = Command::new(package.executable("criterion", side));
        run.args(["--bench", "--noplot", baseline, "same"]).current_dir(package.directory());
        run.arg("--warm-up-time").arg((seconds * 0.1).to_string());
        run.arg("--measurement-time").arg((seconds * 0.4).to_string());
        harness::run(&mut run)
    };
    run(Side::Same, "--save-baseline")?;
    let output = run(side, "--baseline")?;
    Ok(Calls {
        comparisons: output.matches("change:").count(),
        slower: output.matches("Performance has regressed.").count(),
        faster: output.matches("Performance has improved.").count(),
        ..Calls::default()
    })
}
