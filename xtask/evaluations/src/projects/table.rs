//! The table of all projects in Markdown.

use std::fmt::Write as _;

use crate::harness::{header, row};
use crate::projects::counts::{Pair, functions, pair};
use crate::projects::list::{Harness, List, Project};
use crate::projects::record::{Outcome, Record};

/// Reason for differences that `--native-cpu` removes.
const NATIVE_CPU: (&str, &str) = (
    "cpu",
    "equal with `--native-cpu`: the C library's functions are pinned to those of every CPU",
);

const UNEXPLAINED: &str = "**unexplained**";

/// The text, and the number of projects with a difference that has no reason.
pub(crate) struct Table {
    pub(crate) text: String,
    pub(crate) unexplained: usize,
}

/// Returns the tables of these projects, and the list of those that were left out.
pub(crate) fn table(rows: &[(&Project, Record)], list: &List) -> Table {
    let columns = ["project", "harness", "compiles", "runs"];
    let compared = ["benchmarks", "equal within 1 %", "differences"];
    let counted = ["listed", "counted of these", "benchmarks", "differ in a second run", "remark"];
    let mut table = Table { text: header(&[&columns[..], &compared].concat()), unexplained: 0 };
    let (counting, timing): (Vec<_>, Vec<_>) =
        rows.iter().partition(|(project, _)| project.harness.counts());
    for (project, record) in counting {
        table.add(project, record, &compared_cells(project, record, list));
    }
    table.text += "\nDivan lists functions without their arguments.\n\n";
    table.text += &header(&[&columns[..], &counted].concat());
    for (project, record) in timing {
        table.add(project, record, &counted_cells(project, record));
    }
    let reasons = list.reasons.iter().map(|(key, reason)| (&**key, &*reason.text));
    table.list("Differences", reasons.chain([NATIVE_CPU]));
    table.list("Not run", list.left_out.iter().map(|(project, reason)| (&**project, &**reason)));
    table
}

impl Table {
    /// Adds a row with the cells that all projects have, and the others.
    fn add(&mut self, project: &Project, record: &Record, others: &[String]) {
        self.unexplained += usize::from(others.iter().any(|cell| cell.contains(UNEXPLAINED)));
        let compiles = mark(record, |outcome| outcome.compiles);
        let runs = mark(record, |outcome| outcome.runs);
        let cells = [project.to_string(), record.harness.clone(), compiles.into(), runs.into()];
        self.text += &row(&[&cells[..], others].concat());
    }

    fn list<'a>(&mut self, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
        write!(self.text, "\n{title}:\n\n").expect("a string takes all");
        for (name, text) in entries {
            writeln!(self.text, "- {name}: {text}").expect("a string takes all");
        }
    }
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

/// Returns the cells of a project whose harness counts.
fn compared_cells(project: &Project, record: &Record, list: &List) -> Vec<String> {
    let pairs = pair(&record.original.counts, &record.ours.counts);
    let equal = pairs.iter().filter(|pair| pair.is_equal()).count();
    let mut reasons = reasons(project, record, &pairs, list);
    if record.original.runs && !record.ours.runs {
        reasons.push(UNEXPLAINED.to_owned());
    }
    reasons.extend(project.remark.clone());
    reasons.extend(updated(record));
    if let Some(repetition) = repetition(project, record) {
        reasons.push(format!("in a second run {repetition} differ"));
    }
    vec![pairs.len().to_string(), equal.to_string(), reasons.join("; ")]
}

/// Returns the cells of a project whose harness measures time. Each of its benchmarks has to be counted, or the list has a
/// reason.
fn counted_cells(project: &Project, record: &Record) -> Vec<String> {
    let (listed, benchmarks) = (record.original.counts.len(), record.ours.counts.len());
    let counted = match project.harness {
        Harness::Divan => functions(&record.ours.counts),
        _ => benchmarks,
    };
    let is_explained = listed > 0 && listed == counted + project.not_counted;
    let unexplained = (!is_explained).then(|| UNEXPLAINED.to_owned());
    let remarks: Vec<_> =
        [unexplained, project.remark.clone(), updated(record)].into_iter().flatten().collect();
    let repetition = repetition(project, record)
        .unwrap_or_else(|| if project.threads { "not run twice" } else { "no threads" }.to_owned());
    let numbers = [listed, counted, benchmarks].map(|number| number.to_string());
    [&numbers[..], &[repetition, remarks.join("; ")]].concat()
}

