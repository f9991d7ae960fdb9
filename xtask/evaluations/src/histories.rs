//! `cargo xtask histories`: runs revisions of public crates, each against its predecessor. Its tables show how far
//! changes of code that a benchmark does not execute move its counts.

mod diff;
mod record;
mod repository;
mod run;
pub(crate) mod subject;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum as _};

use crate::harness::{self, Bench, Profile, Selection};
use crate::histories::repository::Repository;
use crate::histories::run::History;
use crate::histories::subject::subjects;
use crate::histories::table::Series;

/// The options of the task.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    selection: Selection,
    /// Clone from this directory, which has a repository with the name of each crate, instead of the network
    #[arg(long, value_name = "DIRECTORY")]
    clones: Option<PathBuf>,
    /// Number of revisions of each crate, the last ones that change its source or manifest
    #[arg(long, value_name = "N", default_value_t = 21)]
    revisions: usize,
    /// Build profiles of the benchmarks
    #[arg(
        long,
        value_name = "PROFILE",
        value_enum,
        value_delimiter = ',',
        default_value = "default,one"
    )]
    profiles: Vec<Profile>,
    /// Run nothing, and make the table from the records of earlier runs
    #[arg(long)]
    table: bool,
}

/// Runs the histories of the selected crates, and writes the tables of all that have been run.
pub(crate) fn run(options: &Options) -> Result<ExitCode, String> {
    let subjects = subjects()?;
    options.selection.check(|name| subjects.iter().any(|subject| subject.name == name))?;
    let work = options.selection.work("histories", &["clones", "records"])?;
    let file = |name: &str, profile| work.join(format!("records/{name}-{profile}.json"));
    if !options.table {
        let bench = Bench::new()?;
        for subject in subjects.iter().filter(|subject| options.selection.contains(&subject.name)) {
            let clone = work.join("clones").join(&subject.name);
            let repository = Repository::open(subject, clone, options.clones.as_deref())?;
            let revisions = repository.revisions(&subject.end, options.revisions)?;
            for profile in options.profiles.iter().copied() {
                let (repository, work, bench) = (&repository, &*work, &bench);
                let record =
                    History { subject, repository, profile, work, bench }.run(&revisions)?;
                harness::write_record(&file(&subject.name, profile), &record)?;
            }
        }
    }
    let mut series = Vec::new();
    for profile in Profile::value_variants().iter().copied() {
        let mut records = Vec::new();
        for subject in &subjects {
            let record = harness::read_record(&file(&subject.name, profile))?;
            records.extend(record.map(|record| (&*subject.name, record)));
        }
        if !records.is_empty() {
            series.push(Series { profile, records });
        }
    }
    harness::publish(&work, "histories", &table::tables(&series))
}
