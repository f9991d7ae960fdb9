//! The time of a benchmark: its verdict, and the observations that it is from.

use std::error::Error;

use iai_callgrind_summary::time::{Estimate, Time};
use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;

use crate::format::time_verdict;
use crate::time::text::{change, change_interval, duration, duration_interval};

const SIZE: (u32, u32) = (760, 150);
const LINE: RGBColor = RGBColor(0x1F, 0x5F, 0xBF);
const AXIS: RGBColor = RGBColor(0x88, 0x88, 0x88);

/// Number of columns in which observations are above each other.
const COLUMNS: f64 = 60.0;

/// Returns the section about the time of a benchmark.
pub(super) fn section(time: &Time) -> Markup {
    let ratio = time.ratio.as_ref().map(|ratio| &ratio.wall);
    let units = match (time.layouts, &time.ratio) {
        (Some(number), _) => format!("{number} layouts of each side"),
        (None, Some(_)) => format!("{} pairs of processes", time.processes),
        (None, None) => format!("{} processes", time.processes),
    };
    let new = &time.new.wall;
    let old = time.old.as_ref().map(|old| duration(old.wall.value));
    html! {
        section aria-labelledby="time" {
            h2 id="time" { "Time" }
            p {
                @if let Some(old) = old.as_ref().filter(|_| ratio.is_some()) { (old) " → " }
                strong { (duration(new.value)) }
                @match ratio {
                    Some(ratio) => {
                        ": " strong { (change(ratio.value, ends(ratio))) }
                        ", 95 % interval " (change_interval(ends(ratio))) " %"
                    },
                    None => { " " (duration_interval(new.value, ends(new))) },
                }
                ", from " (units) "."
                @if let Some(verdict) = time_verdict(time) { " Verdict: " strong { (verdict) } "." }
            }
            @if let Some((old, measured)) = old.as_ref().zip(time.old_measured.as_ref()) {
                p { "Stored: " (old) " of " (measured) ". Nothing says how much of the difference is that of the machine." }
            }
            @if let Some(svg) = draw(time) {
                @let label = label(time);
                figure.chart {
                    figcaption { (label) }
                    div.scroll tabindex="0" role="img" aria-label=(label) { (PreEscaped(svg)) }
                }
            }
        }
    }
}

/// Returns what the chart shows.
fn label(time: &Time) -> String {
    let (of, on_axis) = match (&time.ratio, time.layouts) {
        (Some(_), Some(_)) => ("layout", "the change of the time"),
        (Some(_), None) => ("pair of processes", "the change of the time"),
        (None, _) => ("process", "the time of a call"),
    };
    format!("Each dot is a {of}: {on_axis}. The band is the 95 % interval")
}

fn ends(estimate: &Estimate) -> Option<(f64, f64)> {
    estimate.low.zip(estimate.high)
}

/// Draws the observations above an axis; `None` without any.
fn draw(time: &Time) -> Option<String> {
    let observations = &time.observations;
    let mut svg = String::new();
    let is_drawn = !observations.is_empty() && draw_dots(&mut svg, time).is_ok();
    is_drawn.then(|| svg.replacen("<svg ", "<svg aria-hidden=\"true\" ", 1))
}

fn draw_dots<'a>(svg: &'a mut String, time: &Time) -> Result<(), Box<dyn Error + 'a>> {
    let is_ratio = time.ratio.is_some();
    let estimate = time.ratio.as_ref().map_or(&time.new.wall, |ratio| &ratio.wall);
    let interval = ends(estimate);
    let shown = time.observations.iter().copied().chain(interval.map(|(low, _)| low));
    let shown = shown.chain(interval.map(|(_, high)| high)).chain(is_ratio.then_some(1.0));
    let (low, high) =
        shown.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let margin = ((high - low) * 0.05).max(high.abs() * 0.0005);
    let range = low - margin..high + margin;
    let dots = stacked(&time.observations, &range);
    let top = dots.iter().map(|(_, row)| *row).fold(1.0, f64::max) + 1.0;
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(10)
        .x_label_area_size(30)
        .build_cartesian_2d(range, 0.0..top)?;
    let text = |value: &f64| if is_ratio { change(*value, interval) } else { duration(*value) };
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_y_axis()
        .x_labels(7)
        .axis_style(AXIS)
        .label_style(("sans-serif", 13))
        .x_label_formatter(&text)
        .draw()?;
    if let Some((low, high)) = interval {
        let band = Rectangle::new([(low, 0.0), (high, top)], LINE.mix(0.15).filled());
        chart.draw_series([band])?;
    }
    if is_ratio {
        chart.draw_series([PathElement::new([(1.0, 0.0), (1.0, top)], AXIS)])?;
    }
    chart.draw_series(dots.into_iter().map(|dot| Circle::new(dot, 3, LINE.filled())))?;
    root.present()?;
    Ok(())
}

/// Returns the places of observations, those of the same column above each other.
fn stacked(observations: &[f64], range: &std::ops::Range<f64>) -> Vec<(f64, f64)> {
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
        let places = stacked(&[2.0, 1.0, 1.001, 1.5], &(0.9..2.1));
        assert_eq!(places, [(1.0, 1.0), (1.001, 2.0), (1.5, 1.0), (2.0, 1.0)]);
    }
}
