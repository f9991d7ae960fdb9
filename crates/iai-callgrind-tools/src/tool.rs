//! Valgrind's tools: a row for each in a table, and a file or a folder with its own part.

mod bbv;
mod cachegrind;
pub mod callgrind;
mod dhat;
mod errors;
mod files;
#[cfg(test)]
mod fixtures;
mod launch;
mod lines;
mod machine_code;
mod massif;
mod measurement;
mod results;
mod row;

use self::bbv::BBV;
use self::cachegrind::CACHEGRIND;
pub use self::callgrind::CALLGRIND;
pub use self::dhat::DHAT;
pub use self::errors::MEMCHECK;
use self::errors::{DRD, HELGRIND};
pub use self::files::{Processes, ReadOptions, ResultFiles, is_extension, process_extension};
pub use self::launch::{Capabilities, Execution, Launch, LaunchOptions, MeasuredFunction};
pub use self::machine_code::{CodeFiles, IS_NEEDED as REBUILDS_CALLS};
use self::massif::MASSIF;
pub use self::measurement::{IT, Measurement, ProcessMetrics, ToolFailure};
pub use self::row::{TABLE, Tool};

/// All tools, in the order of the command line's help and of the results.
pub static TOOLS: [&Tool; 8] =
    [&CALLGRIND, &CACHEGRIND, &DHAT, &MEMCHECK, &HELGRIND, &DRD, &MASSIF, &BBV];
