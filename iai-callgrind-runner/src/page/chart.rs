//! The chart of a metric over the recorded commits.

use std::error::Error;
use std::fmt::Write as _;

use iai_callgrind_plan::metric::Value;
use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;

use crate::growth::short;

const SIZE: (u32, u32) = (760, 260);
const LINE: RGBColor = RGBColor(0x1F, 0x5F, 0xBF);
const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
const AXIS: RGBColor = RGBColor(0x88, 0x88, 0x88);

/// A value at a commit.
#[derive(Debug, Clone)]
pub(super) struct ChartPoint<'a> {
    pub(super) commit: &'a str,
    pub(super) date: &'a str,
    pub(super) subject: &'a str,
    pub(super) value: Value,
    /// The build or the machine is not that of the point before.
    pub(super) is_new_environment: bool,
    /// Number of commits between the point before and this one, which were not recorded.
    pub(super) not_recorded: usize,
}

/// Returns the chart with the commits as texts that the pointer or the arrow keys show.
pub(super) fn chart(label: &str, points: &[ChartPoint<'_>]) -> Option<Markup> {
    let (first, last) = (points.first()?, points.last()?);
    let (svg, places) = draw(points)?;
    let description = format!(
        "{label} at {} commits: {} at {}, {} at {}",
        points.len(),
        first.value,
        first.date,
        last.value,
        last.date
    );
    let svg = svg.replacen("<svg ", "<svg aria-hidden=\"true\" ", 1);
    let end = svg.rfind("</svg>")?;
    let marks = marks(points, &places);
    Some(html! {
        figure.chart {
            figcaption { (label) }
            div.scroll tabindex="0" role="application" aria-roledescription="chart" aria-label=(description) data-chart {
                (PreEscaped(&svg[..end])) (marks) (PreEscaped("</svg>"))
            }
            output aria-live="polite" { "Point at the chart, or select it and press ← or →, to see the commits." }
        }
    })
}

fn marks(points: &[ChartPoint<'_>], places: &[(i32, i32)]) -> Markup {
    let text = |point: &ChartPoint<'_>| {
        let environment = if point.is_new_environment { ", other environment" } else { "" };
        let not_recorded = match point.not_recorded {
            0 => String::new(),
            1 => ", 1 commit before not recorded".to_owned(),
            number => format!(", {number} commits before not recorded"),
        };
        let ChartPoint { commit, date, subject, value, .. } = point;
        format!("{value} at {commit} ({date}){environment}{not_recorded}: {subject}")
    };
    html! {
        @for (point, (x, y)) in points.iter().zip(places) {
            circle cx=(x) cy=(y) r="3" data-text=(text(point)) class=[point.is_new_environment.then_some("segment")] {}
        }
    }
}

/// Draws axes and lines. Returns the picture and the place of each point in it.
fn draw(points: &[ChartPoint<'_>]) -> Option<(String, Vec<(i32, i32)>)> {
    let mut svg = String::new();
    let places = draw_lines(&mut svg, points).ok()?;
    Some((svg, places))
}

fn draw_lines<'a>(
    svg: &'a mut String,
    points: &[ChartPoint<'_>],
) -> Result<Vec<(i32, i32)>, Box<dyn Error + 'a>> {
    let values: Vec<_> = points.iter().map(|point| point.value.as_f64()).collect();
    let low = values.iter().copied().fold(f64::MAX, f64::min);
    let high = values.iter().copied().fold(f64::MIN, f64::max);
    // A change of a thousandth is visible, and a constant is in the middle
    let margin = ((high - low) * 0.1).max(high.abs() * 0.0005).max(0.5);
    let x = -0.5..points.len() as f64 - 0.5;
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(10)
        .x_label_area_size(30)
        .y_label_area_size(80)
        .build_cartesian_2d(x, (low - margin).max(0.0)..high + margin)?;
    let date = |x: &f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let index = x.round().max(0.0) as usize;
        points.get(index).map_or_else(String::new, |point| point.date.to_owned())
    };
    let number = |y: &f64| {
        if high - low + 2.0 * margin < high / 100.0 { format!("{y:.0}") } else { short(*y) }
    };
    chart
        .configure_mesh()
        .x_labels(6)
        .y_labels(6)
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(AXIS)
        .label_style(("sans-serif", 13))
        .x_label_formatter(&date)
        .y_label_formatter(&number)
        .draw()?;
    let numbered: Vec<_> = (0_u32..).map(f64::from).zip(values).collect();
    let mut start = 0;
    for end in 1..=points.len() {
        if points.get(end).is_none_or(|point| point.is_new_environment) {
            let segment = numbered[start..end].iter().copied();
            chart.draw_series(LineSeries::new(segment, LINE.stroke_width(2)))?;
            start = end;
        }
    }
    let places = numbered.iter().map(|point| chart.backend_coord(point)).collect();
    root.present()?;
    drop(chart);
    drop(root);
    Ok(places)
}

