//! Errors of a search for changes.

/// A reason why a change can't be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitsError {
    #[error("can't measure {revision}: it does not build, or it has none of the benchmarks")]
    NotMeasured { revision: String },
    #[error("no count changed between {good} and {bad}")]
    NoChange { good: String, bad: String },
    #[error(
        "can't search for changes of `{name}`: it is not a single metric\nhelp: name one, such as `ir`"
    )]
    SeveralMetrics { name: String },
}
