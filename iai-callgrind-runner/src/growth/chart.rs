//! Charts of growth: measured points and fitted curves, with linear and with logarithmic axes.

use std::error::Error;

use iai_callgrind_growth::{Fit, Point};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{CurvePoint, Growth, MetricGrowth};

/// The size of each of the two plots.
const PLOT: (u32, u32) = (620, 460);
/// The height of the title.
const TITLE: u16 = 44;
/// The height of an entry of the legend.
const ENTRY: u16 = 20;
/// The number of points of a drawn curve.
const STEPS: i32 = 64;
const FONT: &str = "sans-serif";

/// Colours that differ with any kind of colour blindness, after the "muted" scheme of Paul Tol
/// (<https://personal.sron.nl/~pault/>).
const COLOURS: [RGBColor; 12] = [
    RGBColor(0x33, 0x22, 0x88),
    RGBColor(0xCC, 0x66, 0x77),
    RGBColor(0x11, 0x77, 0x33),
    RGBColor(0xDD, 0x88, 0x22),
    RGBColor(0x44, 0xAA, 0x99),
    RGBColor(0x88, 0x22, 0x55),
    RGBColor(0x55, 0x99, 0xCC),
    RGBColor(0x99, 0x99, 0x33),
    RGBColor(0xAA, 0x44, 0x99),
    RGBColor(0x66, 0x66, 0x66),
    RGBColor(0xBB, 0x33, 0x22),
    RGBColor(0x22, 0x55, 0xAA),
];

/// A curve of a chart.
struct Series<'a> {
    name: String,
    colour: RGBColor,
    points: &'a [CurvePoint],
    fit: Option<&'a Fit>,
    /// Old results are drawn fainter.
    is_old: bool,
}

/// Draws a metric of the curves of a function as SVG. `None` if no curve has a value that can be drawn.
pub(super) fn draw(title: &str, curves: &[(&Growth, &MetricGrowth)]) -> Option<String> {
    let series = series(curves);
    let ranges = Ranges::of(&series)?;
    let label = curves.first()?.1.kind.label();
    let mut svg = String::new();
    draw_series(&mut svg, &format!("{title}: {label}"), &series, &ranges).ok()?;
    Some(svg)
}

/// Returns the new curves with the old ones behind them.
fn series<'a>(curves: &[(&'a Growth, &'a MetricGrowth)]) -> Vec<Series<'a>> {
    let mut all = Vec::new();
    for (index, (growth, metric)) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let name = growth.curve.rsplit("::").next().unwrap_or(&growth.curve);
        let formula = |fit: Option<&Fit>| {
            fit.map_or_else(String::new, |fit| {
                format!(": {}   O({})", fit.formula, fit.formula.class)
            })
        };
        if !metric.old_points.is_empty() && metric.old_points != metric.points {
            let fit = metric.old.as_ref();
            let name = format!("{name}, old{}", formula(fit));
            all.push(Series { name, colour, points: &metric.old_points, fit, is_old: true });
        }
        let fit = metric.new.as_ref().ok();
        let name = format!("{name}{}", formula(fit));
        all.push(Series { name, colour, points: &metric.points, fit, is_old: false });
    }
    all
}

/// The ranges of the axes.
struct Ranges {
    sizes: (f64, f64),
    costs: (f64, f64),
}

impl Ranges {
    /// Returns the ranges of all positive points, and of the fitted curves at the largest size.
    fn of(series: &[Series<'_>]) -> Option<Self> {
        let points = series.iter().flat_map(|series| drawable(series.points));
        let mut points = points.peekable();
        points.peek()?;
        let start = Self { sizes: (f64::MAX, 0.0), costs: (f64::MAX, 0.0) };
        let widen = |range: (f64, f64), value: f64| (range.0.min(value), range.1.max(value));
        let mut ranges = points.fold(start, |ranges, (size, cost)| Self {
            sizes: widen(ranges.sizes, size),
            costs: widen(ranges.costs, cost),
        });
        for fit in series.iter().filter_map(|series| series.fit) {
            ranges.costs.1 = ranges.costs.1.max(fit.formula.cost(ranges.sizes.1));
        }
        Some(ranges)
    }
}

/// Returns the points that both axes can show: logarithms are of positive numbers.
fn drawable(points: &[CurvePoint]) -> impl Iterator<Item = (f64, f64)> + '_ {
    let points = points.iter().copied().map(Point::from);
    let points = points.map(|Point { size, cost }| (size as f64, cost));
    points.filter(|(size, cost)| *size > 0.0 && *cost > 0.0)
}

