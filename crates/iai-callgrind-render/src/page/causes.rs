//! The causes of changes as cards: the source around the guilty line, and the benchmarks as bars.

use iai_callgrind_base::{note::counted, numbers::grouped};
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::{SourceExcerpt, SourceLine};
use maud::{Markup, html};

use super::entry::Entry;
use super::layout::{code_cell, header, line_class, name, path, scroll, terminal_text, unbroken};
use super::metrics::{change_text, class, compared_values};
use crate::chart::{ChangeScale, old_and_new};
use crate::format::{CauseGroup, change, deciding, group_by_cause, largest_change, range_text};

/// Number of cards that are open.
const OPEN: usize = 2;

/// Maximum number of cards.
const CARDS: usize = 20;

/// Number of benchmarks of a card that are shown at first, and at most.
const SHOWN: usize = 6;
const BENCHMARKS: usize = 200;

/// Returns the benchmarks that changed, by their causes.
pub(super) fn groups<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> Vec<CauseGroup<'a>> {
    let changed = entries.filter(|entry| entry.category.is_difference());
    group_by_cause(changed.map(|entry| entry.summary))
}

/// Returns the section with a card for each cause.
pub(super) fn section<'a>(
    groups: &[CauseGroup<'a>],
    entry_of: impl Fn(&Summary) -> Option<&'a Entry<'a>>,
) -> Markup {
    let more = groups.len().saturating_sub(CARDS);
    html! { @if !groups.is_empty() {
        section {
            h2 id="causes" { "Causes" }
            @for (index, group) in groups.iter().take(CARDS).enumerate() {
                @let entries: Vec<_> =
                    group.summaries.iter().filter_map(|summary| entry_of(summary)).collect();
                (card(group, &entries, index < OPEN))
            }
            @if more > 0 { p { "The benchmarks of " (counted(more, "other cause")) " are in the table." } }
        }
    } }
}

fn card(group: &CauseGroup<'_>, entries: &[&Entry<'_>], is_open: bool) -> Markup {
    let tools = || group.summaries.iter().flat_map(|summary| &summary.tools);
    let is_explained = tools().any(|tool| tool.explanation.is_some());
    let unknown = if is_explained { "Without a known cause" } else { "Not explained" };
    let title = group.cause.map_or(unknown, |cause| &*cause.text);
    let first = entries.first();
    let source = first.and_then(|entry| excerpt(entry.summary));
    let scale = ChangeScale::of(entries.iter().filter_map(|entry| percentage(entry.summary)));
    let (shown, others) = split(entries);
    let left_out = others.len().saturating_sub(BENCHMARKS);
    html! {
        details.card open[is_open] {
            summary {
                span.title { (path(title)) }
                span.range { (counted(entries.len(), "benchmark")) ", " (unbroken(&range_text(&group.summaries))) }
            }
            div.cause {
                @if let Some(first) = first {
                    div {
                        @if let Some(source) = source { (source_table(source, first.summary)) }
                        (explanation(first))
                    }
                }
                div.benchmarks {
                    @for entry in &shown { (bar(entry, &scale)) }
                    @if !others.is_empty() { details {
                        summary { (grouped(others.len() as u64)) " more in between" }
                        @for entry in others.iter().take(BENCHMARKS) { (bar(entry, &scale)) }
                        @if left_out > 0 { p { (grouped(left_out as u64)) " others are in the table." } }
                    } }
                }
            }
        }
    }
}

/// Splits benchmarks into those that are shown at first and the others. The shown ones are spread
/// over the whole order, so that their bars show the range of the changes.
fn split<T: Copy>(entries: &[T]) -> (Vec<T>, Vec<T>) {
    let last = entries.len().saturating_sub(1);
    if entries.len() <= SHOWN + 2 {
        return (entries.to_vec(), Vec::new());
    }
    let is_shown = |index: usize| (0..SHOWN).any(|number| number * last / (SHOWN - 1) == index);
    let (shown, others): (Vec<_>, Vec<_>) =
        entries.iter().enumerate().partition(|(index, _)| is_shown(*index));
    let entries = |part: Vec<(usize, &T)>| part.into_iter().map(|(_, entry)| *entry).collect();
    (entries(shown), entries(others))
}

