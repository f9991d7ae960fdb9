//! The table of metrics, their formulas, and lists of values.

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
pub use value::{Value, digits};
pub use values::{AddError, Metrics};
