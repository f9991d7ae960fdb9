//! The head of a page: commits, baseline and machine of the results that are compared.

use std::collections::{BTreeMap, BTreeSet};

use iai_callgrind_base::note::counted;
use iai_callgrind_revisions::commit_of_kept;
use iai_callgrind_summary::{Commit, Commits, Summary};
use iai_callgrind_tools::fingerprint::{FingerprintChange, changes_text};
use maud::{Markup, html};

use super::layout::name;

/// Number of digits of a commit that are shown.
const SHORT: usize = 12;

/// Names in an environment that describe the machine.
const MACHINE: [&str; 3] = ["target", "compiler", "Valgrind"];

/// Maximum number of different comparisons that are listed.
const MOST: usize = 3;

/// Returns what was compared with what, the old side first.
pub(super) fn compared(summaries: &[&Summary]) -> Markup {
    let mut comparisons: BTreeMap<_, (usize, &Commits)> = BTreeMap::new();
    for commits in summaries.iter().filter_map(|summary| summary.commits.as_ref()) {
        let id = |commit: &Option<Commit>| {
            commit.as_ref().map(|commit| (commit.id.clone(), commit.uncommitted > 0))
        };
        let key = (id(&commits.old), id(&commits.new));
        comparisons.entry(key).or_insert((0, commits)).0 += 1;
    }
    let mut comparisons: Vec<_> = comparisons.into_values().collect();
    comparisons.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    let more = comparisons.len().saturating_sub(MOST);
    let (new, old) = baselines(summaries);
    let has_old = summaries.iter().any(|summary| is_compared(summary));
    html! {
        dl.compared {
            @for (number, commits) in comparisons.iter().take(MOST) {
                @let of = (comparisons.len() > 1).then(|| counted(*number, "benchmark"));
                @if let Some(commit) = &commits.old { (side("Old", commit, of.as_deref(), &old)) }
                @if let Some(commit) = &commits.new { (side("New", commit, of.as_deref(), &new)) }
            }
            @if more > 0 { dt { "And" } dd { (counted(more, "other pair")) " of commits" } }
            @if comparisons.is_empty() && has_old {
                dt { "Old" } dd { (old) }
                dt { "New" } dd { (new) }
            }
            (machine(summaries))
        }
        (environment_changes(summaries))
    }
}

fn is_compared(summary: &Summary) -> bool {
    summary.tools.iter().flat_map(|tool| tool.total.values()).any(|metric| metric.old.is_some())
}

/// Returns the names of the new and of the old results.
fn baselines(summaries: &[&Summary]) -> (String, String) {
    let names = |side: fn(&Summary) -> &Option<String>, last: &str| {
        let text = |name: &Option<String>| match name {
            None => last.to_owned(),
            // Each file keeps its own of a commit
            Some(name) if commit_of_kept(name).is_some() => {
                "measured for this comparison".to_owned()
            }
            Some(name) => format!("baseline {name}"),
        };
        let names: BTreeSet<_> = summaries.iter().map(|summary| text(side(summary))).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let new = names(|summary| &summary.baselines.new, "this run");
    (new, names(|summary| &summary.baselines.old, "the run before"))
}

/// Returns a side of the comparison.
fn side(title: &str, commit: &Commit, of: Option<&str>, result: &str) -> Markup {
    html! {
        dt { (title) }
        dd {
            code { (commit.id.get(..SHORT).unwrap_or(&commit.id)) }
            @if let Some(subject) = &commit.subject { " " strong { (name(subject)) } }
            small {
                @if let Some(date) = &commit.date { (date) ", " }
                (result)
                @if commit.uncommitted > 0 {
                    ", with uncommitted changes of " (counted(commit.uncommitted, "file"))
                }
                @if let Some(of) = of { ", " (of) }
            }
        }
    }
}

/// Returns the machine of the new results if all of them have the same.
fn machine(summaries: &[&Summary]) -> Markup {
    let environments = summaries.iter().flat_map(|summary| &summary.tools);
    let environments: Vec<_> = environments.filter_map(|tool| tool.environment.as_ref()).collect();
    let value = |key: &str| {
        let values: BTreeSet<_> =
            environments.iter().filter_map(|environment| environment.get(key)).collect();
        let only = values.len() == 1;
        let text = values.first().filter(|_| only).map(|text| (*text).clone())?;
        Some(if key == "Valgrind" {
            format!("Valgrind {}", text.trim_start_matches("valgrind-"))
        } else {
            text
        })
    };
    let values: Vec<_> = MACHINE.into_iter().filter_map(value).collect();
    html! { @if !values.is_empty() {
        dt { "Machine" }
        dd { (name(&values.join(" · "))) }
    } }
}

fn environment_changes(summaries: &[&Summary]) -> Markup {
    let changes = summaries.iter().flat_map(|summary| &summary.tools);
    let changes = changes.flat_map(|tool| &tool.environment_changes);
    let changes: BTreeSet<_> = changes
        .map(|change| FingerprintChange {
            name: change.name.clone(),
            old: change.old.clone(),
            new: change.new.clone(),
        })
        .collect();
    let changes: Vec<_> = changes.into_iter().collect();
    html! { @if !changes.is_empty() {
        p.warning {
            span aria-hidden="true" { "⚠ " }
            "The environment differs from that of the old results: " (changes_text(&changes))
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::sample_summaries::summary;

    #[test]
    fn results_that_each_file_keeps_of_a_commit_are_named_once() {
        let kept = |name: &str| {
            let mut summary = summary("slower", 12_345, Some(9_000));
            summary.baselines.old = Some(name.to_owned());
            summary
        };
        let [first, second] = ["69cb515883e5-33015c4f", "69cb515883e5-9c73a896"].map(kept);
        let (new, old) = baselines(&[&first, &second]);
        assert_eq!([&*new, &*old], ["this run", "measured for this comparison"]);
        assert_eq!(baselines(&[&kept("main")]).1, "baseline main");
    }
}
