//! `cargo xtask projects`: runs the benchmark files of published projects with their own harness and with this one.
//!
//! Only `Cargo.toml` is changed. The projects are packages of a registry, listed in `projects/projects.json`. A harness
//! that measures time lists its benchmarks, and this one counts them.

mod counts;
mod list;
mod manifest;
mod record;
mod run;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) use crate::projects::counts::function_and_id;
use crate::projects::list::{List, Project};
use crate::projects::record::Record;
use crate::projects::run::Runs;
use xtask::command::{self, in_file};
use xtask::install;
use xtask::machine::Machine;

/// Runs the projects with these names, or all, and writes the table of all projects that have been run.
pub(crate) fn run(names: &[String], work: Option<PathBuf>) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let list = List::read()?;
    if let Some(name) = names.iter().find(|name| !list.contains(name)) {
        return Err(format!("{name}: not in the list of projects"));
    }
    let work = directory(work)?;
    let runs = Runs::new(&work)?;
    let mut failed = false;
    let selected = |project: &&Project| names.is_empty() || names.contains(&project.name);
    for project in list.projects().filter(selected) {
        println!("\n{project}");
        // The other projects can still be run
        match runs.run(project) {
            Ok(record) => record.write(&work, project)?,
            Err(error) => {
                println!("error: {error}");
                failed = true;
            }
        }
    }
    let code = write_table(&list, &work)?;
    Ok(if failed { ExitCode::FAILURE } else { code })
}

/// Writes the table of all projects that have been run.
pub(crate) fn table(work: Option<PathBuf>) -> Result<ExitCode, String> {
    write_table(&List::read()?, &directory(work)?)
}

/// Returns the exit code, which is not 0 if a difference has no reason.
fn write_table(list: &List, work: &Path) -> Result<ExitCode, String> {
    let mut rows = Vec::new();
    for project in list.projects() {
        if let Some(record) = Record::read(work, project)? {
            rows.push((project, record));
        }
    }
    let table = table::table(&rows, list);
    let file = work.join("projects.md");
    fs::write(&file, &table.text).map_err(in_file(&file))?;
    println!("\n{}\nwritten to {}", table.text, file.display());
    Ok(if table.unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn directory(work: Option<PathBuf>) -> Result<PathBuf, String> {
    let work = work.unwrap_or_else(|| command::target().join("xtask/projects"));
    std::path::absolute(&work).map_err(in_file(&work))
}
