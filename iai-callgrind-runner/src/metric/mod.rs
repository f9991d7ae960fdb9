//! What a tool counted: the table of metrics, their formulas, and lists of values.

mod derived;
mod kind;
mod values;

pub use kind::{EventKind, UnknownEvent};
pub use values::{AddError, Metrics};
