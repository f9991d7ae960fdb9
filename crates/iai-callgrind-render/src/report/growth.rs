//! Growth of costs as text and as summaries.

use iai_callgrind_base::console::style::{BETTER, FAINT, WORSE};
use iai_callgrind_base::{numbers, text_width};
use iai_callgrind_compare::JudgedMetric;
use iai_callgrind_growth::{
    Crossover, Fit, FitChange, Formula, LEAST_SIZES, NoFit, Side, TermChange, WeightedTerm,
};
use iai_callgrind_results::{
    CurveCrossover, CurvePoint, Growth, MetricGrowth, ToolGrowth, summary_value as value,
};
use iai_callgrind_summary::growth as summary;

/// The width of the labels with their colon, which is followed by a blank.
const LABEL_WIDTH: usize = 17;

/// The title above the curves without a change.
const UNCHANGED: &str = "unchanged; --output-format=default prints the formulas";

/// Curves whose formulas are not printed.
#[derive(Debug, Default)]
pub(super) struct BriefCurves {
    /// The curves that have too few sizes for a formula and had none before, with the number of their sizes.
    short: Vec<(String, usize)>,
    /// The curves whose values are the old ones, with their classes.
    unchanged: Vec<(String, String)>,
}

impl BriefCurves {
    /// Adds a curve without a formula or without a change. `is_printed` returns `true` for a curve whose formulas are printed.
    /// Returns `false` if this one has to be printed as well.
    pub(super) fn add(&mut self, growth: &Growth, is_printed: impl Fn(&str) -> bool) -> bool {
        let Some(metric) = printed_of(growth).next() else { return false };
        let curve = growth.curve.clone();
        match (&metric.new, &metric.old) {
            (Err(NoFit::TooFew { sizes }), None) if growth.crossovers.is_empty() => {
                self.short.push((curve, *sizes));
            }
            _ if growth.crossovers.iter().any(|crossover| is_printed(&crossover.other)) => {
                return false;
            }
            (new, _) if !has_changed(growth) => {
                self.unchanged.push((curve, class_text(new)));
            }
            _ => return false,
        }
        true
    }

    /// Returns an entry for each reason, with its curves.
    pub(super) fn entries(&self) -> Vec<(String, Vec<String>)> {
        let width = self.unchanged.iter().map(|(curve, _)| text_width(curve)).max().unwrap_or(0);
        let unchanged = self.unchanged.iter().map(|(curve, class)| {
            let space = " ".repeat(width - text_width(curve));
            format!("{curve}{space}   {class}")
        });
        let short = self.short.iter().map(|(curve, sizes)| format!("{curve} ({sizes})"));
        let mut entries = Vec::new();
        if !self.unchanged.is_empty() {
            entries.push((UNCHANGED.to_owned(), unchanged.collect()));
        }
        if !self.short.is_empty() {
            let title = format!("fewer than the {LEAST_SIZES} sizes that a formula needs");
            entries.push((title, vec![short.collect::<Vec<_>>().join(", ")]));
        }
        entries
    }
}

/// Returns the class of a fit, or the reason why there is none.
fn class_text(fit: &Result<Fit, NoFit>) -> String {
    match fit {
        Ok(fit) => format!("O({})", fit.formula.class),
        Err(NoFit::NoClass { .. }) => "no class fits".to_owned(),
        Err(reason) => reason.to_string(),
    }
}

/// Returns `true` if a value is new, or moved by more than another layout of code and data moves it.
pub(super) fn has_changed(growth: &Growth) -> bool {
    !printed_of(growth).all(is_within_layout)
}

/// Returns the metrics of all tools that are printed.
fn printed_of(growth: &Growth) -> impl Iterator<Item = &MetricGrowth> {
    growth.tools.iter().flat_map(|tool| printed(&tool.metrics))
}

/// Returns the lines below the name of a curve.
pub(super) fn lines(growth: &Growth) -> Vec<String> {
    let mut lines = Vec::new();
    for ToolGrowth { tool, metrics } in &growth.tools {
        if growth.tools.len() > 1 {
            lines.push(format!("{FAINT}{}{FAINT:#}", tool.to_uppercase()));
        }
        lines.extend(printed(metrics).flat_map(metric));
    }
    lines.extend(growth.crossovers.iter().map(|crossover| crossover_text(growth, crossover)));
    lines
}

