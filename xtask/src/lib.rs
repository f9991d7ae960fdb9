//! Commands in this workspace, programs of the machine, and outcomes of checks, for all tasks.

pub mod command;
pub mod failures;
pub mod install;
pub mod machine;
pub mod outcome;
pub mod package;
pub mod quiet;
pub mod scratch;
mod slow;
pub mod tally;
pub mod times;
