//! The chart of a metric over the recorded commits and the current run.

use std::fmt::Write as _;

use iai_callgrind_base::numbers::{self, extent};
use iai_callgrind_plan::metric::Value;
use maud::{Markup, html};

use super::axis::{Axis, percent};

/// Maximum number of unrecorded commits for which a chart leaves space.
const WIDEST_GAP: usize = 3;

/// A value at a commit.
#[derive(Debug, Clone)]
pub struct ChartPoint<'a> {
    /// The id of the commit.
    pub commit: &'a str,
    /// The day of the commit.
    pub date: &'a str,
    /// The first line of its message.
    pub subject: &'a str,
    /// The value of the metric.
    pub value: Value,
    /// The value belongs to the results on the page.
    pub is_current: bool,
    /// The build or the machine differs from the previous point.
    pub is_new_environment: bool,
    /// Number of commits between the point before and this one, which were not recorded.
    pub not_recorded: usize,
}

impl ChartPoint<'_> {
    /// Returns the text that the pointer shows.
    fn text(&self) -> String {
        let Self { commit, date, subject, value, .. } = self;
        let environment = if self.is_new_environment { ", other environment" } else { "" };
        let not_recorded = match self.not_recorded {
            0 => String::new(),
            1 => ", 1 commit before not recorded".to_owned(),
            number => format!(", {number} commits before not recorded"),
        };
        let value = numbers::value(*value);
        if commit.is_empty() {
            return format!("{value} in this run{environment}{not_recorded}");
        }
        let run = if self.is_current { ", this run" } else { "" };
        format!("{value} at {commit} ({date}){run}{environment}{not_recorded}: {subject}")
    }

    /// Returns the classes of its mark.
    fn class(&self) -> Option<&'static str> {
        match (self.is_current, self.is_new_environment) {
            (true, _) => Some("current"),
            (false, true) => Some("segment"),
            (false, false) => None,
        }
    }
}

