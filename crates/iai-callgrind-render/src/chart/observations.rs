//! The chart of observations: dots above an axis, with an interval.

use iai_callgrind_base::numbers::extent;
use maud::{Markup, html};

use super::axis::{Axis, percent};

/// Number of columns in which observations are stacked.
const COLUMNS: f64 = 60.0;

/// Returns the observations as dots, with a band from the start to the end of the interval and a line at the reference; nothing
/// without any.
pub fn observations_chart(
    label: &str,
    observations: &[f64],
    interval: Option<(f64, f64)>,
    reference: Option<f64>,
    text: impl Fn(f64) -> String,
) -> Markup {
    let ends = interval.into_iter().flat_map(|(low, high)| [low, high]);
    let (low, high) = extent(observations.iter().copied().chain(ends).chain(reference));
    let margin = ((high - low) * 0.05).max(high.abs() * 0.0005);
    let axis = Axis::linear(low - margin, high + margin);
    let dots = stacked(observations, &axis);
    let top = dots.iter().map(|(_, row)| *row).fold(1.0, f64::max) + 1.0;
    let x = |value| percent(axis.place(value));
    html! { @if !dots.is_empty() {
        figure.chart {
            figcaption { (label) }
            div.dots role="img" aria-label=(label) {
                svg {
                    @if let Some((low, high)) = interval {
                        rect x=(x(low)) width=(percent(axis.place(high) - axis.place(low))) height="100%" {}
                    }
                    @if let Some(value) = reference { line.grid x1=(x(value)) x2=(x(value)) y1="0" y2="100%" {} }
                    @for (place, row) in &dots { circle cx=(percent(*place)) cy=(percent(1.0 - row / top)) r="3" {} }
                }
            }
            div.dates aria-hidden="true" {
                @for place in [0.0, 0.5, 1.0] { span { (text(axis.value(place))) } }
            }
        }
    } }
}

/// Returns the places of observations on the axis, stacked in columns.
fn stacked(observations: &[f64], axis: &Axis) -> Vec<(f64, f64)> {
    let mut sorted = observations.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (mut column, mut row) = (f64::NAN, 0.0);
    let place = |value: f64| {
        let place = axis.place(value);
        let next = (place * COLUMNS).floor();
        row = if next.total_cmp(&column).is_eq() { row + 1.0 } else { 1.0 };
        column = next;
        (place, row)
    };
    sorted.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_that_are_close_are_above_each_other() {
        let places = stacked(&[2.0, 1.0, 1.001, 1.5], &Axis::linear(1.0, 2.0));
        let rows: Vec<_> = places.iter().map(|(place, row)| (percent(*place), *row)).collect();
        let place = |text: &str, row| (text.to_owned(), row);
        assert_eq!(
            rows,
            [place("0.00%", 1.0), place("0.10%", 2.0), place("50.00%", 1.0), place("100.00%", 1.0)]
        );
    }
}
