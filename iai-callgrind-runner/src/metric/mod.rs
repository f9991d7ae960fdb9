//! What a tool counted: the table of metrics, their formulas, and lists of values.

mod derived;
mod group;
mod kind;
mod values;

pub(crate) use group::{group, group_names};
pub use kind::{EventKind, UnknownEvent};
pub use values::{AddError, Metrics};
