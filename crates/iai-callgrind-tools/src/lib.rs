//! Valgrind's tools: the programs that they run, their command lines, and the counts in their files.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod error;
pub mod executable;
pub mod fingerprint;
pub mod stable_path;
pub mod tool;
pub mod valgrind;

pub use self::error::{Error, Result};
