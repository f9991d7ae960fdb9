//! The tables of all histories that were run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use iai_callgrind_summary::ChangeKind;
use iai_callgrind_summary::explanation::Verdict;

use crate::histories::diff::Touched;
use crate::histories::record::{Differs, Pair, Record};
use crate::histories::subject::{Harness, Subject, Units};

/// The records of all crates under a harness.
pub(crate) struct Series {
    pub(crate) harness: Harness,
    pub(crate) units: Units,
    pub(crate) records: Vec<(&'static Subject, Record)>,
}

/// A pair with the name of its revision.
struct Named<'a> {
    subject: &'a str,
    revision: &'a str,
    benchmark: &'a str,
    pair: &'a Pair,
    touched: Touched,
}

impl<'a> Named<'a> {
    /// Returns the names that the same pair has in each series.
    fn key(&self) -> [&'a str; 3] {
        [self.subject, self.revision, self.benchmark]
    }
}

/// Returns the tables.
pub(crate) fn tables(series: &[Series]) -> String {
    let mut text = by_change(series, |_| true);
    if series.iter().any(|one| one.harness != Harness::Ours) {
        let sets: Vec<BTreeSet<_>> =
            series.iter().map(|one| pairs(one, series).iter().map(Named::key).collect()).collect();
        text += "\nThe pairs that all of these ran:\n\n";
        text += &by_change(series, |named| sets.iter().all(|set| set.contains(&named.key())));
    }
    for one in series.iter().filter(|one| one.harness == Harness::Ours) {
        text += &verdicts(one, series);
    }
    for one in series {
        text += &list(one, series);
    }
    text
}

/// Returns the pairs of a series. Those of another harness have the classes of this one, which knows the lines that ran.
fn pairs<'a>(one: &'a Series, all: &'a [Series]) -> Vec<Named<'a>> {
    let ours = all.iter().find(|other| other.harness == Harness::Ours && other.units == one.units);
    let mut classes = BTreeMap::new();
    for (subject, record) in ours.iter().flat_map(|ours| &ours.records) {
        for step in &record.steps {
            for (benchmark, pair) in &step.pairs {
                let key = (subject.name, &*step.title, &**benchmark);
                classes.extend(pair.touched.map(|touched| (key, touched)));
            }
        }
    }
    let mut named = Vec::new();
    for (subject, record) in &one.records {
        for step in &record.steps {
            for (benchmark, pair) in &step.pairs {
                let (revision, benchmark) = (&*step.title, &**benchmark);
                let touched = classes.get(&(subject.name, revision, benchmark)).copied();
                named.extend(touched.map(|touched| Named {
                    subject: subject.name,
                    revision,
                    benchmark,
                    pair,
                    touched,
                }));
            }
        }
    }
    named
}

