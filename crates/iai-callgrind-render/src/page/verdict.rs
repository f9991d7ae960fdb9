//! The verdict of a run in one sentence, and the numbers of benchmarks behind it.

use std::collections::BTreeMap;

use iai_callgrind_base::{note::counted, numbers::grouped};
use iai_callgrind_summary::Summary;
use maud::{Markup, html};

use super::entry::{key, symbol};
use super::layout::{path, unbroken};
use crate::format::{Category, CauseGroup, range_text};

/// Numbers of benchmarks by category, the most important first.
pub(super) type Tally = BTreeMap<Category, usize>;

/// Returns the sentence, after a symbol in the colour of the most important category.
pub(super) fn verdict(tally: &Tally, groups: &[CauseGroup<'_>]) -> Markup {
    let first = tally.keys().next().copied().unwrap_or(Category::Unchanged);
    html! {
        p.verdict {
            span class=(format!("sign {}", key(first))) aria-hidden="true" { (symbol(first)) }
            span { (path(&unbroken(&sentence(tally, groups)))) }
        }
    }
}

fn sentence(tally: &Tally, groups: &[CauseGroup<'_>]) -> String {
    let all = tally.values().sum();
    let benchmarks = counted(all, "benchmark");
    let number = |category| tally.get(&category).copied().unwrap_or(0);
    let parts: Vec<_> = [
        (Category::Failed, "failed", "failed"),
        (Category::Regressed, "exceeds a limit", "exceed limits"),
        (Category::Worse, "is worse", "are worse"),
        (Category::Better, "is better", "are better"),
    ]
    .into_iter()
    .filter_map(|(category, one, more)| match number(category) {
        0 => None,
        1 => Some((1, one)),
        number => Some((number, more)),
    })
    .collect();
    let Some(((first, text), others)) = parts.split_first() else {
        return without_changes(tally, all, &benchmarks);
    };
    let mut sentence = format!("{} of {benchmarks} {text}", grouped(*first as u64));
    for (index, (number, text)) in others.iter().enumerate() {
        let and = if index + 1 == others.len() { " and" } else { "," };
        sentence = format!("{sentence}{and} {} {text}", grouped(*number as u64));
    }
    let known: Vec<_> =
        groups.iter().filter_map(|group| Some((group.cause?, &group.summaries))).collect();
    match &known[..] {
        [] => sentence + ".",
        [(cause, summaries)] if known.len() == groups.len() => {
            format!("{sentence}, {}: {}.", range_text(summaries), cause.text)
        }
        [(cause, summaries), ..] => {
            let worse = worse(summaries);
            let (order, shown) =
                if worse.is_empty() { ("first", *summaries) } else { ("worst", &worse) };
            format!(
                "{sentence}, for {}. The {order}, {}: {}.",
                counted(known.len(), "known cause"),
                range_text(shown),
                cause.text
            )
        }
    }
}

/// Returns the benchmarks that became worse.
fn worse<'a>(summaries: &[&'a Summary]) -> Vec<&'a Summary> {
    let summaries = summaries.iter().copied();
    summaries.filter(|summary| Category::of(summary) <= Category::Worse).collect()
}

/// Returns the sentence of a run without changes.
fn without_changes(tally: &Tally, all: usize, benchmarks: &str) -> String {
    let number = |category| tally.get(&category).copied().unwrap_or(0);
    let (new, moved) = (number(Category::New), number(Category::CachesOnly));
    if new == all {
        return format!("{benchmarks}, without earlier results to compare with.");
    }
    let sentence = match new {
        0 => format!("Nothing changed in {benchmarks}"),
        1 => format!("Nothing changed in {}, and 1 is new", counted(all - 1, "benchmark")),
        new => {
            let (unchanged, new) = (counted(all - new, "benchmark"), grouped(new as u64));
            format!("Nothing changed in {unchanged}, and {new} are new")
        }
    };
    match moved {
        0 => sentence + ".",
        moved => format!("{sentence}; {moved} moved in caches only."),
    }
}

/// Returns the numbers of benchmarks of each category as parts of a bar, with a legend.
pub(super) fn tally_bar(tally: &Tally) -> Markup {
    html! {
        div.tally aria-hidden="true" { @for (category, number) in tally {
            span class=(key(*category)) style=(format!("flex-grow:{number}")) {}
        } }
        ul.legend { @for (category, number) in tally { li class=(key(*category)) {
            span aria-hidden="true" { (symbol(*category)) } " "
            span { (grouped(*number as u64)) " " (category.text(*number)) }
        } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries::summary;

    fn sentence(tally: &[(Category, usize)]) -> String {
        super::sentence(&tally.iter().copied().collect(), &[])
    }

    #[test]
    fn a_run_has_one_sentence() {
        use Category::{Better, CachesOnly, Failed, New, Regressed, Unchanged, Worse};
        for (tally, text) in [
            (&[(New, 3)][..], "3 benchmarks, without earlier results to compare with."),
            (&[(Unchanged, 1)], "Nothing changed in 1 benchmark."),
            (
                &[(New, 1), (CachesOnly, 2), (Unchanged, 4)],
                "Nothing changed in 6 benchmarks, and 1 is new; 2 moved in caches only.",
            ),
            (&[(Regressed, 1), (Unchanged, 4)], "1 of 5 benchmarks exceeds a limit."),
            (
                &[(Failed, 1), (Worse, 2000), (Better, 1)],
                "1 of 2,002 benchmarks failed, 2,000 are worse and 1 is better.",
            ),
        ] {
            assert_eq!(sentence(tally), text);
        }
    }

    #[test]
    fn names_in_the_sentence_break_between_their_words() {
        let cause = iai_callgrind_summary::explanation::Cause {
            name: "parser::scan_while".to_owned(),
            text: "parser::scan_while, src/lib.rs:9 changed".to_owned(),
            function: None,
            file: None,
            line: None,
            is_removed_line: false,
            possible_lines: Vec::new(),
        };
        let slower = summary("f", 150, Some(100));
        let groups = [CauseGroup { cause: Some(&cause), summaries: vec![&slower] }];
        let tally = [(Category::Worse, 1)].into_iter().collect();
        let text = verdict(&tally, &groups).into_string();
        assert!(text.contains("parser::<wbr>scan_<wbr>while"), "{text}");
    }

    #[test]
    fn the_worst_cause_has_no_improvement() {
        let summaries = [(150, 100), (20, 100), (101, 100)];
        let summaries = summaries.map(|(new, old)| summary("f", new, Some(old)));
        let all: Vec<_> = summaries.iter().collect();
        assert_eq!(range_text(&all), "-80 % to +50 %");
        assert_eq!(range_text(&worse(&all)), "+1 % to +50 %");
        assert!(worse(&all[1..2]).is_empty());
    }
}
