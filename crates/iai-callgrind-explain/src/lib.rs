//! Explains the difference of two profiles: the user's code that accounts for it, and its kind.
//!
//! [`Builder`] makes a [`Table`] of attributed costs from the costs by address, while the
//! executable and the sources exist. Two tables are enough to explain the difference of their
//! profiles later.
//!
//! A cost belongs to its *owner*: the innermost user function on the inline stack of the
//! instruction. Without one, it belongs to the user's code that made the call.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "shares are split as floating point numbers and rounded to the exact sum"
)]

mod address_seeds;
mod alignment;
mod annotation;
mod blame;
mod builder;
mod code;
mod cpp_names;
mod decode;
mod difference;
mod entry;
mod files;
mod inlining;
mod machine_values;
mod names;
mod owner;
mod revision;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod varying;
mod verdict;
mod work;

pub use address_seeds::makes_address_seed;
pub use annotation::{AnnotatedFile, AnnotatedLine, Annotation, LineCost};
pub use blame::Blame;
pub use builder::Builder;
pub use difference::Difference;
pub use entry::{Callee, ChangedLine, CodeChange, Edit, Entry, LineChange, SiteChange};
pub use files::RunningFile;
pub use inlining::{InlinedCall, InlinedCost, InlinedInto, Inlining, NameId, stable_name};
pub use machine_values::{MachineValue, changed_values, in_words, machine_values};
pub use names::NAMELESS;
pub use revision::Revision;
pub use table::{Environment, ReadError, Table};
pub use varying::unseen_value;
pub use verdict::Verdict;
