//! The tasks of `cargo xtask` that judge the harness on other people's code, or generate files from its types.

mod counts;
mod explanations;
mod harness;
mod histories;
mod manifest;
mod projects;
mod registry;
mod schema;
mod surroundings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::harness::Selection;

/// Judge the harness on other people's code
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Change small crates and check what the explanations say about each change
    ///
    /// Each seed is a change of a crate with the verdict and the function that the explanation must name. Prints a table
    /// of all seeds, with the reason and the explanation for those that are wrong. The exit code is 1 if one is.
    Explanations {
        /// Run only one half of the seeds: the rules were written with the first one
        #[arg(long, value_name = "HALF", value_parser = clap::value_parser!(u8).range(1..=2))]
        half: Option<u8>,
        /// Make changes with two and with three seeds, and check that the lines of the costliest are named
        #[arg(long, conflicts_with_all = ["half", "filters"])]
        edits: bool,
        /// Choose other changes with two and with three seeds, by a number: the rules were written with those of 0
        #[arg(long, value_name = "NUMBER", requires = "edits", default_value_t = 0)]
        choice: u64,
        /// Print the explanations of all seeds
        #[arg(long)]
        verbose: bool,
        /// Run only seeds with one of these texts in `CRATE: CHANGE`
        #[arg(value_name = "TEXT")]
        filters: Vec<String>,
    },
    /// Run revisions of public crates, each against its predecessor
    ///
    /// Writes tables: how many counts differ though the code that a benchmark executes did not change, and what the
    /// explanations say about those that differ. Clones the repositories and runs each crate with the default codegen
    /// units and with one, which takes half an hour.
    Histories(histories::Options),
    /// Write the JSON schema of the machine-readable output, after a change of its types
    Schema,
    /// Run the benchmark files of published projects with their own harness and with this one
    ///
    /// Changes only their Cargo.toml. Downloads them and builds each twice, which takes an hour and a half. Writes
    /// tables of the projects that compile, run and have equal counts, and of the projects for Criterion and divan
    /// whose benchmarks are all counted. Projects with threads run twice, to find counts that vary.
    Projects {
        #[command(flatten)]
        selection: Selection,
        /// Run nothing, and make the table from the records of earlier runs
        #[arg(long, conflicts_with = "names")]
        table: bool,
    },
    /// Build a file of benchmarks with one thing different around it, and compare all counts
    ///
    /// The differences are a longer path of the directory, an unused dependency, another version of the package, one more
    /// function and one more benchmark. Takes a quarter of an hour.
    Surroundings(surroundings::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Explanations { edits: true, choice, verbose, .. } => {
            explanations::run_edits(choice, verbose)
        }
        Task::Explanations { half, verbose, filters, .. } => {
            explanations::run(half, verbose, &filters)
        }
        Task::Histories(options) => histories::run(&options),
        Task::Projects { selection, table } => projects::run(&selection, table),
        Task::Schema => schema::run(),
        Task::Surroundings(options) => surroundings::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
