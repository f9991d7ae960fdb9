//! `cargo xtask histories`: runs revisions of public crates, each against its predecessor, and tables how far changes of
//! code that a benchmark does not execute move its counts.

mod diff;
mod manifest;
pub(crate) mod record;
mod repository;
mod run;
pub(crate) mod subject;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use xtask::command::{self, in_file};
use xtask::install;
use xtask::machine::Machine;

use crate::histories::record::Record;
use crate::histories::repository::Repository;
use crate::histories::run::History;
use crate::histories::subject::{Harness, SUBJECTS, Subject, Units};
use crate::histories::table::Series;

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Directory for clones, builds, records and the table; by default in the target directory
    #[arg(long, value_name = "DIRECTORY")]
    work: Option<PathBuf>,
    /// Clone from this directory, which has a repository with the name of each crate, instead of the network
    #[arg(long, value_name = "DIRECTORY")]
    clones: Option<PathBuf>,
    /// Number of revisions of each crate, the last ones that change its source or manifest
    #[arg(long, value_name = "N", default_value_t = 21)]
    revisions: usize,
    /// Harnesses to run; the lines that this one sees running classify the results of all
    #[arg(long, value_name = "HARNESS", value_enum, value_delimiter = ',', default_value = "ours")]
    harness: Vec<Harness>,
    /// Codegen units of the bench profile
    #[arg(
        long,
        value_name = "UNITS",
        value_enum,
        value_delimiter = ',',
        default_value = "default,one"
    )]
    units: Vec<Units>,
    /// Run nothing, and make the table from the records of earlier runs
    #[arg(long)]
    table: bool,
    /// Run only these crates, and take the others from the records of earlier runs
    #[arg(value_name = "CRATE")]
    names: Vec<String>,
}

/// Runs the histories of the crates with these names, or of all, and writes the tables.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    if let Some(name) =
        options.names.iter().find(|name| !SUBJECTS.iter().any(|subject| subject.name == **name))
    {
        return Err(format!("{name}: not in the list of crates"));
    }
    let work = options.work.clone().unwrap_or_else(|| command::target().join("xtask/histories"));
    let work = std::path::absolute(&work).map_err(in_file(&work))?;
    for name in ["clones", "records"] {
        let directory = work.join(name);
        fs::create_dir_all(&directory).map_err(in_file(&directory))?;
    }
    if !options.table {
        install::valgrind(&Machine::this())?;
        let is_selected = |subject: &&Subject| {
            options.names.is_empty() || options.names.iter().any(|name| name == subject.name)
        };
        for subject in SUBJECTS.iter().filter(is_selected) {
            run_subject(subject, options, &work)?;
        }
    }
    write_tables(&work)
}

fn run_subject(subject: &Subject, options: &Options, work: &Path) -> Result<(), String> {
    let clone = work.join("clones").join(subject.name);
    let repository = Repository::open(subject, clone, options.clones.as_deref())?;
    let revisions = repository.revisions(subject.end, options.revisions)?;
    for harness in &options.harness {
        let runner = run::runner(*harness, work)?;
        for units in options.units.iter().copied() {
            let (repository, harness) = (&repository, *harness);
            let history = History { subject, repository, harness, units, work, runner: &runner };
            history.run(&revisions)?.write(work, subject, harness, units)?;
        }
    }
    Ok(())
}

/// Writes the tables of all histories that have been run.
fn write_tables(work: &Path) -> Result<ExitCode, String> {
    let mut series = Vec::new();
    for harness in Harness::value_variants().iter().copied() {
        for units in Units::ALL {
            let mut records = Vec::new();
            for subject in &SUBJECTS {
                let record = Record::read(work, subject, harness, units)?;
                records.extend(record.map(|record| (subject, record)));
            }
            if !records.is_empty() {
                series.push(Series { harness, units, records });
            }
        }
    }
    let text = table::tables(&series);
    let file = work.join("histories.md");
    fs::write(&file, &text).map_err(in_file(&file))?;
    println!("\n{text}\nwritten to {}", file.display());
    Ok(ExitCode::SUCCESS)
}
