//! What the tasks share: commands in this workspace, programs of the machine, and outcomes of checks.

pub mod command;
pub mod install;
pub mod machine;
pub mod outcome;
pub mod tally;
