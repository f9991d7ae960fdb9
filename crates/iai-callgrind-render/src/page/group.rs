//! The page of a group whose functions have the same inputs: a table of functions and inputs, and charts of their growth.

use std::collections::HashMap;

use iai_callgrind_summary::Summary;
use maud::{Markup, PreEscaped, html};

use super::entry::{Entry, PAGES, START};
use super::file_name::FileNames;
use super::layout::{header, name, page, path, scroll};
use crate::group::{GroupCell, GroupTable, crossovers, tables_of};

/// Returns the groups of these benchmarks with the paths of their pages.
pub(super) fn groups<'a>(
    summaries: &[Summary],
    entries: &'a [Entry<'a>],
    names: &mut FileNames,
) -> Vec<GroupPage<'a>> {
    let page = |table: GroupTable| {
        let file = format!("{PAGES}/{}.html", names.add_name(&table.package, &table.group));
        let entries = entries.iter().filter(|entry| table.has(entry.summary)).collect();
        GroupPage { crossovers: crossovers(&table, summaries), table, file, entries }
    };
    tables_of(summaries).into_iter().map(page).collect()
}

/// A group with its page.
pub(super) struct GroupPage<'a> {
    pub(super) table: GroupTable,
    /// The path of the page, relative to the start page.
    pub(super) file: String,
    /// Sentences about the sizes at which functions cross.
    pub(super) crossovers: Vec<String>,
    /// The benchmarks.
    pub(super) entries: Vec<&'a Entry<'a>>,
}

impl GroupPage<'_> {
    /// Returns true if a benchmark is in the group.
    pub(super) fn has(&self, entry: &Entry<'_>) -> bool {
        self.entries.iter().any(|other| other.file == entry.file)
    }

    /// Returns the page with these charts as SVG.
    pub(super) fn render(&self, charts: &[String]) -> String {
        let title = &self.table.group;
        let header = html! {
            nav { a href=(format!("../{START}")) { "← All benchmarks" } }
            h1 { (path(title)) }
            p.verdict { span { (summary(&self.table)) } }
            @for sentence in &self.crossovers { p { (name(sentence)) } }
        };
        let content = html! {
            section {
                h2 id="inputs" { (self.table.subtitle()) }
                (table(&self.table))
            }
            @if !charts.is_empty() {
                section {
                    h2 id="growth" { "Growth with the size of the input" }
                    @for (index, svg) in charts.iter().enumerate() { (chart(index, svg)) }
                }
            }
            section {
                h2 id="benchmarks" { "Benchmarks" }
                ul { @for entry in &self.entries { li {
                    a href=(format!("../{}", entry.file)) { (path(&entry.summary.name)) }
                    @if entry.category.is_change() { " " (entry.category.text(1)) }
                } } }
            }
        };
        page(title, &header, &content)
    }
}

/// Returns a chart of the growth.
pub(super) fn chart(index: usize, svg: &str) -> Markup {
    html! {
        figure.growth { (scroll(&format!("Chart of the growth {}", index + 1), &PreEscaped(svg.to_owned()))) }
    }
}

/// Returns the section of the start page with the groups.
pub(super) fn section(groups: &[GroupPage<'_>]) -> Markup {
    html! { @if !groups.is_empty() {
        section {
            h2 id="groups" { "Groups" }
            @for group in groups { details.card {
                summary {
                    span.title { (path(&group.table.group)) }
                    span.range { (summary(&group.table)) }
                }
                (table(&group.table))
                @for sentence in &group.crossovers { p { (name(sentence)) } }
                p { a href=(group.file) { "Charts of " (path(&group.table.group)) } }
            } }
        }
    } }
}

/// Returns how often each function is the best one: `Iterative is best for 2 of 2 inputs`.
fn summary(table: &GroupTable) -> String {
    let mut wins: HashMap<&str, usize> = HashMap::new();
    for function in &table.functions {
        let cells = table.inputs.iter().filter_map(|input| table.cell(function, input));
        wins.insert(function, cells.filter(|cell| cell.is_best).count());
    }
    let all = table.inputs.len();
    let won = table.functions.iter().filter(|function| wins[&***function] > 0);
    let texts: Vec<_> =
        won.map(|function| format!("{function} for {}", wins[&**function])).collect();
    let (noun, plural) = (table.input_noun(), if all == 1 { "" } else { "s" });
    format!("best of {all} {noun}{plural}: {}", texts.join(", "))
}

fn table(table: &GroupTable) -> Markup {
    let (columns, rows) = table.rows();
    let is_by_input = columns.first().copied() == table.functions.first().map(String::as_str);
    let input = if table.are_sizes { "Size" } else { "Input" };
    let first = if is_by_input { input } else { "Function" };
    let columns = columns.into_iter().map(|name| Some((name, "number")));
    let content = html! { table.group {
        (header([Some((first, ""))].into_iter().chain(columns)))
        tbody { @for (row, cells) in &rows { tr {
            th scope="row" { (name(row)) }
            @for cell in cells { (group_cell(cell.as_ref())) }
        } } }
    } };
    scroll(&format!("{} of {}", table.metric, table.group), &content)
}

fn group_cell(cell: Option<&GroupCell>) -> Markup {
    let class = if cell.is_some_and(|cell| cell.is_best) { "number best" } else { "number" };
    html! { td class=(class) { @if let Some(GroupCell { text, is_best, factor }) = cell {
        @if *is_best { strong { (text) } } @else { (text) }
        @if *is_best { small { " best" } }
        @if let Some(factor) = factor { small { " " (format!("{factor:.2}×")) } }
    } } }
}