/// Returns the metrics that are printed: the first one if none is chosen. A reason that applies to all metrics is
/// printed once.
fn printed(metrics: &[MetricGrowth]) -> impl Iterator<Item = &MetricGrowth> {
    let is_any_chosen = metrics.iter().any(|metric| metric.is_printed);
    let lacks_sizes = metrics.iter().any(MetricGrowth::lacks_sizes);
    let chosen = metrics.iter().filter(move |metric| metric.is_printed || !is_any_chosen);
    chosen.take(if is_any_chosen && !lacks_sizes { usize::MAX } else { 1 })
}

fn metric(metric: &MetricGrowth) -> Vec<String> {
    let label = format!("{}:", metric.kind.label());
    let mut lines = match &metric.new {
        Ok(fit) => fit_lines(&label, fit),
        Err(reason) => vec![format!("{label:<LABEL_WIDTH$} {reason}")],
    };
    let label = "old:";
    let width = LABEL_WIDTH + 1;
    match (&metric.change, &metric.old) {
        (Some(change), _) if change.is_none() => {}
        (Some(FitChange::Factors { .. }), _) if is_within_layout(metric) => {}
        (Some(change), Some(old)) => {
            let style = match change {
                FitChange::Class { is_certain: false, .. } | FitChange::Factors { .. } => FAINT,
                FitChange::Class { old, new, .. } if new.compare(*old).is_lt() => BETTER,
                FitChange::Class { .. } => WORSE,
            };
            let Formula { class, .. } = old.formula;
            let formula = &old.formula;
            lines
                .push(format!("{label:>width$} {formula}   O({class})   {style}{change}{style:#}"));
        }
        (_, Some(old)) => lines.push(format!("{label:>width$} {old}")),
        (_, None) => {}
    }
    lines
}

/// Returns true if no value moved by more than another layout of code and data moves it.
fn is_within_layout(metric: &MetricGrowth) -> bool {
    let is_moved = |(new, old): (&CurvePoint, &CurvePoint)| {
        let judged = JudgedMetric {
            kind: metric.kind,
            new: new.value,
            old: Some(old.value),
            is_tolerated: false,
            is_limited: false,
            is_exceeded: false,
            noise: None,
        };
        new.size != old.size || judged.is_significant()
    };
    metric.points.len() == metric.old_points.len()
        && !metric.points.iter().zip(&metric.old_points).any(is_moved)
}

/// Returns a line for each part of a formula between its steps. The last one has the class, so that no line is between them
/// if it does not fit the terminal.
fn fit_lines(label: &str, fit: &Fit) -> Vec<String> {
    let pieces: Vec<_> = fit.formula.pieces().iter().map(ToString::to_string).collect();
    let quality = fit.quality();
    let indentation = label.chars().count().max(LABEL_WIDTH);
    let line = |(index, piece): (usize, &String)| {
        let label = if index == 0 { label } else { "" };
        if index + 1 == pieces.len() {
            format!("{label:<indentation$} {piece}   {quality}")
        } else {
            format!("{label:<indentation$} {piece}")
        }
    };
    pieces.iter().enumerate().map(line).collect()
}

/// Writes `a is cheaper than b below n = 96: Instructions 4,096 and 6,656 at 64, 16,384 and 11,776 at 128`.
fn crossover_text(growth: &Growth, with: &CurveCrossover) -> String {
    let Crossover { cheaper_below, size, below, above } = with.crossover;
    let (this, other) = (&growth.function, &with.other_function);
    let is_this = cheaper_below == Side::First;
    let (cheaper, dearer) = if is_this { (this, other) } else { (other, this) };
    let values = |(size, [this, other]): (i64, [f64; 2])| {
        let (first, second) = if is_this { (this, other) } else { (other, this) };
        let [first, second] = [first, second].map(numbers::number);
        format!("{first} and {second} at {size}")
    };
    let place = match size {
        Some(size) => format!("below n = {}", size.ceil()),
        None => format!("up to a size between {} and {}", below.0, above.0),
    };
    let (below, above) = (values(below), values(above));
    let label = with.kind.label();
    format!("{cheaper} is cheaper than {dearer} {place}: {label} {below}, {above}")
}

