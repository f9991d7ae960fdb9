//! `cargo xtask surroundings`: builds a file of benchmarks again with one thing different around it, and prints how
//! many counts that changes.

mod build;
mod difference;
mod package;
mod table;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Args;
use xtask::command::in_file;

use crate::counts::counts;
use crate::harness::{self, Bench, Profile, Selection};
use crate::surroundings::build::{Builder, Built, LINKERS};
use crate::surroundings::difference::Difference;
use crate::surroundings::package::CRATES;
use crate::surroundings::table::{Column, Results};

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The crates are those of histories whose benchmarks are in the file, next to those of the standard library
    #[command(flatten)]
    selection: Selection,
    /// Linkers of the benchmark executable
    #[arg(long, value_name = "LINKER", value_delimiter = ',', default_values = LINKERS, value_parser = LINKERS)]
    linkers: Vec<String>,
    /// Build profiles of the benchmarks
    #[arg(
        long,
        value_name = "PROFILE",
        value_enum,
        value_delimiter = ',',
        default_value = "one,default"
    )]
    profiles: Vec<Profile>,
}

/// Runs all builds, and writes the tables.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    options.selection.check(|name| CRATES.contains(&name))?;
    let crates: Vec<_> =
        CRATES.into_iter().filter(|name| options.selection.contains(name)).collect();
    let work = options.selection.work("surroundings", &["executables", "mold"])?;
    let bench = Bench::new()?;
    let mut columns = Vec::new();
    for profile in options.profiles.iter().copied() {
        let (linkers, crates, work) = (&*options.linkers, &*crates, &*work);
        let builder = Builder { profile, linkers, crates, work, bench: &bench };
        let builds = Difference::ALL.into_iter().map(|difference| builder.run(difference));
        let builds = builds.collect::<Result<Vec<_>, _>>()?;
        for linker in &options.linkers {
            let results = builds.iter().map(|built| results(built, linker, &bench, work));
            columns.push(Column { profile, linker, results: results.collect::<Result<_, _>>()? });
        }
    }
    harness::publish(&work, "surroundings", &table::tables(&columns))
}

/// Runs an executable in the directory of its package, without earlier results.
fn results(built: &Built, linker: &str, bench: &Bench, work: &Path) -> Result<Results, String> {
    let home = work.join("results");
    harness::remove(&home)?;
    // The path has the same length with each linker
    let executable = built.package.join("benchmarks");
    let source = built.executables.join(linker);
    fs::copy(&source, &executable).map_err(in_file(&source))?;
    println!("{linker}: {}", built.difference.text());
    let mut command = Command::new(&executable);
    command.args(["--bench", "--output-format=json", "--profile-note=no"]);
    bench.prepare(&mut command, &built.package, &home);
    let summaries = harness::summaries(&mut command)?;
    Ok(summaries.iter().map(|summary| (summary.name.clone(), counts(summary))).collect())
}
