//! `cargo xtask predict`: counts and times functions of public crates, and writes into the guide how well counts predict
//! times.

mod chart;
mod function;
mod measure;
mod model;
mod page;
mod quality;

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use xtask::command::{self, in_file};
use xtask::install;
use xtask::machine::Machine;

use crate::predict::measure::Suite;
use crate::predict::page::Surroundings;
use crate::predict::quality::Evaluation;

/// The page of the guide, whose figures are replaced.
const PAGE: &str = "docs/src/prediction.md";
/// The chart of the page.
const CHART: &str = "docs/src/prediction.svg";

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Time for each function
    #[arg(long, value_name = "DURATION", default_value = "800ms")]
    time_budget: String,
    /// Print the figures, and leave the guide as it is
    #[arg(long)]
    print: bool,
}

/// Measures all functions, and writes the figures into the guide.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    let start = Instant::now();
    install::valgrind(&Machine::this())?;
    let surroundings = Surroundings::new()?;
    let suite = Suite::new()?;
    let functions = suite.measure(&options.time_budget)?;
    let evaluation = Evaluation::new(&functions);
    let figures = page::figures(&evaluation, &surroundings, &options.time_budget);
    println!("\n{figures}");
    if !options.print {
        let (page, chart) = (command::root().join(PAGE), command::root().join(CHART));
        let text = fs::read_to_string(&page).map_err(in_file(&page))?;
        fs::write(&page, page::with_figures(&text, &figures)?).map_err(in_file(&page))?;
        fs::write(&chart, chart::draw(&evaluation)?).map_err(in_file(&chart))?;
        println!("written to {PAGE} and {CHART}");
    }
    println!("took {} s", start.elapsed().as_secs());
    Ok(ExitCode::SUCCESS)
}