/// Summarizes the growth of a curve.
pub(super) fn summary(growth: &Growth) -> summary::Growth {
    let tool = |growth: &ToolGrowth| summary::ToolGrowth {
        tool: growth.tool.to_owned(),
        metrics: growth
            .metrics
            .iter()
            .map(|metric| (metric.kind.name().to_owned(), metric_summary(metric)))
            .collect(),
    };
    let crossover = |with: &CurveCrossover| {
        let Crossover { cheaper_below, size, below, above } = with.crossover;
        let point =
            |(size, [this, other]): (i64, [f64; 2])| summary::CrossoverPoint { size, this, other };
        let cheaper = match cheaper_below {
            Side::First => &growth.curve,
            Side::Second => &with.other,
        };
        summary::Crossover {
            with: with.other.clone(),
            tool: with.tool.to_owned(),
            metric: with.kind.name().to_owned(),
            cheaper_below: cheaper.clone(),
            size,
            below: point(below),
            above: point(above),
        }
    };
    summary::Growth {
        curve: growth.curve.clone(),
        tools: growth.tools.iter().map(tool).collect(),
        crossovers: growth.crossovers.iter().map(crossover).collect(),
    }
}

fn metric_summary(metric: &MetricGrowth) -> summary::MetricGrowth {
    let points = |points: &[CurvePoint]| {
        let point = |point: &CurvePoint| summary::CurvePoint {
            size: point.size,
            value: value(point.value),
        };
        let mut points: Vec<_> = points.iter().map(point).collect();
        points.sort_by_key(|point| point.size);
        points
    };
    summary::MetricGrowth {
        label: metric.kind.label().to_owned(),
        points: points(&metric.points),
        old_points: points(&metric.old_points),
        new: metric.new.as_ref().ok().map(fit),
        old: metric.old.as_ref().map(fit),
        no_fit: metric.new.as_ref().err().map(ToString::to_string),
        change: metric.change.as_ref().map(|change| summary::FitChange {
            text: change.to_string(),
            class: matches!(change, FitChange::Class { is_certain: true, .. }),
            per_element: change.leading().map(TermChange::percentage),
        }),
    }
}

fn fit(fit: &Fit) -> summary::Fit {
    let Formula { class, terms, steps } = &fit.formula;
    let term = |&WeightedTerm { term, factor }: &WeightedTerm| summary::Term {
        function: term.to_string(),
        factor,
        above: term.after(),
    };
    summary::Fit {
        formula: fit.formula.to_string(),
        class: class.to_string(),
        alternatives: fit.alternatives.iter().map(ToString::to_string).collect(),
        terms: terms.iter().chain(steps).map(term).collect(),
        r_squared: fit.r_squared,
        max_residual: fit.max_residual,
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_growth::{Point, fit};
    use iai_callgrind_plan::metric::{MetricKind, Value};

    use super::*;

    /// Returns the lines of estimated cycles that moved by this number from linear ones.
    fn cycles_moved_by(moved: u64) -> Vec<String> {
        let points = |moved: u64| {
            let point = |step| (1_000_i64 << step, (10_000_u64 << step) + moved);
            (0..6).map(point).collect::<Vec<_>>()
        };
        let fitted = |points: &[(i64, u64)]| {
            let points = points.iter().map(|(size, value)| Point::new(*size, *value as f64));
            fit(&points.collect::<Vec<_>>()).unwrap()
        };
        let of_curve = |points: &[(i64, u64)]| {
            let point =
                |&(size, value): &(i64, u64)| CurvePoint { size, value: Value::Count(value) };
            points.iter().map(point).collect()
        };
        let (old, new) = (points(0), points(moved));
        let (old_fit, new_fit) = (fitted(&old), fitted(&new));
        metric(&MetricGrowth {
            kind: MetricKind::EstimatedCycles,
            points: of_curve(&new),
            old_points: of_curve(&old),
            change: Some(FitChange::between(&new_fit, &old_fit)),
            new: Ok(new_fit),
            old: Some(old_fit),
            is_printed: true,
        })
    }

    #[test]
    fn an_old_formula_within_the_layout_is_not_shown() {
        assert_eq!(cycles_moved_by(200).len(), 1, "{:?}", cycles_moved_by(200));
        assert!(cycles_moved_by(2000)[1].contains("old: "), "{:?}", cycles_moved_by(2000));
    }

    #[test]
    fn a_blank_follows_each_label() {
        let cost = |size: i64| if size > 1000 { 7000.0 } else { 1000.0 };
        let points: Vec<_> =
            (1..=20).map(|step| Point::new(step * 100, cost(step * 100))).collect();
        let fit = fit(&points).unwrap();
        let lines = fit_lines("Instructions:", &fit);
        assert_eq!(lines[0], "Instructions:     1000 up to 1000");
        assert_eq!(lines[1], "                  7000 above 1000   O(1)   R² 1   max. residual 0 %");
        let lines = fit_lines("nodes that a search visited:", &fit);
        assert_eq!(lines[0], "nodes that a search visited: 1000 up to 1000");
        assert!(lines[1].starts_with("                             7000 above 1000   O(1)"));
    }
}
