//! `cargo xtask surroundings`: builds a file of benchmarks again with one thing different around it, and tables how many
//! counts that changes.

mod build;
mod difference;
mod package;
mod place;
mod run;
mod table;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use xtask::command::{self, in_file};

use crate::histories::subject::Units;
use crate::surroundings::build::{Builder, Linker};
use crate::surroundings::difference::Difference;
use crate::surroundings::package::CRATES;
use crate::surroundings::place::Place;
use crate::surroundings::run::Runs;
use crate::surroundings::table::Column;

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Directory for builds and the table; by default in the target directory
    #[arg(long, value_name = "DIRECTORY")]
    work: Option<PathBuf>,
    /// Run the benchmarks on arm64, in an emulated machine
    #[arg(long)]
    vm: bool,
    /// Linkers of the benchmark executable
    #[arg(
        long,
        value_name = "LINKER",
        value_enum,
        value_delimiter = ',',
        default_value = "lld,bfd,mold"
    )]
    linkers: Vec<Linker>,
    /// Codegen units of the bench profile
    #[arg(
        long,
        value_name = "UNITS",
        value_enum,
        value_delimiter = ',',
        default_value = "one,default"
    )]
    units: Vec<Units>,
    /// Crates with benchmarks in the file, next to those of the standard library; by default all
    #[arg(value_name = "CRATE")]
    names: Vec<String>,
}

/// Runs all builds, and writes the tables.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    if let Some(name) = options.names.iter().find(|name| !CRATES.contains(&&***name)) {
        return Err(format!("{name}: not in the list of crates: {}", CRATES.join(", ")));
    }
    let is_selected =
        |name: &&str| options.names.is_empty() || options.names.iter().any(|given| given == name);
    let crates: Vec<_> = CRATES.into_iter().filter(is_selected).collect();
    let work = options.work.clone().unwrap_or_else(|| command::target().join("xtask/surroundings"));
    let work = std::path::absolute(&work).map_err(in_file(&work))?;
    fs::create_dir_all(&work).map_err(in_file(&work))?;
    let place = if options.vm { Place::Machine } else { Place::Here };
    place.prepare()?;
    let runs = Runs::new(place, &work)?;
    let mut columns = Vec::new();
    for units in options.units.iter().copied() {
        let builder =
            Builder { place, units, linkers: &options.linkers, crates: &crates, work: &work };
        let builds = Difference::ALL
            .into_iter()
            .map(|difference| builder.run(difference))
            .collect::<Result<Vec<_>, _>>()?;
        for linker in options.linkers.iter().copied() {
            columns.push(Column { units, linker, results: runs.run(&builds, linker)? });
            let file = work.join(format!("{}.md", place.architecture()));
            let text = table::tables(&columns);
            fs::write(&file, &text).map_err(in_file(&file))?;
            println!("\n{text}\nwritten to {}", file.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
