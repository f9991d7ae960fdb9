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
        let (reasons, explained) = match Repetition::of(record) {
            Some(repetition) => (
                format!("{reasons}; in a second run {repetition} differ")
                    .trim_start_matches("; ")
                    .to_owned(),
                explained && repetition.is_explained(project),
            ),
            None => (reasons, explained),
        };
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

/// Adds the projects whose harness measures time. Returns the number of those with a benchmark that is not counted, or
/// counts another number in a second run, for which the list has no reason.
fn counted(rows: &[(&Project, Record)], text: &mut String) -> usize {
    text.push_str(
        "\nDivan lists functions without their arguments.\n\n\
         | project | harness | compiles | runs | listed | counted of these | benchmarks | differ in a second run | remark |\n\
         | --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    let mut unexplained = 0;
    for (project, record) in rows.iter().filter(|(project, _)| !project.harness.counts()) {
        let (listed, benchmarks) = (record.original.counts().len(), record.ours.counts().len());
        let counted = match project.harness {
            Harness::Divan => functions(record.ours.counts()),
            _ => benchmarks,
        };
        let repetition = Repetition::of(record);
        let explained = listed > 0
            && listed == counted + project.not_counted
            && repetition.as_ref().is_none_or(|repetition| repetition.is_explained(project));
        unexplained += usize::from(!explained);
        let unexplained = (!explained).then(|| "**unexplained**".to_owned());
        let remarks: Vec<_> =
            [unexplained, project.remark.clone(), updated(record)].into_iter().flatten().collect();
        let remarks = remarks.join("; ");
        let repetition = match repetition {
            Some(repetition) => repetition.to_string(),
            None if project.threads => "not run twice".to_owned(),
            None => "no threads".to_owned(),
        };
        add_row(
            text,
            project,
            record,
            format_args!("{listed} | {counted} | {benchmarks} | {repetition} | {remarks}"),
        );
    }
    unexplained
}

/// The comparison of the two runs of a project with threads.
struct Repetition {
    /// Counts that one of the runs lacks, or whose numbers differ.
    different: usize,
    counts: usize,
}

impl Repetition {
    fn of(record: &Record) -> Option<Self> {
        let pairs = pair(record.ours.counts(), record.again.as_ref()?.counts());
        let different = pairs.iter().filter(|pair| pair.original != pair.ours).count();
        Some(Self { different, counts: pairs.len() })
    }

    fn is_explained(&self, project: &Project) -> bool {
        self.different <= project.varying
    }
}

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.different, self.counts)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::counts::Count;

    fn record(ours: [u64; 2], again: Option<[u64; 2]>) -> Record {
        let outcome = |counts: [Option<u64>; 2]| {
            let counts = ["a", "b"].into_iter().zip(counts);
            let count =
                |(name, instructions): (&str, _)| Count { benchmark: name.into(), instructions };
            Outcome::Runs(counts.map(count).collect())
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
            r#"{"reasons": {}, "projects": [{"name": "x", "version": "1.0.0", "harness": "criterion",
            "benches": ["x"], "threads": true, "varying": 1, "remark": "spins"}]}"#,
        )
        .unwrap();
        let project = list.projects().next().unwrap();
        let row = |again| {
            let table = table(&[(project, record([10, 20], again))], &list);
            let row = table.text.lines().find(|line| line.starts_with("| x ")).unwrap().to_owned();
            (
                row.replace("| x 1.0.0 | criterion 0.8.2 | yes | yes | 2 | 2 | 2 | ", ""),
                table.unexplained,
            )
        };
        assert_eq!(row(None), ("not run twice | spins |".into(), 0));
        assert_eq!(row(Some([10, 20])), ("0 of 2 | spins |".into(), 0));
        assert_eq!(row(Some([10, 21])), ("1 of 2 | spins |".into(), 0));
        assert_eq!(row(Some([11, 21])), ("2 of 2 | **unexplained**; spins |".into(), 1));
    }
}
