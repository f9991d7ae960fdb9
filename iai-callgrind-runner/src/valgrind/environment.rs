//! The environment of a benchmark.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// The environment of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Environment {
    /// Removes all other variables if `true`.
    pub(crate) clear: bool,
    /// Variables to set.
    pub(crate) variables: BTreeMap<String, OsString>,
}
