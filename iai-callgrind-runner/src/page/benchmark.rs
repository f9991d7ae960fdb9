//! The page of a benchmark.

use iai_callgrind_summary::{Summary, Tool};
use maud::{Markup, PreEscaped, html};

use super::details::{Details, Flamegraph};
use super::entry::{Entry, START, badge, label};
use super::layout::{explanation, name, page};
use super::metrics::table;
use super::time;

/// The parts of a page that are not in the summary.
pub(super) struct Parts {
    pub(super) details: Result<Details, String>,
    pub(super) history: Option<Markup>,
    /// Charts of the growth with the size of the input, as SVG.
    pub(super) growth: Vec<String>,
}

/// Returns the page.
pub(super) fn render(entry: &Entry<'_>, parts: &Parts) -> String {
    let summary = entry.summary;
    let navigation = html! {
        nav { a href=(format!("../{START}")) { "← All benchmarks" } }
        h1 { (name(&summary.name)) }
        p {
            (badge(entry.category, label(entry.category))) " Package " (name(&summary.package))
            @if let Some(size) = summary.size { ", size " (size) }
            @if let Some(id) = &summary.external_id { ", " (name(id)) }
        }
        @if let Some(arguments) = summary.arguments.as_ref().filter(|text| !text.is_empty()) {
            p { "Arguments: " code { (name(arguments)) } }
        }
    };
    let content = html! {
        (problems(summary))
        (explanation(entry.explanation()))
        section aria-labelledby="metrics" {
            h2 id="metrics" { "Metrics" }
            @for tool in &summary.tools { (table(tool)) (environment(tool)) }
        }
        @if let Some(time) = &summary.time { (time::section(time)) }
        @if let Some(history) = &parts.history { (history) }
        (growth(&parts.growth, summary))
        @match &parts.details {
            Ok(details) => (sections(details)),
            Err(reason) => p { "Functions, source lines and flamegraphs are missing: " (reason) },
        }
    };
    page(&summary.name, &navigation, &content)
}

/// Returns errors and exceeded limits.
fn problems(summary: &Summary) -> Markup {
    let regressions: Vec<_> = summary.tools.iter().flat_map(|tool| &tool.regressions).collect();
    html! {
        @if let Some(error) = &summary.error { pre.failed { (error) } }
        @if !regressions.is_empty() {
            ul.failed { @for regression in regressions { li { (regression.message) } } }
        }
    }
}

/// Returns the build and the machine.
fn environment(tool: &Tool) -> Markup {
    html! {
        @if !tool.environment_changes.is_empty() {
            p.failed { "The environment differs from that of the old result:" }
            ul { @for change in &tool.environment_changes {
                li { (change.name) ": " (change.old) " → " (change.new) }
            } }
        }
        @if let Some(environment) = &tool.environment {
            details {
                summary { "Build and machine" }
                dl { @for (name, value) in environment { dt { (name) } dd { (value) } } }
            }
        }
    }
}

fn growth(charts: &[String], summary: &Summary) -> Markup {
    let fits = summary.growth.iter().flat_map(|growth| &growth.tools);
    let fits = fits.flat_map(|tool| tool.metrics.values());
    let fits: Vec<_> = fits.filter_map(|metric| Some((metric, metric.new.as_ref()?))).collect();
    html! { @if !charts.is_empty() {
        section aria-labelledby="growth" {
            h2 id="growth" { "Growth with the size of the input" }
            @if !fits.is_empty() { ul { @for (metric, fit) in fits { li {
                (metric.label) ": O(" (fit.class) "), " (fit.formula)
                @if let Some(change) = &metric.change { "; " (change.text) }
            } } } }
            @for svg in charts {
                figure.chart { div.scroll tabindex="0" role="region" aria-label="Chart of the growth" {
                    (PreEscaped(svg))
                } }
            }
        }
    } }
}

fn sections(details: &Details) -> Markup {
    html! {
        @if !details.flamegraphs.is_empty() {
            section aria-labelledby="flamegraphs" {
                h2 id="flamegraphs" { "Flamegraphs" }
                p { "Click a frame to zoom, or select it with Tab and press Enter. Escape shows all again." }
                p { label { "Search " input type="search" data-search; } }
                @for flamegraph in &details.flamegraphs { (picture(flamegraph)) }
            }
        }
        @if let Some(functions) = &details.functions { (functions.section()) }
        @if let Some(source) = &details.source { (source.section()) }
        @if let Some(reason) = &details.no_source {
            section { h2 { "Source" } p { "No source lines: " (reason) "." } }
        }
    }
}

fn picture(flamegraph: &Flamegraph) -> Markup {
    let title = if flamegraph.is_differential {
        "Differential flamegraph: red frames cost more than before, blue ones less"
    } else {
        "Flamegraph"
    };
    html! {
        details open {
            summary { (title) }
            iframe.flamegraph title=(title) style=[flamegraph.style()] loading="lazy" srcdoc=(flamegraph.document()) {}
        }
    }
}
