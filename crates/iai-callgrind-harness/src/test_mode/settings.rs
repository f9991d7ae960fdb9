//! The environment of native runs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::output::HiddenStreams;
use super::summary::FAILED;
use super::timeout::Timeout;
use crate::error::Cause;
use crate::platform::{self, StandardStreams};

/// Environment variables that apply to native runs. No results are stored, so there is no home.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) timeout: Option<Timeout>,
    pub(super) hidden: HiddenStreams,
    pub(super) streams: StandardStreams,
}

impl Settings {
    pub(super) fn of_this_process() -> Result<Self, Cause> {
        let (timeout, hidden) = (Timeout::of_this_process()?, HiddenStreams::of_this_process()?);
        Ok(Self { timeout, hidden, streams: StandardStreams::of_this_process() })
    }

    /// Runs the case with this name, prints the result, and returns `true` if it passed. A case that is not ready fails.
    pub(super) fn run(&self, name: &str, is_ready: bool, run: impl FnOnce()) -> bool {
        let guard = self.timeout.as_ref().map(|timeout| timeout.watch(name));
        let run = || catch_unwind(AssertUnwindSafe(run)).is_ok();
        let passed = is_ready && self.hidden.run(run);
        drop(guard);
        // A case that closed the copies, too, left no stream for a message
        if self.streams.reopen().is_err() {
            platform::end(FAILED);
        }
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        passed
    }
}
