//! Shows results: on the terminal, in the formats of reports, in charts and on pages.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod chart;
mod error;
pub mod format;
mod group;
pub mod page;
mod read;
pub mod report;

pub use self::error::{Error, ReportError, Result};
pub use self::read::read_summaries;