/// Number of values in a sparkline.
const SPARKS: usize = 32;

/// Returns a line of the last values, without axes. A vertical gap separates environments.
pub(super) fn sparkline(points: &[ChartPoint<'_>]) -> Markup {
    let points = &points[points.len().saturating_sub(SPARKS)..];
    let values = || points.iter().map(|point| point.value.as_f64());
    let (low, high) =
        values().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let height =
        |value: f64| if high > low { (high - value) / (high - low) * 14.0 + 1.0 } else { 8.0 };
    let mut path = String::new();
    let mut last = String::new();
    for (index, point) in points.iter().enumerate() {
        let y = format!("{:.0}", height(point.value.as_f64()));
        let (x, next) = (index * 3, index * 3 + 3);
        if index == 0 || point.is_new_environment {
            let _ = write!(path, "M{x} {y}");
        } else if y != last {
            let _ = write!(path, "H{x}V{y}");
        }
        let ends = points.get(index + 1).is_none_or(|next| next.is_new_environment);
        if ends {
            let _ = write!(path, "H{next}");
        }
        last = y;
    }
    html! { svg.spark viewBox="0 0 96 16" aria-hidden="true" { path d=(path) {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(value: u64, is_new_environment: bool) -> ChartPoint<'static> {
        ChartPoint {
            commit: "abc1234",
            date: "2026-01-02",
            subject: "<b>",
            value: Value::Count(value),
            is_new_environment,
            not_recorded: 0,
        }
    }

    #[test]
    fn each_commit_has_a_mark_with_its_text() {
        let points = [point(100, false), point(100, false), point(120, true)];
        let html = chart("Instructions", &points).unwrap().into_string();
        assert_eq!(html.matches("<circle").count(), 3);
        let lines = html.matches("stroke-width=\"2\"").count();
        assert_eq!(lines, 2, "a line for each environment: {html}");
        assert!(html.contains("data-text=\"100 at abc1234 (2026-01-02): &lt;b&gt;\""), "{html}");
        assert!(html.contains("other environment"), "{html}");
        let points = [1, 2].map(|number| ChartPoint { not_recorded: number, ..point(7, false) });
        let html = chart("Instructions", &points).unwrap().into_string();
        assert!(html.contains("(2026-01-02), 1 commit before not recorded: "), "{html}");
        assert!(html.contains("(2026-01-02), 2 commits before not recorded: "), "{html}");
        assert!(chart("Instructions", &[]).is_none());
    }

    #[test]
    fn a_sparkline_has_the_steps_only() {
        let points = [5, 5, 5, 9, 9].map(|value| point(value, false));
        let html = sparkline(&points).into_string();
        assert!(html.contains("d=\"M0 15H9V1H15\""), "{html}");
        let points = [point(5, false), point(5, true)];
        let html = sparkline(&points).into_string();
        assert!(html.contains("d=\"M0 8H3M3 8H6\""), "{html}");
    }
}