/// Returns the source around the line that a benchmark's change comes from.
pub(super) fn excerpt(summary: &Summary) -> Option<&SourceExcerpt> {
    let mut explanations = summary.tools.iter().filter_map(|tool| tool.explanation.as_ref());
    explanations.find_map(|explanation| explanation.source.as_ref())
}

fn percentage(summary: &Summary) -> Option<f64> {
    change(deciding(summary)?).percentage()
}

/// Returns the link to a benchmark with its change as a bar.
fn bar(entry: &Entry<'_>, scale: &ChangeScale) -> Markup {
    let summary = entry.summary;
    let metric = deciding(summary);
    let mut regressions = summary.tools.iter().flat_map(|tool| &tool.regressions);
    html! {
        div.benchmark {
            a href=(entry.file) { (path(&summary.name)) }
            @if let Some(metric) = metric {
                @let change = change(metric);
                @let class = class(metric, change).unwrap_or_default();
                span class=(format!("change {class}")) { (change_text(change)) }
                small { @match regressions.next() {
                    Some(regression) => (unbroken(&regression.message)),
                    None => { (metric.label) ": " (compared_values(metric)) },
                } }
                (scale.bar(change.percentage().unwrap_or(0.0), class))
            }
        }
    }
}

fn explanation(entry: &Entry<'_>) -> Markup {
    let lines = entry.explanation();
    html! { @if !lines.is_empty() {
        details.explanation {
            summary {
                @if largest_change(entry.summary) > 0.0 { "Explanation of the largest change: " }
                @else { "Explanation: " }
                (path(&entry.summary.name))
            }
            (terminal_text(&entry.summary.name, lines))
        }
    } }
}

/// Returns the lines around the guilty one, with their costs on both sides.
pub(super) fn source_table(source: &SourceExcerpt, summary: &Summary) -> Markup {
    let costs = source.lines.iter().flat_map(|line| [line.old, line.new]).flatten();
    let largest = costs.max().unwrap_or(0);
    let texts = source.lines.iter().filter_map(|line| line.text.as_deref());
    let texts = texts.filter(|text| !text.trim().is_empty());
    let indentation = texts.map(|text| text.len() - text.trim_start_matches(' ').len()).min();
    let columns = [
        ("Old", "number"),
        ("New", "number"),
        ("Old and new", ""),
        ("Line", "number"),
        ("Code", ""),
    ];
    let table = html! { table.source {
        (header(columns.map(Some)))
        tbody { @for line in &source.lines { (source_row(line, largest, indentation.unwrap_or(0))) } }
    } };
    html! {
        figure.excerpt {
            figcaption {
                code { (name(&source.file)) }
                ": instructions of each line with the code that it calls, in " (path(&summary.name))
            }
            (scroll(&format!("Source of {} in {}", source.file, summary.name), &table))
        }
    }
}

/// Returns a line without the indentation that all lines have in common.
fn source_row(line: &SourceLine, largest: u64, indentation: usize) -> Markup {
    let text = line.text.as_ref().map(|text| text.get(indentation..).unwrap_or_default());
    let number = |cost: Option<u64>| cost.map(grouped).unwrap_or_default();
    html! { tr class=[line_class(line.change)] {
        td.number { (number(line.old)) }
        td.number { (number(line.new)) }
        td.bars { @if let Some((old, new)) = line.old.zip(line.new) { (old_and_new(old, new, largest)) } }
        th.number scope="row" { (line.number) }
        (code_cell(line.change, text, "(not known)"))
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmarks_that_are_shown_have_the_largest_and_the_smallest_change() {
        let numbers: Vec<usize> = (0..100).collect();
        let (shown, others) = split(&numbers[..8]);
        assert_eq!((shown.len(), others.len()), (8, 0));
        for number in [9, 50, 100] {
            let (shown, others) = split(&numbers[..number]);
            assert_eq!((shown.len(), others.len()), (SHOWN, number - SHOWN));
            assert_eq!((shown[0], shown[SHOWN - 1]), (0, number - 1));
            assert!(shown.is_sorted() && others.is_sorted());
        }
        assert_eq!(split(&numbers).0, [0, 19, 39, 59, 79, 99]);
        assert_eq!(split::<usize>(&[]), (vec![], vec![]));
    }
}
