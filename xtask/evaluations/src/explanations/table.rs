//! The table of all seeds, in Markdown.

use std::fmt::Write as _;

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::judgement::{FIRST, Judgement};
use crate::explanations::seeds::{Expected, Seed};
use crate::harness::{header, row};

/// A seed with its judgement.
pub(crate) struct Row {
    pub(crate) subject: &'static str,
    pub(crate) seed: Seed,
    pub(crate) judgement: Judgement,
}

impl Row {
    pub(crate) fn is_right(&self) -> bool {
        self.judgement.wrong.is_empty()
    }

    /// Returns the result in a word.
    pub(crate) fn result(&self) -> &'static str {
        match (self.is_right(), self.seed.known) {
            (true, _) => "right",
            (false, "") => "WRONG",
            (false, _) => "known",
        }
    }

    /// Returns true if one of the right functions is among the first entries; none if none is expected.
    fn finds_culprit(&self) -> Option<bool> {
        let Expected::Change(change) = &self.seed.expected else { return None };
        let position = self.judgement.position;
        (!change.culprits.is_empty()).then(|| position.is_some_and(|position| position <= FIRST))
    }
}

/// Returns the table, the sums, and the explanations of the seeds that are wrong, or of all.
pub(crate) fn table(rows: &[Row], verbose: bool) -> String {
    let columns = ["half", "crate", "change", "verdict", "expected", "culprit", "position"];
    let mut text = header(&[&columns[..], &["result"]].concat());
    text.extend(rows.iter().map(line));
    text += &sums(rows);
    for Row { subject, seed, judgement, .. } in rows.iter().filter(|row| verbose || !row.is_right())
    {
        write!(text, "\n## {subject}: {}\n\n", seed.name).expect(TAKES_ALL);
        for reason in &judgement.wrong {
            writeln!(text, "- wrong: {reason}").expect(TAKES_ALL);
        }
        for (benchmark, lines) in &judgement.texts {
            write!(text, "\n{benchmark}\n    {}\n", lines.join("\n    ")).expect(TAKES_ALL);
        }
    }
    text
}

const TAKES_ALL: &str = "a string takes all";

fn line(Row { subject, seed, judgement }: &Row) -> String {
    let (expected, culprits) = match &seed.expected {
        Expected::Change(change) => {
            let names: Vec<_> = change.verdicts.iter().map(|verdict| name(*verdict)).collect();
            (names.join(" or "), change.culprits.join(" or "))
        }
        Expected::Unchanged => ("none".to_owned(), String::new()),
        Expected::Bystander => ("none of yours".to_owned(), String::new()),
    };
    let reason = |reason: &String| reason.lines().next().unwrap_or_default().to_owned();
    let wrong: Vec<_> = judgement.wrong.iter().map(reason).collect();
    let result = match (wrong.is_empty(), seed.known) {
        (true, _) => "right".to_owned(),
        (false, "") => format!("**{}**", wrong.join("; ")),
        (false, reason) => format!("known: {reason}"),
    };
    row(&[
        seed.half.to_string(),
        (*subject).to_owned(),
        seed.name.to_owned(),
        judgement.verdict.map_or("none".to_owned(), name),
        expected,
        if culprits.is_empty() { culprits } else { format!("`{culprits}`") },
        judgement.position.map_or_else(String::new, |position| position.to_string()),
        result,
    ])
}

/// Returns the name of a verdict as in the machine-readable output.
fn name(verdict: Verdict) -> String {
    serde_json::to_value(verdict)
        .ok()
        .and_then(|name| Some(name.as_str()?.to_owned()))
        .unwrap_or_default()
}

/// Returns the numbers of right verdicts and culprits.
fn sums(rows: &[Row]) -> String {
    let mut text = String::from("\n");
    for half in [1, 2] {
        let rows: Vec<_> = rows.iter().filter(|row| row.seed.half == half).collect();
        let verdicts = rows.iter().filter(|row| row.judgement.has_right_verdict).count();
        let culprits: Vec<_> = rows.iter().filter_map(|row| row.finds_culprit()).collect();
        let found = culprits.iter().filter(|found| **found).count();
        let right = rows.iter().filter(|row| row.is_right()).count();
        writeln!(
            text,
            "Half {half}: verdict right in {verdicts} of {all}, culprit among the first three in {found} of {}, all right in \
             {right} of {all}",
            culprits.len(),
            all = rows.len(),
        )
        .expect(TAKES_ALL);
    }
    text
}
