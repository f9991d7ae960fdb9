//! Charts of growth as text.

use iai_callgrind_growth::Point;
use textplots::{Chart, LabelBuilder, LabelFormat, Plot, Shape};

use crate::growth::{MetricGrowth, short};

/// The width and the height in dots. A character has two dots in a line, and four below each other.
const SIZE: (u32, u32) = (120, 48);

/// Returns the lines of a chart with linear axes: the fitted curve, and a cross for each measured value. Without a positive
/// value there are none.
pub(super) fn lines(metric: &MetricGrowth) -> Vec<String> {
    let points: Vec<_> = metric.points.iter().copied().map(Point::from).collect();
    let largest = |value: fn(&Point) -> f64| points.iter().map(value).fold(0.0, f64::max);
    let (size, cost) = (largest(|point| point.size as f64), largest(|point| point.cost));
    if size <= 0.0 || cost <= 0.0 {
        return Vec::new();
    }
    let dots = |value: f64, dots: u32| value / f64::from(dots);
    let (dot_width, dot_height) = (dots(size, SIZE.0), dots(cost, SIZE.1));
    let crosses: Vec<_> = points
        .iter()
        .flat_map(|point| cross(point.size as f64, point.cost, dot_width, dot_height))
        .collect();
    let curve = curve(metric, &points, size);
    let (crosses, curve) = (Shape::Points(&crosses), Shape::Lines(&curve));
    let label = || LabelFormat::Custom(Box::new(|value| short(f64::from(value))));
    let mut chart = Chart::new_with_y_range(SIZE.0, SIZE.1, 0.0, single(size), 0.0, single(cost));
    let chart = chart.lineplot(&curve).lineplot(&crosses);
    let chart = chart.x_label_format(label()).y_label_format(label());
    chart.axis();
    chart.figures();
    chart.to_string().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Returns the dots of a cross.
fn cross(x: f64, y: f64, width: f64, height: f64) -> [(f32, f32); 5] {
    [(0.0, 0.0), (-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
        .map(|(right, up)| (single(x + right * width), single(y + up * height)))
}

/// Returns the fitted curve or, without a fit, straight lines between the values.
fn curve(metric: &MetricGrowth, points: &[Point], largest: f64) -> Vec<(f32, f32)> {
    let Ok(fit) = &metric.new else {
        let mut points: Vec<_> =
            points.iter().map(|point| (single(point.size as f64), single(point.cost))).collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        return points;
    };
    let smallest = points.iter().map(|point| point.size as f64).fold(largest, f64::min);
    let sizes = (0..=SIZE.0)
        .map(|dot| smallest + (largest - smallest) * f64::from(dot) / f64::from(SIZE.0));
    sizes.map(|size| (single(size), single(fit.formula.cost(size)))).collect()
}

/// Rounds to the numbers of the chart, which has far fewer dots.
#[expect(clippy::cast_possible_truncation, reason = "a dot is larger than the difference")]
fn single(value: f64) -> f32 {
    value as f32
}
