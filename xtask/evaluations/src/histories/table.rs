//! The tables of all histories that were run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use iai_callgrind_summary::ChangeKind;
use iai_callgrind_summary::explanation::Verdict;

use crate::counts::Differs;
use crate::harness::{Profile, header, row};
use crate::histories::diff::Touched;
use crate::histories::record::{Pair, Record};

/// The records of all crates with a build profile.
pub(crate) struct Series<'a> {
    pub(crate) profile: Profile,
    pub(crate) records: Vec<(&'a str, Record)>,
}

/// A pair with its name.
struct Named<'a> {
    name: String,
    pair: &'a Pair,
}

/// Returns the tables.
pub(crate) fn tables(series: &[Series<'_>]) -> String {
    let mut text = header(&[
        "codegen units",
        "changed code",
        "pairs",
        "other instructions",
        "only caches, reads or writes",
        "worse",
        "better",
        "moved in caches only",
    ]);
    for Series { profile, records } in series {
        let pairs = pairs(records);
        for touched in Touched::ALL {
            let of_class: Vec<_> = pairs
                .iter()
                .map(|named| named.pair)
                .filter(|pair| pair.touched == touched)
                .collect();
            let all = of_class.len().to_string();
            let cells =
                [vec![profile.to_string(), touched.text().to_owned(), all], numbers(&of_class)];
            text += &row(&cells.concat());
        }
    }
    for Series { profile, records } in series {
        text += &verdicts(*profile, &pairs(records));
    }
    for Series { profile, records } in series {
        write!(text, "\n## {profile}\n\n").expect(TAKES_ALL);
        for (subject, record) in records {
            for left_out in &record.left_out {
                writeln!(text, "{subject}: left out: {left_out}").expect(TAKES_ALL);
            }
        }
        list(&mut text, &pairs(records));
    }
    text
}

const TAKES_ALL: &str = "a string takes all";

fn pairs<'a>(records: &'a [(&str, Record)]) -> Vec<Named<'a>> {
    let steps = records
        .iter()
        .flat_map(|(subject, record)| record.steps.iter().map(move |step| (subject, step)));
    let pairs = steps.flat_map(|(subject, step)| {
        let title = &step.title;
        step.pairs.iter().map(move |(benchmark, pair)| Named {
            name: format!("{subject}: {title}: {benchmark}"),
            pair,
        })
    });
    pairs.collect()
}

/// Returns the numbers of pairs by what differs, and by the change that a run prints.
fn numbers(pairs: &[&Pair]) -> Vec<String> {
    let differs = |differs| pairs.iter().filter(|pair| pair.differs() == differs).count();
    let largest = pairs.iter().map(|pair| pair.percentage().abs()).fold(0.0, f64::max);
    let instructions = differs(Differs::Instructions);
    let up_to = if instructions > 0 { format!(", up to {largest:.2} %") } else { String::new() };
    let accesses = differs(Differs::Accesses) + differs(Differs::Caches);
    let printed = [ChangeKind::Worse, ChangeKind::Better, ChangeKind::CachesOnly]
        .map(|kind| pairs.iter().filter(|pair| pair.change == Some(kind)).count().to_string());
    [&[format!("{instructions}{up_to}"), accesses.to_string()][..], &printed].concat()
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
    /// A change of lines that do not run is called a change of lines that run.
    FalseAlarm,
}

fn judge(pair: &Pair) -> Judgement {
    let is_executed = pair.touched == Touched::Executed;
    match (pair.differs(), pair.verdict) {
        (_, Some(Verdict::ChangedLines)) if !is_executed => Judgement::FalseAlarm,
        (Differs::Instructions | Differs::Accesses, verdict) if is_executed => match verdict {
            Some(verdict) if YOURS.contains(&verdict) => Judgement::Right,
            _ => Judgement::Missed,
        },
        (Differs::Nothing, _) => Judgement::Nothing,
        _ => Judgement::Right,
    }
}

/// Returns true if the benchmark changed without a change of executed lines.
fn is_noise(pair: &Pair) -> bool {
    pair.touched != Touched::Executed && pair.differs() != Differs::Nothing
}

/// Returns the verdicts about changes of executed lines, and about differences without one.
fn verdicts(profile: Profile, pairs: &[Named<'_>]) -> String {
    let number = |judgement| pairs.iter().filter(|named| judge(named.pair) == judgement).count();
    let all = || pairs.iter().map(|named| named.pair);
    let changes = all().filter(|pair| {
        let is_change = matches!(pair.differs(), Differs::Instructions | Differs::Accesses);
        pair.touched == Touched::Executed && is_change
    });
    format!(
        "\n{profile}: {} not called yours and {} called yours wrongly\n  changes of executed lines: {}\n  \
         differences without one: {}\n",
        number(Judgement::Missed),
        number(Judgement::FalseAlarm),
        by_verdict(changes),
        by_verdict(all().filter(|pair| is_noise(pair)))
    )
}

/// Returns the number of pairs, and those of each verdict.
fn by_verdict<'a>(pairs: impl Iterator<Item = &'a Pair>) -> String {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for pair in pairs {
        let name = pair.verdict.map_or("no verdict".to_owned(), |verdict| format!("{verdict:?}"));
        *numbers.entry(name).or_default() += 1;
    }
    let all: usize = numbers.values().sum();
    let verdicts: Vec<_> =
        numbers.iter().map(|(verdict, number)| format!("{verdict} {number}")).collect();
    format!("{all} ({})", verdicts.join(", "))
}

/// Lists the pairs that are noise or have a wrong verdict.
fn list(text: &mut String, pairs: &[Named<'_>]) {
    for Named { name, pair } in pairs {
        let is_wrong = matches!(judge(pair), Judgement::Missed | Judgement::FalseAlarm);
        if !(is_noise(pair) || is_wrong) {
            continue;
        }
        writeln!(
            text,
            "{name}: {:?}, {:?} {:+.2} %, {:?}, printed {:?}",
            pair.touched,
            pair.differs(),
            pair.percentage(),
            pair.verdict,
            pair.change
        )
        .expect(TAKES_ALL);
        for line in pair.explanation.iter().filter(|_| is_wrong) {
            writeln!(text, "    {line}").expect(TAKES_ALL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Counts, INSTRUCTIONS};

    fn judged(touched: Touched, instructions: [u64; 2], verdict: Option<Verdict>) -> Judgement {
        let [old, new] = instructions.map(|count| Counts::from([(INSTRUCTIONS.to_owned(), count)]));
        judge(&Pair { old, new, touched, change: None, verdict, explanation: Vec::new() })
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