fn draw_series<'a>(
    svg: &'a mut String,
    title: &str,
    series: &[Series<'_>],
    ranges: &Ranges,
) -> Result<(), Box<dyn Error + 'a>> {
    let entries = u32::try_from(series.len())? + 1;
    let size = (2 * PLOT.0, u32::from(TITLE) + PLOT.1 + entries * u32::from(ENTRY));
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, rest) = root.split_vertically(u32::from(TITLE));
    head.draw_text(title, &text_style(20), (16, 24))?;
    let (plots, legend) = rest.split_vertically(PLOT.1);
    let (linear, logarithmic) = plots.split_horizontally(PLOT.0);
    let (sizes, costs) = (ranges.sizes, ranges.costs);

    let plot = Plot {
        series,
        sizes,
        description: "Size, linear axes",
        position: |low, high, part| low + (high - low) * part,
    };
    plot.draw(&linear, 0.0..sizes.1 * 1.03, 0.0..costs.1 * 1.05)?;
    let wide = |(low, high): (f64, f64)| (low * 0.85..high * 1.25).log_scale();
    let plot = Plot {
        description: "Size, logarithmic axes",
        position: |low, high, part| low * (high / low).powf(part),
        ..plot
    };
    plot.draw(&logarithmic, wide(sizes), wide(costs))?;
    draw_legend(&legend, series)?;
    root.present()?;
    Ok(())
}

/// One of the two plots.
struct Plot<'a> {
    series: &'a [Series<'a>],
    /// The smallest and the largest size.
    sizes: (f64, f64),
    description: &'static str,
    /// Returns the size at a part of the way from the first to the second.
    position: fn(f64, f64, f64) -> f64,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Plot<'_> {
    /// Draws the curves on these axes.
    fn draw<'a, X, Y>(&self, area: &Area<'a>, x: X, y: Y) -> Result<(), Box<dyn Error + 'a>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        let format = |value: &f64| short(*value);
        chart
            .configure_mesh()
            .x_desc(self.description)
            .x_labels(8)
            .y_labels(8)
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(0xDD, 0xDD, 0xDD))
            .axis_style(RGBColor(0x88, 0x88, 0x88))
            .label_style((FONT, 14))
            .x_label_formatter(&format)
            .y_label_formatter(&format)
            .draw()?;
        for series in self.series {
            chart.draw_series(LineSeries::new(self.curve(series), series.stroke()))?;
            chart.draw_series(drawable(series.points).map(|point| series.dot(point)))?;
        }
        Ok(())
    }

    /// Returns the points of the fitted curve or, without a fit, straight lines between the measured points.
    fn curve(&self, series: &Series<'_>) -> Vec<(f64, f64)> {
        let Some(fit) = series.fit else {
            let mut points: Vec<_> = drawable(series.points).collect();
            points.sort_by(|left, right| left.0.total_cmp(&right.0));
            return points;
        };
        let (low, high) = self.sizes;
        let sizes =
            (0..=STEPS).map(|step| (self.position)(low, high, f64::from(step) / f64::from(STEPS)));
        sizes.map(|size| (size, fit.formula.cost(size))).filter(|(_, cost)| *cost > 0.0).collect()
    }
}

impl Series<'_> {
    fn stroke(&self) -> ShapeStyle {
        if self.is_old {
            self.colour.mix(0.45).stroke_width(1)
        } else {
            self.colour.stroke_width(2)
        }
    }

    /// Draws a measured point: filled for a new one, a ring for an old one.
    fn dot<Coordinate>(&self, at: Coordinate) -> Circle<Coordinate, i32> {
        let style =
            if self.is_old { self.colour.mix(0.6).stroke_width(1) } else { self.colour.filled() };
        Circle::new(at, 4, style)
    }
}

fn draw_legend<'a>(area: &Area<'a>, series: &[Series<'_>]) -> Result<(), Box<dyn Error + 'a>> {
    let (mut y, step) = (i32::from(ENTRY) / 2, i32::from(ENTRY));
    for series in series {
        area.draw(&PathElement::new(vec![(24, y), (56, y)], series.stroke()))?;
        area.draw(&series.dot((40, y)))?;
        area.draw_text(&series.name, &text_style(14), (66, y))?;
        y += step;
    }
    Ok(())
}

fn text_style(size: i32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center))
}

/// Formats the number of an axis: `250 k`.
pub(crate) fn short(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| value >= *unit).unwrap_or((1.0, ""));
    let text = format!("{:.1}", value / unit);
    format!("{}{name}", text.trim_end_matches(".0"))
}
