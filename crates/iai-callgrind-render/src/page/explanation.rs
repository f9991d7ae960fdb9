//! The explanation of a benchmark's change: its cause, the source around it, and the functions with a change.

use iai_callgrind_base::{note::counted, numbers::grouped};
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::{Entry as Function, Explanation, Kind, SourceExcerpt};
use maud::{Markup, html};

use super::causes::source_table;
use super::functions::difference;
use super::layout::{header, name, path, scroll, terminal_text};
use crate::chart::old_and_new;

/// Maximum number of functions.
const MOST: usize = 12;

/// Returns the section of the page; nothing without an explanation.
pub(super) fn section(summary: &Summary, source: Option<&SourceExcerpt>) -> Markup {
    let mut explanations = summary.tools.iter().filter_map(|tool| tool.explanation.as_ref());
    html! { @if let Some(explanation) = explanations.next() {
        section {
            h2 id="change" { "Cause of the change" }
            @if let Some(cause) = &explanation.cause { p.lead { (path(&cause.text)) } }
            @if let Some(source) = source { (source_table(source, summary)) }
            (functions(explanation))
            details open[explanation.entries.is_empty()] {
                summary { "Explanation as on the terminal" }
                (terminal_text(&summary.name, &explanation.text))
            }
        }
    } }
}

fn functions(explanation: &Explanation) -> Markup {
    let entries = &explanation.entries;
    let costs = entries.iter().flat_map(|entry| [entry.old, entry.new]);
    let largest = costs.max().unwrap_or(0);
    let more = entries.len().saturating_sub(MOST);
    let columns = [
        ("Function", ""),
        ("Old", "number middle"),
        ("New", "number middle"),
        ("Change", "number"),
        ("Old and new", ""),
    ];
    let table = html! { table {
        caption { "Functions that changed, in instructions" }
        (header(columns.map(Some)))
        tbody { @for entry in entries.iter().take(MOST) { tr {
            th scope="row" { (function(entry)) }
            td.number.middle { (grouped(entry.old)) }
            td.number.middle { (grouped(entry.new)) }
            (difference(Some(entry.new), Some(entry.old)))
            td.bars { (old_and_new(entry.old, entry.new, largest)) }
        } } }
    } };
    html! { @if !entries.is_empty() {
        (scroll("Functions that changed", &table))
        @if more > 0 { p { (counted(more, "function")) " with smaller changes are left out." } }
    } }
}

/// Returns the name of a function with its place and what changed.
fn function(entry: &Function) -> Markup {
    html! {
        @match &entry.function {
            Some(function) => code { (path(function)) },
            None => "outside your code (libc, loader)",
        }
        small.block {
            @if let Some(file) = &entry.file {
                (name(file)) @if let Some(line) = entry.line { ":" (line) } ", "
            }
            (kind(entry.kind))
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::New => "new",
        Kind::Gone => "gone",
        Kind::Calls => "calls changed code",
        Kind::SameCode => "same machine code",
        Kind::OtherCode => "compiled differently",
        Kind::Inlined => "now inlined into its callers",
        Kind::NoLongerInlined => "no longer inlined into its callers",
        Kind::InCallers => "inlined into its callers",
        Kind::Unknown => "machine code not known",
    }
}