/// Returns the axis of these values, on which a change of a thousandth is visible. A constant is in the middle.
fn axis(points: &[ChartPoint<'_>]) -> Axis {
    let (low, high) = extent(values(points));
    let margin = ((high - low) * 0.15).max(high.abs() * 0.0005).max(0.5);
    Axis::linear((low - margin).max(0.0), high + margin)
}

fn values<'a>(points: &'a [ChartPoint<'_>]) -> impl Iterator<Item = f64> + use<'a> {
    points.iter().map(|point| point.value.as_f64())
}

/// Returns the places of points from the left and from the top, in percent of the width and the height.
fn places(points: &[ChartPoint<'_>], axis: &Axis) -> Vec<(String, String)> {
    let mut step = -0.5;
    let steps = points.iter().enumerate().map(|(index, point)| {
        step += 1.0;
        if index > 0 {
            step += point.not_recorded.min(WIDEST_GAP) as f64;
        }
        step
    });
    let steps: Vec<f64> = steps.collect();
    let width = steps.last().map_or(1.0, |last| last + 0.5);
    let places = steps.iter().zip(values(points));
    places.map(|(step, value)| (percent(step / width), percent(1.0 - axis.place(value)))).collect()
}

/// Returns the chart with the commits as texts that the pointer or the arrow keys show.
pub fn history_chart(label: &str, points: &[ChartPoint<'_>]) -> Option<Markup> {
    let (first, last) = (points.first()?, points.last()?);
    let axis = axis(points);
    let places = places(points, &axis);
    let description = format!(
        "{label} at {} commits: {} at {}, {} at {}",
        points.len(),
        numbers::value(first.value),
        first.date,
        numbers::value(last.value),
        last.date
    );
    Some(html! {
        figure.chart {
            figcaption { strong { (label) } " ○ this run, ┄ commits that were not recorded" }
            div.plot {
                div.labels aria-hidden="true" { @for (label, part) in axis.labels() {
                    span style=(format!("top:{:.1}%", (1.0 - part) * 100.0)) { (label) }
                } }
                div.area tabindex="0" role="application" aria-roledescription="chart" aria-label=(description) data-chart {
                    svg aria-hidden="true" {
                        @for (_, part) in axis.labels() {
                            @let y = percent(1.0 - part);
                            line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                        }
                        (lines(points, &places))
                        @for (point, (x, y)) in points.iter().zip(&places) {
                            circle cx=(x) cy=(y) r=(if point.is_current { "5" } else { "3" })
                                data-text=(point.text()) class=[point.class()] {}
                        }
                    }
                }
                div.dates aria-hidden="true" { span { (first.date) } span { (last.date) } }
            }
            output aria-live="polite" { "Point at the chart, or select it and press ← or →, to see the commits." }
        }
    })
}

/// Returns the lines between points, as steps: a value holds until the commit that changes it. They are dashed where commits
/// were not recorded. There is none between environments.
fn lines(points: &[ChartPoint<'_>], places: &[(String, String)]) -> Markup {
    let pairs = points.iter().skip(1).zip(places.windows(2));
    html! {
        @for (point, pair) in pairs.filter(|(point, _)| !point.is_new_environment) {
            @let class = (point.not_recorded > 0).then_some("gap");
            line x1=(pair[0].0) y1=(pair[0].1) x2=(pair[1].0) y2=(pair[0].1) class=[class] {}
            @if pair[0].1 != pair[1].1 {
                line.step x1=(pair[1].0) y1=(pair[0].1) x2=(pair[1].0) y2=(pair[1].1) {}
            }
        }
    }
}

/// Width of a sparkline, which its values share.
const SPARK_WIDTH: usize = 128;

/// Number of values in a sparkline.
const SPARKS: usize = 32;

/// Returns a line of the last values, without axes. A vertical gap separates environments.
pub fn sparkline(points: &[ChartPoint<'_>]) -> Markup {
    let points = &points[points.len().saturating_sub(SPARKS)..];
    let (low, high) = extent(values(points));
    let axis = Axis::linear(low, high);
    let height = |value| if high > low { 20.0 - axis.place(value) * 16.0 } else { 12.0 };
    let step = SPARK_WIDTH / points.len().max(1);
    let mut path = String::new();
    let mut last = String::new();
    for (index, point) in points.iter().enumerate() {
        let y = format!("{:.0}", height(point.value.as_f64()));
        let (x, next) = (index * step, index * step + step);
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
    let end = points.len() * step;
    html! {
        svg.spark viewBox=(format!("0 0 {} 24", SPARK_WIDTH + 4)) aria-hidden="true" {
            path d=(path) {}
            @if !last.is_empty() { circle cx=(end) cy=(last) r="2.5" {} }
        }
    }
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
            is_current: false,
            is_new_environment,
            not_recorded: 0,
        }
    }

    #[test]
    fn each_commit_has_a_mark_with_its_text() {
        let points = [point(100, false), point(100, false), point(1200, true)];
        let html = history_chart("Instructions", &points).unwrap().into_string();
        assert_eq!(html.matches("<circle").count(), 3);
        assert_eq!(html.matches("<line x1").count(), 1, "none between environments: {html}");
        assert!(html.contains("data-text=\"100 at abc1234 (2026-01-02): &lt;b&gt;\""), "{html}");
        assert!(html.contains("1,200 at abc1234 (2026-01-02), other environment"), "{html}");
        assert!(history_chart("Instructions", &[]).is_none());
    }

    #[test]
    fn commits_that_were_not_recorded_are_a_gap() {
        let points = [0, 1, 2].map(|number| ChartPoint { not_recorded: number, ..point(7, false) });
        let html = history_chart("Instructions", &points).unwrap().into_string();
        assert!(html.contains("(2026-01-02), 1 commit before not recorded: "), "{html}");
        assert!(html.contains("(2026-01-02), 2 commits before not recorded: "), "{html}");
        assert_eq!(html.matches("class=\"gap\"").count(), 2);
        let places = places(&points, &axis(&points));
        let places: Vec<_> = places.iter().map(|(x, _)| x.as_str()).collect();
        assert_eq!(places, ["8.33%", "41.67%", "91.67%"], "of six steps");
    }

    #[test]
    fn the_current_run_has_another_mark() {
        let current = ChartPoint { is_current: true, ..point(9, false) };
        let html = history_chart("Instructions", &[point(7, false), current.clone()])
            .unwrap()
            .into_string();
        assert!(
            html.contains("9 at abc1234 (2026-01-02), this run: ") && html.contains("current"),
            "{html}"
        );
        let unknown = ChartPoint { commit: "", ..current };
        assert_eq!(unknown.text(), "9 in this run");
    }

    #[test]
    fn a_sparkline_has_the_steps_only() {
        let points = [5, 5, 5, 9, 9].map(|value| point(value, false));
        let html = sparkline(&points).into_string();
        assert!(html.contains("d=\"M0 20H75V4H125\""), "{html}");
        let points = [point(5, false), point(5, true)];
        let html = sparkline(&points).into_string();
        assert!(html.contains("d=\"M0 12H64M64 12H128\""), "{html}");
    }
}
