//! `cargo xtask explanations`: changes small crates, and checks what the explanations say about each change.
//!
//! A seed is a change with the verdict and the function that the explanation must name.

mod judgement;
mod seeds;
mod subject;
mod table;

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use xtask::install;
use xtask::machine::Machine;

use crate::explanations::judgement::{Judgement, judge};
use crate::explanations::seeds::{Profile, Seed};
use crate::explanations::subject::{Package, SUBJECTS, Subject};
use crate::explanations::table::Row;
use crate::harness;

/// Runs the seeds of a half, or all, with one of the texts in their names.
pub(crate) fn run(half: Option<u8>, verbose: bool, filters: &[String]) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let runner = harness::runner()?;
    // Git, which explanations ask for changed files, ignores the target directory
    let work = tempfile::tempdir().map_err(|error| format!("temporary directory: {error}"))?;
    let is_selected = |seed: &&Seed| {
        let name = format!("{}: {}", seed.subject, seed.name);
        half.is_none_or(|half| seed.half == half)
            && (filters.is_empty() || filters.iter().any(|text| name.contains(text)))
    };
    let selected: Vec<_> = seeds::all().filter(is_selected).collect();
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let seeds: Vec<_> =
            selected.iter().copied().filter(|seed| seed.subject == subject.name).collect();
        if !seeds.is_empty() {
            rows.extend(run_subject(subject, &seeds, work.path(), &runner)?);
        }
    }
    println!("\n{}", table::table(&rows, verbose));
    let is_expected = rows.iter().all(|row| row.is_right() || !row.seed.known.is_empty());
    Ok(if is_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the seeds of a crate.
fn run_subject(
    subject: &Subject,
    seeds: &[&'static Seed],
    work: &Path,
    runner: &Path,
) -> Result<Vec<Row>, String> {
    let package = Package::new(subject, work)?;
    let mut stored = HashSet::new();
    let mut rows = Vec::new();
    for seed in seeds {
        let baseline = match seed.profile {
            Profile::Recommended => "recommended",
            Profile::Units => "units",
            Profile::Unoptimized => "unoptimized",
        };
        let file = subject.bench(seed);
        let bench =
            |arguments: &[&str]| harness::summaries(&mut package.bench(file, runner, arguments));
        if stored.insert((file, seed.profile)) {
            package.set(seed.profile)?;
            let save = format!("--save-baseline={baseline}");
            bench(&[&save, "--output-format=json"])
                .map_err(|error| format!("{}: {error}", subject.name))?;
        }
        let start = Instant::now();
        let baseline = format!("--baseline={baseline}");
        let arguments = [&*baseline, "--explain=all", "--output-format=json"];
        let summaries = package.changed(seed, || bench(&arguments));
        // The other seeds can still be run
        let judgement = summaries.map_or_else(
            |error| Judgement { wrong: vec![error], ..Judgement::default() },
            |summaries| judge(seed, &summaries),
        );
        let row = Row { seed, judgement, time: start.elapsed() };
        println!("{}  {}: {}", row.result(), seed.subject, seed.name);
        rows.push(row);
    }
    Ok(rows)
}
