//! Reads callgrind's dumps and merges them into profiles.
//!
//! [`ProfileWriter`] merges the dumps of a benchmark's processes, [`Profile::read`] reads what it wrote, and
//! [`CallGraph`] is the graph for a flamegraph. [`Lines`] reads the files of other tools too.

mod addresses;
mod body;
mod collector;
mod current_file;
mod dump;
mod error;
mod exclusion;
pub mod files;
#[cfg(test)]
mod fixtures;
mod graph;
mod heap;
mod line;
mod lines;
mod linkage;
mod malformed;
mod names;
mod places;
mod positions;
mod profile;
mod rebuild;
mod renamed;
mod scan;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use self::addresses::{AddressProfile, Call, CostReader, Costs, Position};
pub use self::collector::Addresses;
pub use self::dump::{CallSource, DumpFile, DumpHeader, ProcessMetrics};
pub use self::error::{Error, Result};
pub use self::graph::{CallGraph, CallGraphFunction, Row};
pub use self::heap::HeapCalls;
pub use self::lines::{Line, Lines, quote};
pub use self::malformed::Malformed;
pub use self::places::{CostPlace, CostPlaces};
pub use self::profile::{Profile, ProfileDetails, ProfileWriter, merge};
pub use self::rebuild::{Branch, Code, rebuild};
pub use self::renamed::Renamed;
pub use self::source::code_hash;
