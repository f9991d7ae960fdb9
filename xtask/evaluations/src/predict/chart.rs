//! The chart of predicted and measured values.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::predict::model::Model;
use crate::predict::quality::{Evaluation, Prediction};

/// The size of each of the two plots.
const PLOT: (u32, u32) = (520, 470);
const LEGEND: u32 = 34;
const FONT: (&str, i32) = ("sans-serif", 14);

/// The models that are shown: instructions are close to the estimated cycles.
const SHOWN: [(Model, RGBColor); 2] = [
    (Model::EstimatedCycles, RGBColor(0x33, 0x22, 0x88)),
    (Model::Fitted, RGBColor(0xDD, 0x88, 0x22)),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Returns the chart as SVG.
pub(crate) fn draw(evaluation: &Evaluation) -> Result<String, String> {
    let mut svg = String::new();
    draw_plots(&mut svg, evaluation).map_err(|error| format!("chart: {error}"))?;
    // The same end as that of other files
    Ok(svg.trim_end().to_owned() + "\n")
}

fn draw_plots<'a>(svg: &'a mut String, evaluation: &Evaluation) -> Result<(), Box<dyn Error + 'a>> {
    let root = SVGBackend::with_string(svg, (2 * PLOT.0, PLOT.1 + LEGEND)).into_drawing_area();
    root.fill(&WHITE)?;
    let (legend, plots) = root.split_vertically(LEGEND);
    let (times, changes) = plots.split_horizontally(PLOT.0);
    let nanoseconds = |time: &f64| format!("{time} ns");
    plot(&times, &evaluation.times, "time of a call", &nanoseconds)?;
    let factor = |ratio: &f64| format!("× {ratio}");
    plot(&changes, &evaluation.changes, "time after a change, to the time before", &factor)?;
    for ((model, colour), x) in SHOWN.into_iter().zip([70, 330]) {
        legend.draw(&Circle::new((x, 18), 4, colour.filled()))?;
        let name = format!("predicted by {}", model.name());
        legend.draw(&Text::new(name, (x + 12, 11), FONT))?;
    }
    root.present()?;
    Ok(())
}

/// Draws the predictions over the measured values, and a line where both are equal.
fn plot<'a>(
    area: &Area<'a>,
    predictions: &[Prediction],
    name: &str,
    label: &dyn Fn(&f64) -> String,
) -> Result<(), Box<dyn Error + 'a>> {
    let range = range(predictions);
    let axis = || range.clone().log_scale();
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(84)
        .build_cartesian_2d(axis(), axis())?;
    chart
        .configure_mesh()
        .x_desc(format!("measured {name}"))
        .y_desc("predicted")
        .x_labels(5)
        .y_labels(8)
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(0xDD, 0xDD, 0xDD))
        .axis_style(RGBColor(0x88, 0x88, 0x88))
        .label_style(FONT)
        .x_label_formatter(label)
        .y_label_formatter(label)
        .draw()?;
    let equal = [(range.start, range.start), (range.end, range.end)];
    chart.draw_series(LineSeries::new(equal, RGBColor(0x88, 0x88, 0x88)))?;
    for (model, colour) in SHOWN {
        let points = predictions.iter().map(|it| (it.measured, it.by(model)));
        chart.draw_series(points.map(|point| Circle::new(point, 3, colour.mix(0.7).filled())))?;
    }
    Ok(())
}

/// Returns a range with all values.
fn range(predictions: &[Prediction]) -> Range<f64> {
    let values = predictions
        .iter()
        .flat_map(|it| SHOWN.map(|(model, _)| it.by(model)).into_iter().chain([it.measured]));
    let values = values.filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) =
        values.fold((f64::MAX, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    low * 0.8..high * 1.25
}
