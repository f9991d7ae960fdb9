//! Errors of the configuration of benchmarks.

use iai_callgrind_compare::LimitError;
use iai_callgrind_flamegraph::FlamegraphError;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{CounterNameError, Percentage};

/// The help for the name of a counter.
pub const COUNTER_NAME: &str =
    "use 1 to 60 characters without `|`, `:`, `,` and `=`, on one line, that do not name a metric";

/// A reason why a configuration can't be used.
#[derive(Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ConfigurationError {
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
