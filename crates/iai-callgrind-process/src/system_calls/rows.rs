//! The answered system calls: one row for each.

use libc::c_long;

use super::clock::Clocks;
use super::cpus;
use super::files;
use super::filter::Condition;
use super::machine::{self, UPTIME};
use super::machine_files::Files;
use super::mappings;
use super::ports;
use super::program::Start;
use super::random::Random;
use super::request::{Answer, Request};
use super::space;
use super::{ProcessClock, StoppedCalls};
use crate::isolation::NativeValue;

/// A system call that stops a process, and its answer.
pub(super) struct Row {
    pub(super) call: c_long,
    /// The conditions on its arguments.
    pub(super) conditions: [Option<Condition>; 2],
    /// The name that turns the row off.
    value: Option<NativeValue>,
    is_of_commands: bool,
    answer: fn(&mut State, &Request<'_>) -> Answer,
}

/// The values that answers depend on.
#[derive(Debug)]
pub(super) struct State {
    random: Random,
    pub(super) clocks: Clocks,
    /// The start of the first program.
    start: Option<Start>,
    files: Files,
    overwrites_start: bool,
}

/// The calls whose results are fixed.
const ROWS: &[Row] = &[
    // Valgrind makes this call before it runs a program, and answers it for programs
    Row::new(libc::SYS_prlimit64, State::start_program).with_argument(1, libc::RLIMIT_DATA as _),
    Row::new(libc::SYS_getrandom, |state, request| state.random.fill(request))
        .fixing(NativeValue::Random),
    Row::new(libc::SYS_sched_getaffinity, |state, request| cpus::affinity(request, state.files))
        .fixing(NativeValue::Cpus),
    Row::new(libc::SYS_getcpu, |_, request| machine::current_cpu(request))
        .fixing(NativeValue::Cpus),
    // The C library checks an open file with the first, and before version 2.33 with the second
    Row::new(libc::SYS_newfstatat, |_, request| mappings::replace(request, request.arguments[2]))
        .with_argument(3, libc::AT_EMPTY_PATH as _)
        .of_commands(),
    Row::new(libc::SYS_fstat, |_, request| mappings::replace(request, request.arguments[1]))
        .of_commands(),
    Row::new(libc::SYS_sysinfo, |_, request| machine::information(request))
        .fixing(NativeValue::Memory),
    Row::new(libc::SYS_statfs, |_, request| space::of_path(request)).fixing(NativeValue::Memory),
    Row::new(libc::SYS_fstatfs, |_, request| space::of_descriptor(request))
        .fixing(NativeValue::Memory),
    Row::new(libc::SYS_uname, |_, request| machine::names(request)).fixing(NativeValue::Host),
    Row::new(libc::SYS_bind, |_, request| ports::bind(request)).fixing(NativeValue::Host),
    Row::new(libc::SYS_getpriority, |state, request| state.with_start(request, machine::priority))
        .fixing(NativeValue::Limits),
    Row::new(libc::SYS_prlimit64, |state, request| state.with_start(request, machine::limit))
        .fixing(NativeValue::Limits),
    Row::new(libc::SYS_getrlimit, |state, request| state.with_start(request, machine::old_limit))
        .fixing(NativeValue::Limits),
    // Valgrind opens the files that it writes by these calls as well, eight in each child of a server
    #[cfg(target_arch = "x86_64")]
    Row::new(libc::SYS_open, State::open).with(files::is_to_read(1)),
    Row::new(libc::SYS_openat, State::open).with(files::is_to_read(2)),
    Row::new(libc::SYS_openat2, State::open),
];

impl Row {
    pub(super) const fn new(call: c_long, answer: fn(&mut State, &Request<'_>) -> Answer) -> Self {
        Self { call, conditions: [None; 2], value: None, is_of_commands: false, answer }
    }

    /// Restricts the row to calls whose argument has this value in its lower half.
    const fn with_argument(self, index: usize, value: u32) -> Self {
        self.with(Condition::lower_is(index, value))
    }

    /// Restricts the row by one condition more.
    pub(super) const fn with(mut self, condition: Condition) -> Self {
        let index = self.conditions[0].is_some() as usize;
        self.conditions[index] = Some(condition);
        self
    }

    /// Turns the row off with a name.
    const fn fixing(self, value: NativeValue) -> Self {
        Self { value: Some(value), ..self }
    }

    /// Answers commands only: functions have their own answer.
    const fn of_commands(self) -> Self {
        Self { is_of_commands: true, ..self }
    }

    /// Returns `true` if this row answers a call.
    fn is_for(&self, request: &Request<'_>) -> bool {
        let hold = |condition: &Condition| condition.holds(&request.arguments);
        self.call == request.call && self.conditions.iter().flatten().all(hold)
    }
}

impl StoppedCalls {
    /// Returns the rows of these calls.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static Row> {
        ROWS.iter().filter(move |row| {
            let is_fixed = row.value.is_none_or(|value| !self.isolation().is_native(value));
            is_fixed && (self.is_command() || !row.is_of_commands)
        })
    }
}

impl State {
    pub(super) fn new(calls: StoppedCalls, clock: ProcessClock) -> Self {
        let isolation = calls.isolation();
        let usable_cpus = if calls.is_command() { 1 } else { isolation.cpus().number() };
        Self {
            random: Random::new(calls.seed(), calls.is_command()),
            clocks: Clocks::new(clock),
            start: None,
            files: Files {
                isolation,
                usable_cpus,
                uptime: UPTIME * 100,
                is_command: calls.is_command(),
                first: None,
            },
            overwrites_start: calls.is_command() && !isolation.is_native(NativeValue::Random),
        }
    }

    /// Answers a call by its row. Without one, the kernel makes the call.
    pub(super) fn answer(&mut self, rows: &[&Row], request: &Request<'_>) -> Answer {
        self.clocks.add(request.thread);
        if let Some(answer) = self.clocks.end_wait(request) {
            return answer;
        }
        let row = rows.iter().find(|row| row.is_for(request));
        row.map_or(Answer::Continue, |row| (row.answer)(self, request))
    }

    /// Prepares the start of a program, at a call that Valgrind makes before it.
    fn start_program(&mut self, request: &Request<'_>) -> Answer {
        if self.start.is_none() {
            self.start = Some(Start::new(request.thread, request.instruction));
        }
        if self.overwrites_start {
            self.random.overwrite_start(request);
        }
        Answer::Continue
    }

    /// Answers with a value that depends on the start.
    fn with_start(
        &mut self,
        request: &Request<'_>,
        answer: fn(&Request<'_>, &Start) -> Answer,
    ) -> Answer {
        self.start.as_ref().map_or(Answer::Continue, |start| answer(request, start))
    }

    /// Answers a program that opens a file. Valgrind opens its own files before the first program.
    fn open(&mut self, request: &Request<'_>) -> Answer {
        let Some(start) = &self.start else { return Answer::Continue };
        if start.is_of_valgrind(request.instruction) {
            return Answer::Continue;
        }
        let uptime = self.clocks.uptime().unwrap_or(self.files.uptime);
        let files = Files { uptime, first: Some(start.process), ..self.files };
        files::open(request, files, &mut self.random)
    }
}