/// Returns the table of pairs by the code that the commit changes, of those with a property.
fn by_change(series: &[Series], is_selected: impl Fn(&Named<'_>) -> bool) -> String {
    let mut text = String::from(
        "| harness | codegen units | changed code | pairs | other instructions | only caches, reads or writes | worse | better | \
         moved in caches only |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for one in series {
        let mut pairs = pairs(one, series);
        pairs.retain(&is_selected);
        let name = match one.harness.version() {
            Some(version) => format!("{} {version}", one.harness.package()),
            None => "this one".to_owned(),
        };
        let units = one.units.text();
        for touched in Touched::ALL {
            let of_class: Vec<_> = pairs.iter().filter(|pair| pair.touched == touched).collect();
            let (all, cells) =
                (of_class.len(), [differences(&of_class), printed(&of_class, one)].concat());
            writeln!(
                text,
                "| {name} | {units} | {} | {all} | {} |",
                touched.text(),
                cells.join(" | ")
            )
            .expect("a string takes all");
        }
    }
    text
}

/// Returns the numbers of pairs with other instructions, and of those that differ in accesses only.
fn differences(pairs: &[&Named<'_>]) -> Vec<String> {
    let number = |differs: &[Differs]| {
        pairs.iter().filter(|named| differs.contains(&named.pair.differs())).count()
    };
    let largest = pairs.iter().map(|named| named.pair.percentage().abs()).fold(0.0, f64::max);
    let (instructions, accesses) =
        (number(&[Differs::Instructions]), number(&[Differs::Accesses, Differs::Caches]));
    let up_to = if instructions > 0 { format!(", up to {largest:.2} %") } else { String::new() };
    vec![format!("{instructions}{up_to}"), accesses.to_string()]
}

/// Returns the numbers of pairs by the change that a run of this harness prints.
fn printed(pairs: &[&Named<'_>], one: &Series) -> Vec<String> {
    let kinds = [ChangeKind::Worse, ChangeKind::Better, ChangeKind::CachesOnly];
    let number = |kind| pairs.iter().filter(|named| named.pair.change == Some(kind)).count();
    let is_known = one.harness == Harness::Ours;
    kinds.map(|kind| if is_known { number(kind).to_string() } else { String::new() }).to_vec()
}

/// Verdicts that name the change as one of the user's code.
const YOURS: [Verdict; 3] = [Verdict::ChangedLines, Verdict::Calls, Verdict::OtherInFile];

/// The judgement of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judgement {
    /// There is nothing to explain.
    Nothing,
    Right,
    /// A change of executed lines is called something else.
    Missed,
    /// A change of lines that do not run is called one of lines that do.
    FalseAlarm,
}

fn judge(named: &Named<'_>) -> Judgement {
    let Pair { explanation, .. } = named.pair;
    match (named.touched, named.pair.differs(), explanation.verdict) {
        (_, _, Some(Verdict::ChangedLines)) if named.touched != Touched::Executed => {
            Judgement::FalseAlarm
        }
        (Touched::Executed, Differs::Instructions | Differs::Accesses, verdict) => match verdict {
            Some(verdict) if YOURS.contains(&verdict) => Judgement::Right,
            _ => Judgement::Missed,
        },
        (_, Differs::Nothing, _) => Judgement::Nothing,
        _ => Judgement::Right,
    }
}

/// Returns the verdicts about changes of executed lines, and about differences without one.
fn verdicts(one: &Series, series: &[Series]) -> String {
    let pairs = pairs(one, series);
    let number = |judgement| pairs.iter().filter(|named| judge(named) == judgement).count();
    let is_executed = |named: &&Named<'_>| named.touched == Touched::Executed;
    let is_change = |named: &&Named<'_>| {
        matches!(named.pair.differs(), Differs::Instructions | Differs::Accesses)
    };
    let is_noise =
        |named: &&Named<'_>| !is_executed(named) && named.pair.differs() != Differs::Nothing;
    format!(
        "\n{}: {} not called yours and {} called yours wrongly\n  changes of executed lines: {}\n  \
         differences without one: {}\n",
        one.units,
        number(Judgement::Missed),
        number(Judgement::FalseAlarm),
        by_verdict(pairs.iter().filter(is_executed).filter(is_change)),
        by_verdict(pairs.iter().filter(is_noise))
    )
}

/// Returns the number of pairs, and those of each verdict.
fn by_verdict<'a>(pairs: impl Iterator<Item = &'a Named<'a>>) -> String {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for named in pairs {
        let verdict = named.pair.explanation.verdict;
        let name = verdict.map_or("no verdict".to_owned(), |verdict| format!("{verdict:?}"));
        *numbers.entry(name).or_default() += 1;
    }
    let all: usize = numbers.values().sum();
    let verdicts: Vec<_> =
        numbers.iter().map(|(verdict, number)| format!("{verdict} {number}")).collect();
    format!("{all} ({})", verdicts.join(", "))
}

/// Lists the pairs that are noise or have a wrong verdict.
fn list(one: &Series, series: &[Series]) -> String {
    let mut text = format!("\n## {}, {}\n\n", one.harness.id(), one.units);
    for (subject, record) in &one.records {
        for left_out in &record.left_out {
            writeln!(text, "{}: left out: {left_out}", subject.name).expect("a string takes all");
        }
    }
    for named in pairs(one, series) {
        let judgement = judge(&named);
        let is_noise =
            named.touched != Touched::Executed && named.pair.differs() != Differs::Nothing;
        let is_wrong = matches!(judgement, Judgement::Missed | Judgement::FalseAlarm);
        if !(is_noise || is_wrong && one.harness == Harness::Ours) {
            continue;
        }
        let Named { subject, revision, benchmark, pair, touched } = named;
        writeln!(
            text,
            "{subject}: {revision}: {benchmark}: {touched:?}, {:?} {:+.2} %, {:?}, printed {:?}",
            pair.differs(),
            pair.percentage(),
            pair.explanation.verdict,
            pair.change
        )
        .expect("a string takes all");
        if is_wrong && one.harness == Harness::Ours {
            for line in &pair.explanation.text {
                writeln!(text, "    {line}").expect("a string takes all");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histories::record::{Counts, StoredExplanation};

    fn judged(touched: Touched, instructions: [u64; 2], verdict: Option<Verdict>) -> Judgement {
        let [old, new] =
            instructions.map(|count| Counts::from([("Instructions".to_owned(), count)]));
        let explanation = StoredExplanation { verdict, text: Vec::new() };
        let pair = Pair { old, new, touched: Some(touched), explanation, ..Pair::default() };
        judge(&Named { subject: "s", revision: "r", benchmark: "b", pair: &pair, touched })
    }

    #[test]
    fn a_verdict_is_judged_by_the_lines_that_changed() {
        use Touched::{Executed, Nothing, OtherFunctions};
        let lines = Some(Verdict::ChangedLines);
        assert_eq!(judged(Executed, [1, 2], lines), Judgement::Right);
        assert_eq!(judged(Executed, [1, 2], Some(Verdict::Environment)), Judgement::Missed);
        assert_eq!(judged(Executed, [1, 1], None), Judgement::Nothing);
        assert_eq!(judged(OtherFunctions, [1, 2], Some(Verdict::CodeGeneration)), Judgement::Right);
        assert_eq!(judged(OtherFunctions, [1, 2], lines), Judgement::FalseAlarm);
        assert_eq!(judged(Nothing, [1, 2], lines), Judgement::FalseAlarm);
    }
}
