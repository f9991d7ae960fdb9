//! Callgrind's profiles: reading what they count and who called whom, and joining those of one
//! benchmark.

#[cfg(test)]
mod fixtures;
mod graph;
mod heap;
mod line;
mod merge;
mod names;
mod parser;
mod positions;
mod region;
mod rewrite;
#[cfg(test)]
mod round_trip_tests;

pub(crate) use graph::{CallGraph, read_call_graph};
pub(crate) use merge::finish;
pub(crate) use parser::read_totals;
pub(crate) use region::{CACHES, CALLGRIND};
