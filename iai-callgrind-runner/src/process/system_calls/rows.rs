//! The system calls that are answered: one row for each.

use libc::c_long;

use super::StoppedCalls;
use super::cpus;
use super::mappings;
use super::random::Random;
use super::request::{Answer, Request};

/// A system call that stops a process, and its answer.
pub(super) struct Row {
    pub(super) call: c_long,
    /// The index of an argument and the lower half of the value that it must have.
    pub(super) argument: Option<(usize, u32)>,
    answer: fn(&mut State, &Request<'_>) -> Answer,
}

/// The values that answers depend on.
#[derive(Debug)]
pub(super) struct State {
    random: Random,
}

/// The calls whose results are fixed.
const RESULTS: &[Row] = &[
    Row::new(libc::SYS_getrandom, |state, request| state.random.fill(request)),
    Row::new(libc::SYS_sched_getaffinity, |_, request| cpus::affinity(request)),
    Row::new(libc::SYS_prlimit64, |state, request| state.random.overwrite_start(request))
        .with_argument(1, libc::RLIMIT_DATA as _),
    // The C library looks at an open file with the first, and before version 2.33 with the second
    Row::new(libc::SYS_newfstatat, |_, request| mappings::replace(request, request.arguments[2]))
        .with_argument(3, libc::AT_EMPTY_PATH as _),
    Row::new(libc::SYS_fstat, |_, request| mappings::replace(request, request.arguments[1])),
];

impl Row {
    const fn new(call: c_long, answer: fn(&mut State, &Request<'_>) -> Answer) -> Self {
        Self { call, argument: None, answer }
    }

    const fn with_argument(self, index: usize, value: u32) -> Self {
        Self { argument: Some((index, value)), ..self }
    }

    /// Returns `true` if this row answers a call.
    #[expect(clippy::cast_possible_truncation, reason = "the filter sees the lower half as well")]
    fn is_for(&self, request: &Request<'_>) -> bool {
        let has_value = |(index, value): (usize, u32)| request.arguments[index] as u32 == value;
        self.call == request.call && self.argument.is_none_or(has_value)
    }
}

impl StoppedCalls {
    /// Returns the rows of these calls.
    pub(super) fn rows(self) -> &'static [Row] {
        match self {
            Self::Turns => &[],
            Self::TurnsAndResults { .. } => RESULTS,
        }
    }
}

impl State {
    pub(super) fn new(calls: StoppedCalls) -> Self {
        let seed = match calls {
            StoppedCalls::Turns => 0,
            StoppedCalls::TurnsAndResults { seed } => seed,
        };
        Self { random: Random::new(seed) }
    }

    /// Answers a call by its row; the kernel makes it without one.
    pub(super) fn answer(&mut self, rows: &[Row], request: &Request<'_>) -> Answer {
        let row = rows.iter().find(|row| row.is_for(request));
        row.map_or(Answer::Continue, |row| (row.answer)(self, request))
    }
}
