//! The user's source lines with their costs.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_base::numbers::grouped;
use iai_callgrind_explain::{AnnotatedFile, AnnotatedLine, Annotation, LineCost};
use iai_callgrind_profile::files;
use iai_callgrind_summary::explanation::{Cause, LineChange, SourceExcerpt};
use maud::{Markup, html};

use super::excerpt::{Sources, excerpt};
use super::functions::{difference, share};
use super::layout::{code_cell, header, line_class, name, scroll};

/// Number of lines without a cost that are shown next to lines with one.
const CONTEXT: u32 = 2;

/// Number of lines in the table of the hottest ones.
const HOTTEST: usize = 10;

/// Annotated lines and the sources that they are in.
pub(super) struct AnnotatedSources {
    annotation: Annotation,
    /// The contents of the files, in the order of the annotation; `None` for one that can't be read.
    contents: Vec<Option<String>>,
    /// There are old costs, and one of them differs.
    has_changed: bool,
}

/// A line of the listing of a file.
struct Listed<'a> {
    number: u32,
    text: Option<&'a str>,
    costs: Option<&'a AnnotatedLine>,
}

/// A file with the lines to list.
struct Listing<'a> {
    file: &'a AnnotatedFile,
    lines: Vec<Listed<'a>>,
    /// The reason why there are no texts.
    problem: Option<&'static str>,
}

impl AnnotatedSources {
    /// Reads the sources of annotated lines, whose paths are relative to the workspace.
    pub(super) fn read(annotation: Annotation, workspace: &Path) -> Self {
        let read = |file: &AnnotatedFile| files::read_to_string(workspace.join(&file.path)).ok();
        let contents = annotation.files.iter().map(read).collect();
        let lines = annotation.files.iter().flat_map(|file| &file.lines);
        let mut costs = lines.flat_map(|line| [line.self_cost, line.inclusive]);
        let has_changed = annotation.total.old > 0 && costs.any(|cost| cost.change() != 0);
        Self { annotation, contents, has_changed }
    }

    /// Returns the lines around the line of a cause. The old source is given if it is known.
    pub(super) fn excerpt(&self, cause: &Cause, old: Option<&str>) -> Option<SourceExcerpt> {
        let mut files = self.annotation.files.iter().zip(&self.contents);
        let (_, content) = files.find(|(file, _)| Some(&file.path) == cause.file.as_ref())?;
        let sources = Sources { new: content.as_deref()?, old };
        excerpt(cause, &self.annotation, &sources)
    }

    /// Returns the section of the page.
    pub(super) fn section(&self) -> Markup {
        let listings: Vec<_> = self.listings().collect();
        let total = self.annotation.total;
        let no_line = self.annotation.no_line;
        let of_lines = LineCost { new: total.new - no_line.new, old: total.old - no_line.old };
        html! {
            section {
                h2 id="source" { "Source" }
                p {
                    (grouped(of_lines.new)) " of " (grouped(total.new)) " instructions (" (share(of_lines.new, total.new))
                    ") belong to lines of yours, with the inlined code of libraries; " (grouped(no_line.new))
                    " belong to no line of yours."
                    @if self.annotation.has_inclusive {
                        " Inclusive costs have all code that a line calls."
                    }
                }
                (self.hottest(&listings))
                @for (index, listing) in listings.iter().enumerate() { (self.file(index, listing)) }
            }
        }
    }

