//! A function that was counted and timed.

use iai_callgrind_summary::{Summary, Value};

/// Number of kinds of events that weights are fitted for.
pub(crate) const EVENTS: usize = 6;

/// Names of the events.
pub(crate) const NAMES: [&str; EVENTS] = [
    "instruction",
    "access to data",
    "miss of the first level that the last level has",
    "access to memory",
    "branch",
    "misprediction",
];

/// A function with its counts and its time.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// The crate whose code it calls: `std` or a public one.
    pub(crate) subject: String,
    /// Name of the benchmark in its group.
    pub(crate) name: String,
    /// Counts of the events in [`NAMES`].
    pub(crate) events: [f64; EVENTS],
    pub(crate) estimated_cycles: f64,
    /// Time of a call in nanoseconds.
    pub(crate) time: f64,
}

impl Function {
    /// Returns the function of a counted and of a timed benchmark, which are the same.
    pub(crate) fn new(counted: &Summary, timed: &Summary) -> Result<Self, String> {
        let missing = |what: &str| format!("{}: no {what}", counted.name);
        let total = &counted.tools.first().ok_or_else(|| missing("counts"))?.total;
        let count = |name: &str| {
            let value = total.get(name).and_then(|metric| metric.new);
            value.map(Value::as_f64).ok_or_else(|| missing(name))
        };
        let sum = |names: &[&str]| names.iter().map(|name| count(name)).sum::<Result<f64, _>>();
        let time = timed.time.as_ref().ok_or_else(|| missing("time"))?;
        let events = [
            count("Ir")?,
            sum(&["Dr", "Dw"])?,
            count("LLhits")?,
            count("RamHits")?,
            sum(&["Bc", "Bi"])?,
            sum(&["Bcm", "Bim"])?,
        ];
        let group = &counted.group;
        Ok(Self {
            subject: if group.starts_with("std_") { "std".to_owned() } else { group.clone() },
            name: format!("{group}::{}", counted.function.as_deref().unwrap_or_default()),
            events,
            estimated_cycles: count("EstimatedCycles")?,
            time: time.new.wall.value,
        })
    }
}
