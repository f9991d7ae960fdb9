//! What a tool counted: the table of metrics, their formulas, and lists of values.
//!
//! The library shows users the metrics and groups of this module, so it is there without the feature
//! `runner` too.

mod derived;
mod group;
mod kind;
mod set;
mod value;
mod values;

pub use group::{
    BBV, BbvMetrics, CACHEGRIND, CALLGRIND, CachegrindMetrics, CallgrindMetrics, DHAT, DhatMetrics,
    ERRORS, ErrorMetrics, MASSIF, MEMCHECK, MassifMetrics,
};
pub use kind::EventKind;
pub use set::{Group, MetricSet, Selection};
pub use value::Value;
#[cfg(feature = "runner")]
pub(crate) use value::digits;
pub use values::{AddError, Metrics};
