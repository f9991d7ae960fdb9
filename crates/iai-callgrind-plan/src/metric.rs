//! The table of metrics, their formulas, and lists of values.

mod derived;
mod kind;
mod row;
mod set;
mod value;
mod values;

pub use self::kind::MetricKind;
pub use self::row::{MetricGroup, PageGroup, PageName, Unit};
pub use self::set::{
    BBV, CACHEGRIND, CALLGRIND, DHAT, ERRORS, Group, MASSIF, MEMCHECK, MetricSet, unique,
};
pub use self::value::{Value, digits};
pub use self::values::{AddError, Metrics};

/// The metrics of each tool, and their groups, as benchmark files name them.
pub mod tool {
    pub use super::kind::{
        BbvMetric, CachegrindMetric, DhatMetric, ErrorMetric, EventKind, MassifMetric,
    };
    pub use super::set::{
        BbvMetrics, CachegrindMetrics, CallgrindMetrics, DhatMetrics, ErrorMetrics, MassifMetrics,
    };
}
