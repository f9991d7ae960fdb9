//! The time of a benchmark: its verdict, and the observations that it is from.

use iai_callgrind_summary::time::{Estimate, Time, TimeVerdict};
use iai_callgrind_timing::text::{self, change, change_interval, duration, duration_interval};
use maud::{Markup, html};

use crate::chart::observations_chart;
use crate::format::time_verdict;

/// Returns the section about the time of a benchmark.
pub(super) fn section(time: &Time) -> Markup {
    let ratio = time.ratio.as_ref().map(|ratio| &ratio.wall);
    let number = time.processes.to_string();
    let units = match (time.layouts, &time.ratio) {
        (Some(number), _) => format!("{number} layouts of each side"),
        (None, Some(_)) => text::observations(&number, "pair of processes", "pairs of processes"),
        (None, None) => text::observations(&number, "process", "processes"),
    };
    let new = &time.new.wall;
    let old = time.old.as_ref().map(|old| duration(old.wall.value));
    html! {
        section {
            h2 id="time" { "Time" }
            p {
                @if let Some(old) = old.as_ref().filter(|_| ratio.is_some()) { (old) " → " }
                strong { (duration(new.value)) }
                @match ratio {
                    Some(ratio) => {
                        ": " strong { (change(ratio.value, ends(ratio))) }
                        @match ends(ratio) {
                            Some(ends) => { ", 95 % interval " (change_interval(Some(ends))) " %" },
                            None => { " " (change_interval(None)) },
                        }
                    },
                    None => { " " (duration_interval(new.value, ends(new))) },
                }
                ", from " (units) "."
                @if let Some(verdict) = time_verdict(time) { " Verdict: " strong { (verdict) } "." }
            }
            @if let Some((old, measured)) = old.as_ref().zip(time.old_measured.as_ref()) {
                p { "Stored: " (old) " of " (measured) ". Nothing says how much of the difference is that of the machine." }
            }
            (observations(time))
        }
    }
}

/// Returns the time for the headline: its change with the interval, or the time itself.
pub(super) fn headline(time: &Time) -> Markup {
    let new = &time.new.wall;
    let old = time.old.as_ref().map(|old| duration(old.wall.value));
    html! { span {
        "Time "
        @match time.ratio.as_ref().map(|ratio| &ratio.wall) {
            Some(ratio) => {
                strong class=(verdict_class(time)) { (change(ratio.value, ends(ratio))) }
                @if let Some(ends) = ends(ratio) { " (" (change_interval(Some(ends))) " %)" }
                @if let Some(old) = old { ", " (old) " → " (duration(new.value)) }
            },
            None => { strong { (duration(new.value)) } " " (duration_interval(new.value, ends(new))) },
        }
    } }
}

fn verdict_class(time: &Time) -> &'static str {
    match time.verdict {
        Some(TimeVerdict::Slower) => "worse up",
        Some(TimeVerdict::Faster) => "better down",
        _ => "unchanged",
    }
}

/// Returns the cell of a time on the start page, with these classes: its change, or the time itself if there is none.
pub(super) fn cell(time: Option<&Time>, classes: &str) -> Markup {
    let Some(time) = time else { return html! { td class=(classes) {} } };
    let Some(ratio) = time.ratio.as_ref().map(|ratio| &ratio.wall) else {
        return html! { td class=(classes) { (duration(time.new.wall.value)) } };
    };
    let class = verdict_class(time);
    html! { td class=(format!("{classes} {class}")) title=(time_verdict(time).unwrap_or_default()) {
        (change(ratio.value, ends(ratio)))
    } }
}

/// Returns the chart of the observations.
fn observations(time: &Time) -> Markup {
    let (of, on_axis) = match (&time.ratio, time.layouts) {
        (Some(_), Some(_)) => ("layout", "the change of the time"),
        (Some(_), None) => ("pair of processes", "the change of the time"),
        (None, _) => ("process", "the time of a call"),
    };
    let interval = ends(time.ratio.as_ref().map_or(&time.new.wall, |ratio| &ratio.wall));
    let band = if interval.is_some() { ". The band is the 95 % interval" } else { "" };
    let label = format!("Each dot is a {of}: {on_axis}{band}");
    let is_ratio = time.ratio.is_some();
    let text = |value: f64| if is_ratio { change(value, interval) } else { duration(value) };
    observations_chart(&label, &time.observations, interval, is_ratio.then_some(1.0), text)
}

fn ends(estimate: &Estimate) -> Option<(f64, f64)> {
    estimate.low.zip(estimate.high)
}
