//! Callgrind: its dumps are merged into one profile for each benchmark, with counts and call graph.

mod region;

pub use self::region::CALLGRIND;
