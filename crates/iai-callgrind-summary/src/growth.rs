//! Growth of costs with the size of the input.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Value;

/// Growth of the costs of a curve: of benchmarks that differ only in the size of their input. The last benchmark of the
/// curve has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Growth {
    /// Name of the curve: `file::group::function id`.
    pub curve: String,
    /// Growth under each tool.
    pub tools: Vec<ToolGrowth>,
    /// Sizes at which this curve crosses others of its group (`compare_by_id`).
    pub crossovers: Vec<Crossover>,
}

/// Growth under one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolGrowth {
    /// Valgrind's name of the tool.
    pub tool: String,
    /// Growth of metrics by name.
    pub metrics: BTreeMap<String, MetricGrowth>,
}

/// Growth of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricGrowth {
    /// Label of the metric.
    pub label: String,
    /// New values in the order of the sizes.
    pub points: Vec<CurvePoint>,
    /// Old values in the order of their sizes; empty if there are none.
    pub old_points: Vec<CurvePoint>,
    /// Fit of the new values; null if there is none.
    pub new: Option<Fit>,
    /// Fit of the old values; null if there is none.
    pub old: Option<Fit>,
    /// Reason why the new values have no fit; null if they have one.
    pub no_fit: Option<String>,
    /// Difference of the two fits; null if one of them is missing.
    pub change: Option<FitChange>,
}

/// Value for an input with a size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurvePoint {
    /// Size of the input.
    pub size: i64,
    /// Value of the metric.
    pub value: Value,
}

/// Formula that describes the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// Formula as text: `12.02 n + 340`.
    pub formula: String,
    /// Class without an `O`: `n log n`.
    pub class: String,
    /// Other classes that describe the values nearly as well, in the order of their growth.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// Terms of the sum, the one with the strongest growth first; steps are at the end.
    pub terms: Vec<Term>,
    /// Coefficient of determination of the relative costs; null for a constant.
    pub r_squared: Option<f64>,
    /// Largest difference of the formula from a measured value, in percent of the value.
    pub max_residual: f64,
}

/// Term of a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Term {
    /// Function of the size: `1` for the constant, `n`, `n log n` (with the base 2).
    pub function: String,
    /// Factor of the function.
    pub factor: f64,
    /// Size above which the term is a part of the sum; null if it always is.
    pub above: Option<f64>,
}

/// Difference of a fit from the old one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitChange {
    /// Difference as text: `per element +3.1 %, constant -40 %`.
    pub text: String,
    /// `true` if the class is another one, and neither fit allows that of the other.
    pub class: bool,
    /// Change of the factor of the strongest growth in percent; null if the class is another one.
    pub per_element: Option<f64>,
}

/// Sizes between which another one of two functions becomes the cheaper one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crossover {
    /// Name of the other curve.
    pub with: String,
    /// Valgrind's name of the tool.
    pub tool: String,
    /// Name of the metric.
    pub metric: String,
    /// Curve that is cheaper below.
    pub cheaper_below: String,
    /// Size from which on the other one is cheaper, by the formulas of both; null if they do not cross between the measured sizes.
    pub size: Option<f64>,
    /// Last measured size before.
    pub below: CrossoverPoint,
    /// First measured size after.
    pub above: CrossoverPoint,
}

/// Values of two curves at a size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrossoverPoint {
    /// Size of the input.
    pub size: i64,
    /// Value of this curve.
    pub this: f64,
    /// Value of the other curve.
    pub other: f64,
}
