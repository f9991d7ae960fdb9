//! The page of a benchmark: a function for each section, in the order of the page.

use iai_callgrind_summary::{Summary, Tool};
use maud::{Markup, html};

use super::compared::compared;
use super::details::{Details, Flamegraph};
use super::entry::{Entry, START, badge};
use super::group::{GroupPage, chart};
use super::layout::{name, page, path, unbroken};
use super::metrics::{change_text, class, compared_values, groups, main_metric};
use super::{causes, explanation, time};
use crate::format::{change, deciding};

/// The parts of a page that are not in the summary.
pub(super) struct Parts<'a> {
    pub(super) details: Result<Details, String>,
    pub(super) history: Option<Markup>,
    /// Charts of the growth with the size of the input, as SVG.
    pub(super) growth: Vec<String>,
    /// The page of the group, if its functions have the same inputs.
    pub(super) group: Option<&'a GroupPage<'a>>,
}

/// Returns the page.
pub(super) fn render(entry: &Entry<'_>, parts: &Parts<'_>) -> String {
    let summary = entry.summary;
    let details = parts.details.as_ref();
    let source = details.ok().and_then(|details| details.excerpt.as_ref());
    let content = html! {
        (problems(summary))
        (explanation::section(summary, source.or_else(|| causes::excerpt(summary))))
        (metrics(summary))
        @if let Some(time) = &summary.time { (time::section(time)) }
        @if let Some(history) = &parts.history { (history) }
        (growth(&parts.growth, summary))
        @match details {
            Ok(details) => {
                (flamegraphs(details))
                @if let Some(functions) = &details.functions { (functions.section()) }
                (source_lines(details))
            },
            Err(reason) => p { "Functions, source lines and flamegraphs are missing: " (reason) },
        }
        (environment(summary))
    };
    page(&summary.name, &header(entry, parts.group), &content)
}

/// Returns the name of the benchmark, its change in one line, and what it is compared with.
fn header(entry: &Entry<'_>, group: Option<&GroupPage<'_>>) -> Markup {
    let summary = entry.summary;
    let metric = deciding(summary).or_else(|| main_metric(summary).map(|main| main.metric));
    html! {
        nav { a href=(format!("../{START}")) { "← All benchmarks" } }
        h1 { (path(&summary.name)) }
        p.verdict {
            (badge(entry.category))
            @if let Some(metric) = metric {
                @let change = change(metric);
                span {
                    (metric.label) " "
                    @if metric.old.is_some() {
                        strong class=[class(metric, change)] { (unbroken(&change_text(change))) } ", "
                        (compared_values(metric))
                    } @else {
                        strong { (super::metrics::value(metric.new)) }
                    }
                }
            }
            @if let Some(time) = &summary.time { (time::headline(time)) }
        }
        dl.compared {
            @if let Some(arguments) = summary.arguments.as_ref().filter(|text| !text.is_empty()) {
                dt { "Input" } dd { code { (name(arguments)) } @if let Some(size) = summary.size { ", size " (size) } }
            }
            @if let Some(id) = &summary.external_id { dt { "Also known as" } dd { (name(id)) } }
            dt { "Package" } dd { (name(&summary.package)) }
            @if let Some(group) = group {
                dt { "Group" } dd { a href=(format!("../{}", group.file)) { (path(&group.table.group)) } }
            }
        }
        (compared(&[summary]))
        (varying(summary))
    }
}

/// Returns what the same code asks the machine for, if that can be the reason for another count.
fn varying(summary: &Summary) -> Markup {
    let values = summary.tools.iter().flat_map(|tool| &tool.varies_with);
    let texts: Vec<_> = values.map(|value| &*value.text).collect();
    html! { @if !texts.is_empty() {
        p.warning {
            span aria-hidden="true" { "⚠ " }
            "The count can vary: the benchmark " (name(&texts.join(", ")))
        }
    } }
}

/// Returns errors and exceeded limits.
fn problems(summary: &Summary) -> Markup {
    let regressions: Vec<_> = summary.tools.iter().flat_map(|tool| &tool.regressions).collect();
    html! {
        @if let Some(error) = &summary.error { pre.failed { (error) } }
        @if !regressions.is_empty() {
            ul.failed { @for regression in regressions { li { "Limit exceeded: " (unbroken(&regression.message)) } } }
        }
    }
}

fn metrics(summary: &Summary) -> Markup {
    html! { @if !summary.tools.is_empty() {
        section {
            h2 id="metrics" { "Metrics" }
            @for tool in &summary.tools { (groups(tool)) }
        }
    } }
}

fn growth(charts: &[String], summary: &Summary) -> Markup {
    let fits = summary.growth.iter().flat_map(|growth| &growth.tools);
    let fits = fits.flat_map(|tool| tool.metrics.values());
    let fits: Vec<_> = fits.filter_map(|metric| Some((metric, metric.new.as_ref()?))).collect();
    html! { @if !charts.is_empty() {
        section {
            h2 id="growth" { "Growth with the size of the input" }
            @if !fits.is_empty() { ul { @for (metric, fit) in fits { li {
                (metric.label) ": O(" (fit.class) "), " (fit.formula)
                @if let Some(change) = &metric.change { "; " (change.text) }
            } } } }
            @for (index, svg) in charts.iter().enumerate() { (chart(index, svg)) }
        }
    } }
}

fn flamegraphs(details: &Details) -> Markup {
    html! { @if !details.flamegraphs.is_empty() {
        section {
            h2 id="flamegraphs" { "Flamegraphs" }
            p { "Click a frame to zoom, or select it with Tab and press Enter. Escape shows all again." }
            p.filter { label { "Search " input type="search" data-search; } }
            @for flamegraph in &details.flamegraphs { (picture(flamegraph)) }
        }
    } }
}

fn picture(flamegraph: &Flamegraph) -> Markup {
    let title = if flamegraph.is_differential {
        "Differential flamegraph: red frames cost more than before, blue ones less"
    } else {
        "Flamegraph of instructions"
    };
    html! {
        details open {
            summary { (title) }
            iframe.flamegraph title=(title) style=[flamegraph.style()] loading="lazy" srcdoc=(flamegraph.document()) {}
        }
    }
}

fn source_lines(details: &Details) -> Markup {
    html! {
        @if let Some(source) = &details.source { (source.section()) }
        @if let Some(reason) = &details.no_source {
            section { h2 { "Source" } p { "No source lines: " (reason) "." } }
        }
    }
}

/// Returns builds and machines.
fn environment(summary: &Summary) -> Markup {
    let known =
        |tool: &Tool| tool.environment.clone().map(|environment| (tool.tool.clone(), environment));
    let environments: Vec<_> = summary.tools.iter().filter_map(known).collect();
    html! { @if !environments.is_empty() {
        section {
            h2 id="environment" { "Build and machine" }
            @for (tool, environment) in &environments { details {
                summary { (tool) }
                dl { @for (name, value) in environment { dt { (name) } dd { (value) } } }
            } }
        }
    } }
}
