//! `cargo xtask explanations`: changes small crates, and checks what the explanations say about each change.
//!
//! A seed is a change with the verdict and the function that the explanation must name.

mod edits;
mod judgement;
mod seeds;
mod subject;
mod table;

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

use iai_callgrind_summary::Summary;

pub(crate) use crate::explanations::edits::run as run_edits;
use crate::explanations::judgement::{Judgement, judge};
use crate::explanations::seeds::Seed;
use crate::explanations::subject::{Direction, SUBJECTS, Subject};
use crate::explanations::table::Row;
use crate::harness::{self, Bench};

/// Runs the seeds of a half, or all, with one of the texts in their names.
pub(crate) fn run(half: Option<u8>, verbose: bool, filters: &[String]) -> Result<ExitCode, String> {
    let bench = Bench::new()?;
    // Git, which explanations ask for changed files, ignores the target directory
    let work = tempfile::tempdir().map_err(|error| format!("temporary directory: {error}"))?;
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let mut stored = HashSet::new();
        for seed in subject.seeds()? {
            let name = format!("{}: {}", subject.name, seed.name);
            let is_selected = half.is_none_or(|half| seed.half == half)
                && (filters.is_empty() || filters.iter().any(|text| name.contains(text)));
            if !is_selected {
                continue;
            }
            // The other seeds can still be run
            let summaries = run_seed(subject, &seed, &bench, work.path(), &mut stored);
            let judgement = summaries.map_or_else(
                |error| Judgement { wrong: vec![error], ..Judgement::default() },
                |summaries| judge(&seed, &summaries),
            );
            let row = Row { subject: subject.name, seed, judgement };
            println!("{}  {name}", row.result());
            rows.push(row);
        }
    }
    println!("\n{}", table::table(&rows, verbose));
    let is_expected = rows.iter().all(|row| row.is_right() || !row.seed.known.is_empty());
    Ok(if is_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the benchmarks with the change of a seed, after those without it if they are not `stored` yet.
fn run_seed(
    subject: &Subject,
    seed: &Seed,
    bench: &Bench,
    work: &Path,
    stored: &mut HashSet<String>,
) -> Result<Vec<Summary>, String> {
    let root = work.join(subject.name);
    let (file, profile) = (subject::file(seed), seed.profile);
    let directory = subject.write(&root, seed)?;
    let run = |arguments: &[&str]| {
        let mut cargo = bench.cargo(&directory, file, profile, &root.join("results"));
        harness::summaries(cargo.args(["--", "--output-format=json"]).args(arguments))
    };
    let baseline = format!("{file}-{profile}");
    if !stored.contains(&baseline) {
        run(&[&format!("--save-baseline={baseline}")])?;
        stored.insert(baseline.clone());
    }
    subject::apply(seed, Direction::Apply, &directory)?;
    run(&[&format!("--baseline={baseline}"), "--explain=all"])
}
