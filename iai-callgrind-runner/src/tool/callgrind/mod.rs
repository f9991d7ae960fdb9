//! Callgrind: its dumps are merged into one profile for each benchmark, with counts and call graph.

mod body;
mod dump;
#[cfg(test)]
mod fixtures;
pub(super) mod graph;
mod heap;
mod line;
mod names;
mod positions;
mod profile;
mod region;
#[cfg(test)]
mod tests;

pub(crate) use self::graph::CallGraph;
pub(crate) use self::profile::{Profile, ProfileDetails, merge};
pub(crate) use self::region::CALLGRIND;