/// Returns how many counts of a project with threads differ in its second run, or are missing in one of the runs.
fn repetition(project: &Project, record: &Record) -> Option<String> {
    let pairs = pair(&record.ours.counts, &record.again.as_ref()?.counts);
    let different = pairs.iter().filter(|pair| pair.original != pair.ours).count();
    let unexplained = if different > project.varying { UNEXPLAINED } else { "" };
    Some(format!("{different} of {} {unexplained}", pairs.len()).trim_end().to_owned())
}

/// Returns the reasons of a project's differences with their numbers.
fn reasons(project: &Project, record: &Record, pairs: &[Pair<'_>], list: &List) -> Vec<String> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    let native = record.native.as_ref().map_or(&[][..], |native| &native.counts);
    let native = pair(&record.original.counts, native);
    for (index, pair) in pairs.iter().enumerate().filter(|(_, pair)| !pair.is_equal()) {
        let native = native.get(index);
        let reason = if native.is_some_and(Pair::is_equal) {
            NATIVE_CPU.0.to_owned()
        } else if let Some(key) = reason(project, pair, native, list) {
            key.to_owned()
        } else {
            let count = |count: Option<u64>| count.map_or("none".into(), |n| n.to_string());
            let (original, ours) = (count(pair.original), count(pair.ours));
            format!("{UNEXPLAINED}: {} {original} → {ours}", pair.benchmark)
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, number)) => *number += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.into_iter().map(|(reason, number)| format!("{number} {reason}")).collect()
}

/// Returns the key of the reason for a difference that is left with the functions for this CPU.
fn reason<'a>(
    project: &'a Project,
    pair: &Pair<'_>,
    native: Option<&Pair<'_>>,
    list: &List,
) -> Option<&'a str> {
    let key = project.reason(pair.benchmark)?;
    list.reasons[key].explains(pair.original?, native?.ours?).then_some(key)
}

/// Returns the remark about dependencies that were updated.
fn updated(record: &Record) -> Option<String> {
    let updated = &record.updated;
    (!updated.is_empty()).then(|| format!("locked too low, updated: {}", updated.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::record::Count;

    fn record(ours: [u64; 2], again: Option<[u64; 2]>) -> Record {
        let outcome = |counts: [Option<u64>; 2]| {
            let count = |(name, instructions): (&&str, _)| Count {
                benchmark: (*name).into(),
                instructions,
            };
            let counts = ["a", "b"].iter().zip(counts).map(count).collect();
            Outcome { compiles: true, runs: true, counts }
        };
        Record {
            harness: "criterion 0.8.2".into(),
            updated: Vec::new(),
            original: outcome([None, None]),
            ours: outcome(ours.map(Some)),
            again: again.map(|again| outcome(again.map(Some))),
            native: None,
        }
    }

    #[test]
    fn counts_that_vary_are_shown_and_need_a_reason() {
        let list = List::parse(
            r#"{"reasons": {}, "left_out": {}, "projects": [{"name": "x", "version": "1.0.0",
            "harness": "criterion", "threads": true, "varying": 1, "remark": "spins"}]}"#,
        )
        .unwrap();
        let row = |again| {
            let table = table(&[(&list.projects[0], record([10, 20], again))], &list);
            let row = table.text.lines().find(|line| line.starts_with("| x ")).unwrap().to_owned();
            (
                row.replace("| x 1.0.0 | criterion 0.8.2 | yes | yes | 2 | 2 | 2 | ", ""),
                table.unexplained,
            )
        };
        assert_eq!(row(None), ("not run twice | spins |".into(), 0));
        assert_eq!(row(Some([10, 21])), ("1 of 2 | spins |".into(), 0));
        assert_eq!(row(Some([11, 21])), ("2 of 2 **unexplained** | spins |".into(), 1));
    }
}
