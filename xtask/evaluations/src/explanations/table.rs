//! The table of all seeds, in Markdown.

use std::fmt::Write as _;
use std::time::Duration;

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::judgement::Judgement;
use crate::explanations::seeds::{Expected, Seed};

/// A seed with its judgement.
pub(crate) struct Row {
    pub(crate) seed: &'static Seed,
    pub(crate) judgement: Judgement,
    /// Time to build and to run.
    pub(crate) time: Duration,
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
}

/// Returns the table, the sums, and the explanations of the seeds that are wrong, or of all.
pub(crate) fn table(rows: &[Row], verbose: bool) -> String {
    let mut text = String::from(
        "| half | crate | change | verdict | expected | culprit | position | result | ms |\n\
         | --- | --- | --- | --- | --- | --- | ---: | --- | ---: |\n",
    );
    for row in rows {
        text.push_str(&line(row));
    }
    text.push_str(&sums(rows));
    let shown = rows.iter().filter(|row| verbose || !row.judgement.wrong.is_empty());
    for Row { seed, judgement, .. } in shown {
        write!(text, "\n## {}: {}\n\n", seed.subject, seed.name).expect(TAKES_ALL);
        for reason in &judgement.wrong {
            writeln!(text, "- wrong: {reason}").expect(TAKES_ALL);
        }
        for (benchmark, lines) in &judgement.texts {
            write!(text, "\n{benchmark}\n    {}\n", lines.join("\n    ")).expect(TAKES_ALL);
        }
    }
    text
}

/// The reason why a result is not an error.
const TAKES_ALL: &str = "a string takes all";

fn line(Row { seed, judgement, time }: &Row) -> String {
    let (expected, culprits) = match &seed.expected {
        Expected::Change(change) => {
            let names: Vec<_> = change.verdicts.iter().map(|verdict| name(*verdict)).collect();
            (names.join(" or "), change.culprits.join(" or "))
        }
        Expected::Unchanged => ("none".to_owned(), String::new()),
        Expected::Bystander => ("none of yours".to_owned(), String::new()),
    };
    let verdict = judgement.verdict.map_or("none", name);
    let position = judgement.position.map_or_else(String::new, |position| position.to_string());
    let reason = |reason: &String| reason.lines().next().unwrap_or_default().to_owned();
    let wrong: Vec<_> = judgement.wrong.iter().map(reason).collect();
    let result = match (wrong.is_empty(), seed.known) {
        (true, _) => "right".to_owned(),
        (false, "") => format!("**{}**", wrong.join("; ")),
        (false, reason) => format!("known: {reason}"),
    };
    format!(
        "| {} | {} | {} | {verdict} | {expected} | {} | {position} | {result} | {} |\n",
        seed.half,
        seed.subject,
        seed.name,
        if culprits.is_empty() { String::new() } else { format!("`{culprits}`") },
        time.as_millis(),
    )
}

/// Returns the name of a verdict as in the machine-readable output.
fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Environment => "environment",
        Verdict::Equal => "equal",
        Verdict::Caches => "caches",
        Verdict::ChangedLines => "changed-lines",
        Verdict::DataAddresses => "data-addresses",
        Verdict::Spread => "spread",
        Verdict::Calls => "calls",
        Verdict::OtherInFile => "other-in-file",
        Verdict::CodeGeneration => "code-generation",
        Verdict::Unknown => "unknown",
    }
}

/// Returns the numbers of right verdicts and culprits.
fn sums(rows: &[Row]) -> String {
    let mut text = String::from("\n");
    for half in [1, 2] {
        let rows: Vec<_> = rows.iter().filter(|row| row.seed.half == half).collect();
        if rows.is_empty() {
            continue;
        }
        let verdicts = rows.iter().filter(|row| row.judgement.has_right_verdict).count();
        let with_culprit: Vec<_> = rows.iter().filter(|row| has_culprit(row.seed)).collect();
        let found = with_culprit
            .iter()
            .filter(|row| row.judgement.position.is_some_and(|position| position <= 3))
            .count();
        let right = rows.iter().filter(|row| row.judgement.wrong.is_empty()).count();
        writeln!(
            text,
            "Half {half}: verdict right in {verdicts} of {}, culprit among the first three in {found} of {}, all right in \
             {right} of {}",
            rows.len(),
            with_culprit.len(),
            rows.len()
        )
        .expect(TAKES_ALL);
    }
    text
}

fn has_culprit(seed: &Seed) -> bool {
    matches!(&seed.expected, Expected::Change(change) if !change.culprits.is_empty())
}
