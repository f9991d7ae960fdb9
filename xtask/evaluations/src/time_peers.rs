//! `cargo xtask time-peers`: compares an executable with itself and with one that does 3 % more, by this harness and by the
//! peers that measure time, with a load on each CPU.

mod load;
mod package;
mod tool;

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum as _};
use xtask::install;
use xtask::machine::Machine;

use crate::time_peers::load::Load;
use crate::time_peers::package::{Package, Side};
use crate::time_peers::tool::{Calls, Tool};

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Number of runs of each kind with each tool; a run compares ten benchmarks
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: usize,
    /// Seconds for the comparison of a benchmark, on both sides together
    #[arg(long, value_name = "SECONDS", default_value_t = 6)]
    seconds: u32,
    /// Leave the CPUs to the benchmarks
    #[arg(long)]
    idle: bool,
    /// Run only these tools
    #[arg(long, value_name = "TOOL", value_enum, value_delimiter = ',')]
    tools: Vec<Tool>,
}

/// Runs all comparisons, and prints the table.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    let start = Instant::now();
    install::valgrind(&Machine::this())?;
    let package = Package::new()?;
    let tools = match &*options.tools {
        [] => Tool::value_variants(),
        tools => tools,
    };
    // Builds both sides before the load starts
    for side in [Side::Same, Side::More] {
        Tool::Ours.compare(&package, side, 1)?;
    }
    let _load = (!options.idle).then(Load::start);
    let mut rows = vec![[Calls::default(), Calls::default()]; tools.len()];
    for run in 1..=options.runs {
        // All tools in turn, so that each has the same hour
        for (tool, row) in tools.iter().zip(&mut rows) {
            for (side, calls) in [Side::Same, Side::More].into_iter().zip(row) {
                calls.add(tool.compare(&package, side, options.seconds)?);
            }
        }
        println!(
            "\nafter {run} of {} runs, {} s:\n\n{}",
            options.runs,
            start.elapsed().as_secs(),
            table(tools, &rows)
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn table(tools: &[Tool], rows: &[[Calls; 2]]) -> String {
    let mut text = "| Tool | Comparisons with itself that it calls different | Runs of ten with any | +3 % that it calls slower |\n\
                    | --- | ---: | ---: | ---: |\n"
        .to_owned();
    for (tool, [same, more]) in tools.iter().zip(rows) {
        writeln!(
            text,
            "| {} | {} of {} | {} of {} | {} of {} |",
            tool.label(),
            same.slower + same.faster,
            same.comparisons,
            same.runs_with_any,
            same.runs,
            more.slower,
            more.comparisons
        )
        .expect("a string takes all");
    }
    text
}
