//! The table of all projects in Markdown.

use std::fmt::{self, Write as _};

use crate::projects::counts::{Pair, functions, pair};
use crate::projects::list::{Harness, List, Project};
use crate::projects::record::{Outcome, Record};

/// Reason for differences that `--native-cpu` removes.
const NATIVE_CPU: (&str, &str) = (
    "cpu",
    "equal with `--native-cpu`: the C library's functions are pinned to those of every CPU",
);

/// The text, and the number of projects with a difference that has no reason.
pub(crate) struct Table {
    pub(crate) text: String,
    pub(crate) unexplained: usize,
}

/// Returns the tables of these projects, and the list of those that were left out.
pub(crate) fn table(rows: &[(&Project, Record)], list: &List) -> Table {
    let mut text = String::new();
    let unexplained = compared(rows, list, &mut text) + counted(rows, &mut text);
    text.push_str("\nNot run:\n\n");
    for project in list.left_out() {
        writeln!(text, "- {} {}: {}", project.name, project.version, project.reason)
            .expect("a string takes all");
    }
    Table { text, unexplained }
}

/// Adds the projects whose harness counts. Returns the number of those with a difference that has no reason.
fn compared(rows: &[(&Project, Record)], list: &List, text: &mut String) -> usize {
    text.push_str(
        "| project | harness | compiles | runs | benchmarks | equal within 1 % | differences |\n\
         | --- | --- | --- | --- | ---: | ---: | --- |\n",
    );
    let mut unexplained = 0;
    for (project, record) in rows.iter().filter(|(project, _)| project.harness.counts()) {
        let pairs = pair(record.original.counts(), record.ours.counts());
        let equal = pairs.iter().filter(|pair| pair.is_equal()).count();
        let (reasons, explained) = reasons(project, record, &pairs, list);
        unexplained += usize::from(!explained);
        let number = pairs.len();
        add_row(text, project, record, format_args!("{number} | {equal} | {reasons}"));
    }
    text.push_str("\nDifferences:\n\n");
    for (key, sentence) in list.reasons().chain([NATIVE_CPU]) {
        writeln!(text, "- {key}: {sentence}").expect("a string takes all");
    }
    unexplained
}

/// Adds the projects whose harness measures time. Returns the number of those with a benchmark that is not counted, for
/// which the list has no reason.
fn counted(rows: &[(&Project, Record)], text: &mut String) -> usize {
    text.push_str(
        "\nDivan lists functions without their arguments.\n\n\
         | project | harness | compiles | runs | listed | counted of these | benchmarks | remark |\n\
         | --- | --- | --- | --- | ---: | ---: | ---: | --- |\n",
    );
    let mut unexplained = 0;
    for (project, record) in rows.iter().filter(|(project, _)| !project.harness.counts()) {
        let (listed, benchmarks) = (record.original.counts().len(), record.ours.counts().len());
        let counted = match project.harness {
            Harness::Divan => functions(record.ours.counts()),
            _ => benchmarks,
        };
        let explained = listed > 0 && listed == counted + project.not_counted;
        unexplained += usize::from(!explained);
        let unexplained = (!explained).then(|| "**unexplained**".to_owned());
        let remarks: Vec<_> =
            [unexplained, project.remark.clone(), updated(record)].into_iter().flatten().collect();
        let remarks = remarks.join("; ");
        add_row(
            text,
            project,
            record,
            format_args!("{listed} | {counted} | {benchmarks} | {remarks}"),
        );
    }
    unexplained
}

/// Adds a row with the cells that both tables have, and the others.
fn add_row(text: &mut String, project: &Project, record: &Record, others: fmt::Arguments<'_>) {
    let (harness, compiles) = (&record.harness, mark(record, Outcome::compiles));
    let runs = mark(record, Outcome::runs);
    writeln!(text, "| {project} | {harness} | {compiles} | {runs} | {others} |")
        .expect("a string takes all");
}

/// Returns `yes` or `no` for this harness, with that of the original one if it is the cause.
fn mark(record: &Record, holds: fn(&Outcome) -> bool) -> &'static str {
    match (holds(&record.original), holds(&record.ours)) {
        (true, true) => "yes",
        (true, false) => "**no**",
        (false, true) => "yes (original: no)",
        (false, false) => "neither",
    }
}

/// Returns the reasons of a project's differences, and true if each has one.
fn reasons(project: &Project, record: &Record, pairs: &[Pair<'_>], list: &List) -> (String, bool) {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    let mut explained = record.ours.runs() || !record.original.runs();
    let native = record.native.as_ref().map_or(&[][..], Outcome::counts);
    let native = pair(record.original.counts(), native);
    for (index, pair) in pairs.iter().enumerate().filter(|(_, pair)| !pair.is_equal()) {
        let native = native.get(index);
        let reason = if native.is_some_and(Pair::is_equal) {
            NATIVE_CPU.0.to_owned()
        } else if let Some(key) = reason(project, pair, native, list) {
            key.to_owned()
        } else {
            explained = false;
            let count = |count: Option<u64>| count.map_or("none".into(), |n| n.to_string());
            let (original, ours) = (count(pair.original), count(pair.ours));
            format!("**unexplained**: {} {original} → {ours}", pair.benchmark)
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let mut sentences: Vec<_> =
        reasons.into_iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    sentences.extend(project.remark.clone());
    sentences.extend(updated(record));
    (sentences.join("; "), explained)
}

/// Returns the remark about dependencies that were updated.
fn updated(record: &Record) -> Option<String> {
    let updated = &record.updated;
    (!updated.is_empty()).then(|| format!("locked too low, updated: {}", updated.join(", ")))
}

/// Returns the key of the reason for a difference that is left with the functions for this CPU.
fn reason<'a>(
    project: &'a Project,
    pair: &Pair<'_>,
    native: Option<&Pair<'_>>,
    list: &List,
) -> Option<&'a str> {
    let key = project.reason(pair.benchmark)?;
    let explains = list.reason(key).explains(pair.original?, native?.ours?);
    explains.then_some(key)
}
