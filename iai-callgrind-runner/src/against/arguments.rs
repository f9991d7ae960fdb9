//! The arguments that a run shares with that of another revision.

use std::ffi::OsString;

/// The arguments and variables of a run that a run of another revision has as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuringArguments {
    /// All arguments.
    pub(crate) all: Vec<OsString>,
    /// The arguments apart from those that select benchmarks.
    pub(crate) options: Vec<OsString>,
    /// The names of the variables that change what is measured.
    pub(crate) variables: Vec<OsString>,
    /// The names of the variables that the other run must not have.
    pub(crate) removed: Vec<OsString>,
}
