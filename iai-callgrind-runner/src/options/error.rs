//! Errors of the configuration of benchmarks.

use iai_callgrind_compare::LimitError;
use iai_callgrind_flamegraph::FlamegraphError;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{CounterNameError, Percentage};

use crate::failure::COUNTER_NAME;

/// A reason why a configuration can't be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum ConfigurationError {
    #[error("all tools are disabled\nhelp: enable one, as in `Callgrind::default().enable(true)`")]
    NoTool,
    #[error("{tool} does not have the metric `{kind}`")]
    NoMetric { tool: &'static str, kind: MetricKind },
    #[error(
        "`cold_caches` is set for a command, which starts with cold caches\nhelp: remove `cold_caches`"
    )]
    ColdCommand,
    #[error("{0}")]
    Limit(#[from] LimitError),
    #[error("{0}")]
    Flamegraph(#[from] FlamegraphError),
    #[error("`{tolerance}` is not a tolerance\nhelp: use a percentage such as `0.5`")]
    Tolerance { tolerance: Percentage },
    #[error("`{limit}` is not a limit of the time\nhelp: use a finite percentage such as `2.0`")]
    TimeLimit { limit: Percentage },
    #[error(
        "the growth of `{kind}` has a limit, but no tool of the benchmark counts it\nhelp: enable the tool, or \
         remove the limit"
    )]
    GrowthLimit { kind: MetricKind },
    #[error("the limit of the counter `{}`: {reason}\nhelp: {COUNTER_NAME}", name.escape_debug())]
    CounterLimit { name: String, reason: CounterNameError },
}

/// The name of a metric or of a group that a tool does not have.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MetricError {
    #[error("unknown metric `{name}`\n{help}")]
    NoMetric { name: String, help: String },
    #[error("unknown group `@{name}` of metrics\nhelp: use one of {known}")]
    NoGroup { name: String, known: String },
    #[error("`{name}` is not the name of a counter: {reason}")]
    CounterName { name: String, reason: CounterNameError },
}
