//! The judgement of the explanations that a seed has.

use iai_callgrind_summary::explanation::{Explanation, Kind, Verdict};
use iai_callgrind_summary::{Summary, Value};

use crate::explanations::seeds::{Change, Expected, Seed};

/// Number of entries that the culprit has to be in.
pub(crate) const FIRST: usize = 3;

/// Largest number of lines of an explanation.
const LINES: usize = 12;

/// The judgement of a seed.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// The verdict about the benchmark that changes, or about one that should not.
    pub(crate) verdict: Option<Verdict>,
    /// The position of the culprit among the entries, from 1.
    pub(crate) position: Option<usize>,
    pub(crate) has_right_verdict: bool,
    /// The reasons why it is wrong.
    pub(crate) wrong: Vec<String>,
    /// The explanations, with the names of their benchmarks.
    pub(crate) texts: Vec<(String, Vec<String>)>,
}

/// The explanation of a benchmark.
pub(crate) struct Explained<'a> {
    pub(crate) benchmark: &'a str,
    pub(crate) explanation: &'a Explanation,
    /// The new instructions minus the old ones.
    pub(crate) change: i64,
}

/// Judges the explanations of a run.
pub(crate) fn judge(seed: &Seed, summaries: &[Summary]) -> Judgement {
    let explained: Vec<_> = summaries.iter().filter_map(explained).collect();
    let mut judgement = Judgement { has_right_verdict: true, ..Judgement::default() };
    for one in &explained {
        judgement.wrong.extend(inconsistencies(one));
        let text = one.explanation.text.clone();
        judgement.texts.push((one.benchmark.to_owned(), text));
    }
    match &seed.expected {
        Expected::Change(change) => judgement.judge_change(change, &explained),
        Expected::Unchanged => {
            judgement.judge_others(&explained, &[Verdict::Equal, Verdict::Caches]);
        }
        Expected::Bystander => judgement.judge_others(&explained, &BYSTANDER),
    }
    judgement
}

/// Verdicts about a change that is not in code that runs.
///
/// Data can be elsewhere in memory, so that the same machine code executes other instructions.
const BYSTANDER: [Verdict; 5] = [
    Verdict::Equal,
    Verdict::Caches,
    Verdict::DataAddresses,
    Verdict::CodeGeneration,
    Verdict::OtherInFile,
];

impl Judgement {
    fn judge_change(&mut self, change: &Change, explained: &[Explained<'_>]) {
        let Change { benchmark, verdicts, culprits, also } = change;
        let of_benchmark = explained.iter().find(|one| one.benchmark == *benchmark);
        match of_benchmark {
            None => self.wrong_verdict(format!("{benchmark} has no difference")),
            Some(Explained { explanation, .. }) => {
                self.verdict = Some(explanation.verdict);
                if !verdicts.contains(&explanation.verdict) {
                    self.wrong_verdict("verdict".to_owned());
                }
                let mut functions = explanation.entries.iter().map(|entry| &entry.function);
                let is_culprit =
                    |name: &str| culprits.iter().any(|culprit| ends_with(name, culprit));
                self.position = functions
                    .position(|name| name.as_deref().is_some_and(is_culprit))
                    .map(|index| index + 1);
                if !culprits.is_empty() && self.position.is_none_or(|position| position > FIRST) {
                    self.wrong.push("culprit".to_owned());
                }
            }
        }
        // A change of the environment is one of all benchmarks
        let mut others = BYSTANDER.to_vec();
        others.extend(verdicts.iter().filter(|verdict| **verdict != Verdict::ChangedLines));
        for one in explained.iter().filter(|one| one.benchmark != *benchmark) {
            let is_allowed =
                others.contains(&one.explanation.verdict) || is_same_code(one.explanation);
            if !also.contains(&one.benchmark) && !is_allowed {
                self.wrong_verdict(format!("{}: {:?}", one.benchmark, one.explanation.verdict));
            }
        }
    }

    /// Judges benchmarks that no line of the change runs in.
    fn judge_others(&mut self, explained: &[Explained<'_>], allowed: &[Verdict]) {
        for Explained { benchmark, explanation, .. } in explained {
            let verdict = explanation.verdict;
            let is_bystander = allowed.contains(&Verdict::CodeGeneration);
            let is_allowed =
                allowed.contains(&verdict) || is_bystander && is_same_code(explanation);
            if !is_allowed {
                self.wrong_verdict(format!("{benchmark}: {verdict:?}"));
            }
            if self.verdict.is_none_or(|known| allowed.contains(&known)) {
                self.verdict = Some(verdict);
            }
        }
    }

    fn wrong_verdict(&mut self, reason: String) {
        self.has_right_verdict = false;
        self.wrong.push(reason);
    }
}

/// Returns true if the explanation names no calls.
fn is_same_code(explanation: &Explanation) -> bool {
    explanation
        .text
        .first()
        .is_some_and(|line| line.ends_with("the same machine code runs more or less often"))
}

/// Returns the explanation of a benchmark, if it has one.
pub(crate) fn explained(summary: &Summary) -> Option<Explained<'_>> {
    let tool = summary.tools.first()?;
    let explanation = tool.explanation.as_ref()?;
    let instructions = tool.total.get("Ir")?;
    let count = |value: Option<Value>| match value {
        Some(Value::Count(count)) => Some(signed(count)),
        _ => None,
    };
    let change = count(instructions.new)? - count(instructions.old)?;
    Some(Explained { benchmark: summary.function.as_deref()?, explanation, change })
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns true if a name ends with these parts.
fn ends_with(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with("::"))
        || (end.starts_with('<') && name.ends_with(end))
        || (end.contains(" as ") && name.ends_with(end))
}

/// Returns what no explanation may have, whatever the change is.
fn inconsistencies(explained: &Explained<'_>) -> Vec<String> {
    let Explained { benchmark, explanation, change } = explained;
    let mut wrong = Vec::new();
    let changes = explanation.entries.iter().map(|entry| signed(entry.new) - signed(entry.old));
    if explanation.verdict != Verdict::Unknown && changes.sum::<i64>() != *change {
        wrong.push(format!("{benchmark}: the entries do not add up"));
    }
    if explanation.text.len() > LINES {
        wrong.push(format!("{benchmark}: {} lines", explanation.text.len()));
    }
    let of_kind = |kind| explanation.entries.iter().filter(move |entry| entry.kind == kind);
    for new in of_kind(Kind::New) {
        let is_pair = |gone: &&str| new.function.as_deref() == Some(gone);
        let last = |name: &str| name.rsplit("::").next().map(str::to_owned);
        for gone in of_kind(Kind::Gone).filter_map(|entry| entry.function.as_deref()) {
            let same_file = of_kind(Kind::Gone)
                .any(|entry| entry.function.as_deref() == Some(gone) && entry.file == new.file);
            if is_pair(&gone) || same_file && new.function.as_deref().and_then(last) == last(gone) {
                wrong.push(format!("{benchmark}: {gone} is gone and new"));
            }
        }
    }
    if explanation.verdict == Verdict::Unknown {
        wrong.push(format!("{benchmark}: {}", explanation.text.join(" ")));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_culprit_is_the_end_of_a_path() {
        assert!(ends_with("sample::text::order", "order"));
        assert!(ends_with("order", "order"));
        assert!(!ends_with("sample::text::reorder", "order"));
        assert!(ends_with("a::<impl B for C>::d", "<impl B for C>::d"));
        assert!(ends_with("<a::B as C>::d", "B as C>::d"));
    }
}
