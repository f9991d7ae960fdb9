//! Errors of the values of options.

use iai_callgrind_plan::CounterNameError;

/// The name of a metric or of a group that a tool does not have.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum MetricError {
    #[error("unknown metric `{name}`\n{help}")]
    NoMetric { name: String, help: String },
    #[error("unknown group `@{name}` of metrics\nhelp: use one of {known}")]
    NoGroup { name: String, known: String },
    #[error("`{name}` is not the name of a counter: {reason}")]
    CounterName { name: String, reason: CounterNameError },
}
