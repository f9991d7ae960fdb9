//! The environment of a benchmark.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// The environment of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Environment {
    /// Whether only what is in `variables` is set.
    pub(crate) clear: bool,
    /// What is set.
    pub(crate) variables: BTreeMap<String, OsString>,
}