    fn listings(&self) -> impl Iterator<Item = Listing<'_>> {
        self.annotation
            .files
            .iter()
            .zip(&self.contents)
            .map(|(file, content)| listing(file, content.as_deref()))
    }

    /// Returns the table of the lines with the highest self costs.
    fn hottest(&self, listings: &[Listing<'_>]) -> Markup {
        let mut lines = Vec::new();
        for (index, listing) in listings.iter().enumerate() {
            let of_file = listing.lines.iter().filter_map(|line| Some((line, line.costs?)));
            lines.extend(of_file.map(|(line, costs)| (index, listing, line, costs)));
        }
        lines.sort_by_key(|(.., costs)| {
            Reverse((costs.self_cost.new.max(costs.self_cost.old), costs.inclusive.new))
        });
        lines.truncate(HOTTEST);
        let table = html! {
            table.source {
                caption { "Hottest lines" }
                (self.header())
                tbody { @for (index, listing, line, costs) in lines { tr style=(self.heat(costs)) class=[class(line)] {
                    (self.costs(costs))
                    th scope="row" { a href=(format!("#{}", anchor(index, line))) {
                        (name(&listing.file.path)) ":" (line.number) } }
                    (text(line))
                } } }
            }
        };
        scroll("Hottest lines", &table)
    }

    /// Returns the listing of a file. The hottest one is open.
    fn file(&self, index: usize, listing: &Listing<'_>) -> Markup {
        let cost = listing.file.self_cost();
        let mut last = None;
        let table = html! { table.source {
            (self.header())
            tbody { @for line in &listing.lines {
                @if last.replace(line.number).is_some_and(|last| line.number > last + 1) {
                    tr.gap { td colspan="9" { "⋯" } }
                }
                (self.line(index, line))
            } }
        } };
        html! {
            details open[index == 0] {
                summary {
                    (name(&listing.file.path)) ": " (grouped(cost.new)) " instructions ("
                    (share(cost.new, self.annotation.total.new)) ")"
                }
                @if let Some(problem) = listing.problem { p { (problem) } }
                (scroll(&listing.file.path, &table))
            }
        }
    }

    fn line(&self, index: usize, line: &Listed<'_>) -> Markup {
        let Some(costs) = line.costs else {
            let empty = self.columns();
            return html! { tr {
                @for _ in 0..empty { td {} }
                th.number scope="row" { (line.number) }
                (text(line))
            } };
        };
        html! { tr id=(anchor(index, line)) style=(self.heat(costs)) class=[class(line)] {
            (self.costs(costs))
            th.number scope="row" { (line.number) }
            (text(line))
        } }
    }

    /// Returns the number of columns of costs.
    fn columns(&self) -> usize {
        let each = 1 + usize::from(self.has_changed);
        each * (1 + usize::from(self.annotation.has_inclusive))
    }

    fn header(&self) -> Markup {
        let has_inclusive = self.annotation.has_inclusive;
        header([
            Some(("Self", "number")),
            self.has_changed.then_some(("Change", "number")),
            has_inclusive.then_some(("Inclusive", "number")),
            (has_inclusive && self.has_changed).then_some(("Change", "number")),
            Some(("Line", "number")),
            Some(("Code", "")),
        ])
    }

    fn costs(&self, line: &AnnotatedLine) -> Markup {
        let cells = |cost: LineCost| {
            html! {
                td.number { (grouped(cost.new)) }
                @if self.has_changed { (difference(Some(cost.new), Some(cost.old))) }
            }
        };
        html! {
            (cells(line.self_cost))
            @if self.annotation.has_inclusive { (cells(line.inclusive)) }
        }
    }

    /// Returns the style of a line, whose background shows the share of the total.
    fn heat(&self, line: &AnnotatedLine) -> String {
        let total = self.annotation.total.new.max(1);
        let share = line.self_cost.new as f64 / total as f64;
        format!("--heat:{:.2}", share.sqrt())
    }
}

fn text(line: &Listed<'_>) -> Markup {
    let change = change(line);
    code_cell(change, line.text, if change == LineChange::None { "" } else { "(removed line)" })
}

fn class(line: &Listed<'_>) -> Option<&'static str> {
    line_class(change(line))
}

/// Returns the change of a line that one of the sources does not contain, or that no longer runs.
fn change(line: &Listed<'_>) -> LineChange {
    match line.costs {
        Some(costs) if costs.is_gone => LineChange::Removed,
        Some(costs) if costs.is_changed => LineChange::Added,
        _ => LineChange::None,
    }
}

/// Returns the id of a line.
fn anchor(file: usize, line: &Listed<'_>) -> String {
    let gone = if line.costs.is_some_and(|costs| costs.is_gone) { "-old" } else { "" };
    format!("line-{file}-{}{gone}", line.number)
}

/// Lists the lines of a file with costs, and some around them.
fn listing<'a>(file: &'a AnnotatedFile, content: Option<&'a str>) -> Listing<'a> {
    let found = content.map(|content| (content, file.find_lines(content)));
    let (content, places) = match found {
        Some((content, Some(places))) => (content, places),
        Some((_, None)) => return without_texts(file, "The source changed since the run."),
        None => return without_texts(file, "The source is gone."),
    };
    let texts: Vec<_> = content.lines().collect();
    let last = u32::try_from(texts.len()).unwrap_or(u32::MAX);
    let mut lines: BTreeMap<(u32, bool), Listed<'a>> = BTreeMap::new();
    for (costs, place) in file.lines.iter().zip(places) {
        let (number, text) =
            place.map_or((costs.number, None), |(number, text)| (number, Some(text)));
        let text = text.filter(|_| number > 0);
        lines.insert((number, costs.is_gone), Listed { number, text, costs: Some(costs) });
        let around =
            number.saturating_sub(CONTEXT).max(1)..=number.saturating_add(CONTEXT).min(last);
        for number in around {
            let text = texts.get(number as usize - 1).copied();
            lines.entry((number, false)).or_insert(Listed { number, text, costs: None });
        }
    }
    // A line that is gone replaces one without costs at the same place
    let gone: Vec<u32> =
        lines.keys().filter(|(_, is_gone)| *is_gone).map(|(number, _)| *number).collect();
    for number in gone {
        let has_text = lines.get(&(number, true)).is_some_and(|line| line.text.is_some());
        if has_text && lines.get(&(number, false)).is_some_and(|line| line.costs.is_none()) {
            lines.remove(&(number, false));
        }
    }
    Listing { file, lines: lines.into_values().collect(), problem: None }
}

fn without_texts<'a>(file: &'a AnnotatedFile, problem: &'static str) -> Listing<'a> {
    let line =
        |line: &'a AnnotatedLine| Listed { number: line.number, text: None, costs: Some(line) };
    Listing { file, lines: file.lines.iter().map(line).collect(), problem: Some(problem) }
}
