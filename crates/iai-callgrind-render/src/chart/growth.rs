//! Charts of growth: measured points and fitted curves, with linear and with logarithmic axes. The file has its own sizes and
//! colours, because it is shown alone, too.

use std::fmt::Write as _;

use iai_callgrind_base::numbers::extent;
use iai_callgrind_growth::{Fit, Point};
use maud::{Markup, html};

use super::axis::Axis;

/// The size of each of the two plots, without its labels.
const PLOT: (f64, f64) = (520.0, 390.0);
/// The space around a plot for labels: on the left and on the right, above and below.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 62.0;
/// The height of an entry of the legend.
const ENTRY: f64 = 20.0;
/// The number of points of a drawn curve.
const STEPS: i32 = 64;

/// Colours that differ with any kind of colour blindness, after the "muted" scheme of Paul Tol
/// (<https://personal.sron.nl/~pault/>).
const COLOURS: [&str; 12] = [
    "#332288", "#CC6677", "#117733", "#DD8822", "#44AA99", "#882255", "#5599CC", "#999933",
    "#AA4499", "#666666", "#BB3322", "#2255AA",
];

/// A curve of a chart.
pub struct Series<'a> {
    /// The name in the legend.
    pub name: String,
    /// Number of the curve. Old and new results of a curve have the same.
    pub curve: usize,
    /// The values by the sizes of the inputs.
    pub points: Vec<Point>,
    /// The function that fits them, if there is one.
    pub fit: Option<&'a Fit>,
    /// Old results are drawn fainter.
    pub is_old: bool,
}

/// Draws curves as SVG. `None` if no curve has a value that can be drawn.
pub fn draw_growth(title: &str, series: &[Series<'_>]) -> Option<String> {
    let points = || series.iter().flat_map(Series::points);
    points().next()?;
    let sizes = extent(points().map(|(size, _)| size));
    let fitted = series.iter().filter_map(|series| series.fit).map(|fit| fit.formula.cost(sizes.1));
    let (low, _) = extent(points().map(|(_, cost)| cost));
    let (_, high) = extent(points().map(|(_, cost)| cost).chain(fitted));
    let linear = [Axis::linear(0.0, sizes.1 * 1.03), Axis::linear(0.0, high * 1.05)];
    let wide = |(low, high): (f64, f64)| Axis::logarithmic(low * 0.85, high * 1.25);
    let logarithmic = [wide(sizes), wide((low, high))];

    let plot_width = LEFT + PLOT.0 + RIGHT;
    let legend = TOP + PLOT.1 + BOTTOM;
    let (width, height) = (2.0 * plot_width, legend + ENTRY * (series.len() + 1) as f64);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) font-family="sans-serif" font-size="14" {
            rect width="100%" height="100%" fill="white" {}
            text x="16" y="30" font-size="20" { (title) }
            (plot(series, sizes, &linear, LEFT, "Size, linear axes"))
            (plot(series, sizes, &logarithmic, plot_width + LEFT, "Size, logarithmic axes"))
            @for (index, series) in series.iter().enumerate() {
                g transform=(format!("translate(24 {})", legend + ENTRY * (index as f64 + 0.5))) {
                    (series.line(&[(0.0, 0.0), (32.0, 0.0)]))
                    (series.dot((16.0, 0.0)))
                    text x="42" y="5" { (series.name) }
                }
            }
        }
    };
    Some(svg.into_string())
}

/// Draws the curves between a horizontal and a vertical axis.
fn plot(
    series: &[Series<'_>],
    sizes: (f64, f64),
    axes: &[Axis; 2],
    left: f64,
    description: &str,
) -> Markup {
    let (width, height) = PLOT;
    let place = |(size, cost): (f64, f64)| {
        let [x, y] = [axes[0].place(size), axes[1].place(cost)].map(|part| part.clamp(0.0, 1.0));
        (x * width, (1.0 - y) * height)
    };
    html! {
        g transform=(format!("translate({left} {TOP})")) {
            @for (label, part) in axes[0].labels() {
                @let x = number(part * width);
                line x1=(x) x2=(x) y2=(height) stroke="#ddd" {}
                text x=(x) y=(height + 20.0) text-anchor="middle" { (label) }
            }
            @for (label, part) in axes[1].labels() {
                @let y = number((1.0 - part) * height);
                line x2=(width) y1=(y) y2=(y) stroke="#ddd" {}
                text x="-6" y=(y) dy="5" text-anchor="end" { (label) }
            }
            path d=(format!("M0 0V{height}H{width}")) fill="none" stroke="#888" {}
            text x=(width / 2.0) y=(height + 44.0) text-anchor="middle" { (description) }
            @for series in series {
                @let curve: Vec<_> = series.curve(sizes, &axes[0]).into_iter().map(place).collect();
                (series.line(&curve))
                @for point in series.points() { (series.dot(place(point))) }
            }
        }
    }
}

impl Series<'_> {
    /// Returns the points that both axes can show: logarithms are of positive numbers.
    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let points = self.points.iter().map(|point| (point.size as f64, point.cost));
        points.filter(|(size, cost)| *size > 0.0 && *cost > 0.0)
    }

    /// Returns points of the fitted curve or, without a fit, the measured points.
    fn curve(&self, (low, high): (f64, f64), axis: &Axis) -> Vec<(f64, f64)> {
        let Some(fit) = self.fit else {
            let mut points: Vec<_> = self.points().collect();
            points.sort_by(|left, right| left.0.total_cmp(&right.0));
            return points;
        };
        let (start, end) = (axis.place(low), axis.place(high));
        let places =
            (0..=STEPS).map(|step| start + (end - start) * f64::from(step) / f64::from(STEPS));
        let sizes = places.map(|place| axis.value(place));
        sizes.map(|size| (size, fit.formula.cost(size))).filter(|(_, cost)| *cost > 0.0).collect()
    }

    fn colour(&self) -> &'static str {
        COLOURS[self.curve % COLOURS.len()]
    }

    fn line(&self, points: &[(f64, f64)]) -> Markup {
        let mut text = String::new();
        for (x, y) in points {
            // A write to a string can't fail
            let _ = write!(text, "{},{} ", number(*x), number(*y));
        }
        let (width, opacity) = if self.is_old { ("1", "0.45") } else { ("2", "1") };
        html! {
            polyline points=(text.trim_end()) fill="none" stroke=(self.colour()) stroke-width=(width)
                opacity=(opacity) {}
        }
    }

    /// Draws a measured point: filled for a new one, a ring for an old one.
    fn dot(&self, (x, y): (f64, f64)) -> Markup {
        let (fill, opacity) = if self.is_old { ("none", "0.6") } else { (self.colour(), "1") };
        html! {
            circle cx=(number(x)) cy=(number(y)) r="4" fill=(fill) stroke=(self.colour()) opacity=(opacity) {}
        }
    }
}

/// Rounds a place to a tenth of a pixel.
fn number(place: f64) -> String {
    format!("{place:.1}")
}
