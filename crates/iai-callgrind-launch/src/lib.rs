//! Runs the cases of a launch, in children of a fork server or in processes of their own, each in
//! its directory.
//!
//! The server's side of the pipe is in the benchmark executable, see
//! `iai_callgrind_plan::protocol`.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod active;
mod alone;
mod ancestry;
mod captured;
mod cases;
mod counters;
mod delay;
mod error;
mod executor;
mod fixtures;
mod forking;
mod namespaces;
mod note;
mod places;
mod sandbox;
mod schedule;
mod server;
mod spares;
mod streams;
mod turns;

pub use self::ancestry::{Ancestry, files_in};
pub use self::captured::{Captured, Shown, capture_number, log_tail, tail};
pub use self::cases::{CaseEnd, CaseEvent, Executor, Killed, LaunchCases, LaunchEnd, NotReached};
pub use self::counters::{Reported, read_reported};
pub use self::delay::wait_for_event;
pub use self::error::{CounterProblem, Error, LaunchError, Result};
pub use self::executor::ValgrindExecutor;
pub use self::namespaces::{Isolated, files_of_case, of_single};
pub use self::places::Places;
pub use self::sandbox::{Place, check_directory, named_directory, new_directory};
pub use self::schedule::{Launch, Stage, schedule};
pub use self::streams::{create_output, open_input};
