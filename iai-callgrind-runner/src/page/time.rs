//! The time of a benchmark: its verdict, and the observations that it is from.

use std::ops::Range;

use iai_callgrind_summary::time::{Estimate, Time, TimeVerdict};
use maud::{Markup, html};

use super::ticks::percent;
use crate::format::time_verdict;
use crate::time::text::{self, change, change_interval, duration, duration_interval};

/// Number of columns in which observations are above each other.
const COLUMNS: f64 = 60.0;

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

/// Returns the cell of a time on the start page, with these classes: its change, or the time itself if there is none.
pub(super) fn cell(time: Option<&Time>, classes: &str) -> Markup {
    let Some(time) = time else { return html! { td class=(classes) {} } };
    let Some(ratio) = time.ratio.as_ref().map(|ratio| &ratio.wall) else {
        return html! { td class=(classes) { (duration(time.new.wall.value)) } };
    };
    let class = match time.verdict {
        Some(TimeVerdict::Slower) => "worse up",
        Some(TimeVerdict::Faster) => "better down",
        _ => "unchanged",
    };
    html! { td class=(format!("{classes} {class}")) title=(time_verdict(time).unwrap_or_default()) {
        (change(ratio.value, ends(ratio)))
    } }
}

/// Returns what the chart shows.
fn label(time: &Time) -> String {
    let (of, on_axis) = match (&time.ratio, time.layouts) {
        (Some(_), Some(_)) => ("layout", "the change of the time"),
        (Some(_), None) => ("pair of processes", "the change of the time"),
        (None, _) => ("process", "the time of a call"),
    };
    let estimate = time.ratio.as_ref().map_or(&time.new.wall, |ratio| &ratio.wall);
    let band = if ends(estimate).is_some() { ". The band is the 95 % interval" } else { "" };
    format!("Each dot is a {of}: {on_axis}{band}")
}

fn ends(estimate: &Estimate) -> Option<(f64, f64)> {
    estimate.low.zip(estimate.high)
}

/// Returns the observations as dots above an axis; nothing without any.
fn observations(time: &Time) -> Markup {
    let estimate = time.ratio.as_ref().map_or(&time.new.wall, |ratio| &ratio.wall);
    let interval = ends(estimate);
    let is_ratio = time.ratio.is_some();
    let range = range(time, interval, is_ratio);
    let dots = stacked(&time.observations, &range);
    let top = dots.iter().map(|(_, row)| *row).fold(1.0, f64::max) + 1.0;
    let x = |value: f64| (value - range.start) / (range.end - range.start) * 100.0;
    let y = |row: f64| 100.0 - row / top * 100.0;
    let text = |value: f64| if is_ratio { change(value, interval) } else { duration(value) };
    let label = label(time);
    html! { @if !dots.is_empty() {
        figure.chart {
            figcaption { (label) }
            div.dots role="img" aria-label=(label) {
                svg {
                    @if let Some((low, high)) = interval {
                        rect x=(percent(x(low))) width=(percent(x(high) - x(low))) height="100%" {}
                    }
                    @if is_ratio { line.grid x1=(percent(x(1.0))) x2=(percent(x(1.0))) y1="0" y2="100%" {} }
                    @for (value, row) in &dots { circle cx=(percent(x(*value))) cy=(percent(y(*row))) r="3" {} }
                }
            }
            div.dates aria-hidden="true" {
                @for value in [range.start, range.start.midpoint(range.end), range.end] { span { (text(value)) } }
            }
        }
    } }
}

/// Returns the values from the left to the right side of the picture.
fn range(time: &Time, interval: Option<(f64, f64)>, is_ratio: bool) -> Range<f64> {
    let shown = time.observations.iter().copied().chain(interval.map(|(low, _)| low));
    let shown = shown.chain(interval.map(|(_, high)| high)).chain(is_ratio.then_some(1.0));
    let (low, high) =
        shown.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let margin = ((high - low) * 0.05).max(high.abs() * 0.0005);
    low - margin..high + margin
}

/// Returns the places of observations, those of the same column above each other.
fn stacked(observations: &[f64], range: &Range<f64>) -> Vec<(f64, f64)> {
    let width = (range.end - range.start) / COLUMNS;
    let mut sorted = observations.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (mut column, mut row) = (f64::NAN, 0.0);
    let place = |value: f64| {
        let next = ((value - range.start) / width).floor();
        row = if next.total_cmp(&column).is_eq() { row + 1.0 } else { 1.0 };
        column = next;
        (value, row)
    };
    sorted.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_that_are_close_are_above_each_other() {
        let places = stacked(&[2.0, 1.0, 1.001, 1.5], &(0.95..2.15));
        assert_eq!(places, [(1.0, 1.0), (1.001, 2.0), (1.5, 1.0), (2.0, 1.0)]);
    }
}
