//! The active cases, and the code of a file between two cases, each with its limit.

use std::time::Duration;

use iai_callgrind_plan::protocol::Token;
use iai_callgrind_process::{Exceeded, LimitWatch, ProcessGroup, RunningProcess};

/// Time after which the code between two benchmarks is reported. Most code finishes sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time after which the threads of a case are listed.
const LONG: Duration = Duration::from_secs(60);

/// A case in progress.
pub(crate) struct ActiveCase {
    pub(crate) case: usize,
    /// The process group of the case, `None` if it is the server's own.
    pub(crate) group: Option<ProcessGroup>,
    /// The token of the command that started it.
    pub(crate) token: Token,
    /// The limit that the case exceeded, for which it was killed.
    pub(crate) exceeded: Option<Exceeded>,
    /// Another case ran at the same time.
    pub(crate) in_parallel: bool,
    watch: LimitWatch,
    is_slow: bool,
}

impl ActiveCase {
    /// Returns a case that starts now.
    pub(crate) fn new(
        case: usize,
        group: Option<ProcessGroup>,
        token: Token,
        watch: LimitWatch,
    ) -> Self {
        Self { case, group, token, exceeded: None, in_parallel: false, watch, is_slow: false }
    }

    /// Returns `true` once, when the case is slow.
    pub(crate) fn becomes_slow(&mut self) -> bool {
        let is_slow = !self.is_slow && self.watch.elapsed() >= LONG;
        self.is_slow |= is_slow;
        is_slow
    }

    /// Kills the case if it exceeds its limit.
    pub(crate) fn check(&mut self, server: &RunningProcess) {
        if self.exceeded.is_some() {
            return;
        }
        self.exceeded = self.watch.exceeded();
        if self.exceeded.is_some() {
            match &self.group {
                Some(group) => group.kill(),
                None => server.kill(),
            }
        }
    }
}

/// The code of a file before a benchmark, which the server runs while it traverses the file.
pub(crate) struct Walk {
    /// The benchmark.
    pub(crate) next: usize,
    /// The server runs the benchmark itself.
    pub(crate) runs_itself: bool,
    /// The limit that the code exceeded, for which the server was killed.
    pub(crate) exceeded: Option<Exceeded>,
    /// `None` while the server can wait for a case.
    watch: Option<LimitWatch>,
    is_reported: bool,
}

impl Walk {
    /// Returns the code before the benchmark `next`.
    pub(crate) fn new(next: usize) -> Self {
        Self { next, runs_itself: false, exceeded: None, watch: None, is_reported: false }
    }

    /// Returns the code of a starting executable, up to the first turn before this benchmark. It is
    /// not reported, because Valgrind's own start takes long.
    pub(crate) fn start(next: usize) -> Self {
        Self { is_reported: true, ..Self::new(next) }
    }

    /// Returns the code before a benchmark that the server runs itself.
    pub(crate) fn of_itself(next: usize) -> Self {
        Self { runs_itself: true, ..Self::new(next) }
    }

    /// Records that the server can wait for a case.
    pub(crate) fn pause(&mut self) {
        self.watch = None;
    }

    /// Kills the server if the code exceeds its limit. Returns `true` the first time that the code
    /// is slow.
    pub(crate) fn check(
        &mut self,
        server: &RunningProcess,
        start: impl FnOnce() -> LimitWatch,
    ) -> bool {
        if self.exceeded.is_some() {
            return false;
        }
        let watch = self.watch.get_or_insert_with(start);
        self.exceeded = watch.exceeded();
        if self.exceeded.is_some() {
            server.kill();
        }
        let is_long = !self.is_reported && watch.elapsed() >= PATIENCE;
        self.is_reported |= is_long;
        is_long
    }
}
