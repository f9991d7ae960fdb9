//! `cargo xtask projects`: runs the benchmark files of published projects with their own harness and with this one.
//!
//! Only `Cargo.toml` is changed. The projects are packages of a registry, listed in `projects/projects.json`. A harness
//! that measures time lists its benchmarks, and this one counts them.

mod counts;
mod list;
mod record;
mod run;
mod table;

use std::process::ExitCode;

use xtask::install;
use xtask::machine::Machine;

use crate::harness::{self, Selection};
use crate::projects::list::List;

/// Runs the selected projects, and writes the table of all projects that have been run. The exit code is not 0 if a
/// difference has no reason.
pub(crate) fn run(selection: &Selection, is_table: bool) -> Result<ExitCode, String> {
    let list = List::read()?;
    selection.check(|name| list.projects.iter().any(|project| project.name == name))?;
    let work = selection.work("projects", &["sources", "records", "logs"])?;
    let mut failed = false;
    let mut rows = Vec::new();
    if !is_table {
        install::valgrind(&Machine::this())?;
    }
    for project in &list.projects {
        let file = work.join(format!("records/{}.json", project.directory()));
        if !is_table && selection.contains(&project.name) {
            println!("\n{project}");
            // The other projects can still be run
            match run::run(project, &work) {
                Ok(record) => harness::write_record(&file, &record)?,
                Err(error) => {
                    println!("error: {error}");
                    failed = true;
                }
            }
        }
        rows.extend(harness::read_record(&file)?.map(|record| (project, record)));
    }
    let table = table::table(&rows, &list);
    let code = harness::publish(&work, "projects", &table.text)?;
    Ok(if failed || table.unexplained > 0 { ExitCode::FAILURE } else { code })
}
