//! The runner's side of the fork server: starts cases and receives how they ended.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{self, MeasuredRegion, Message, SERVER_NUMBER, Start};

use super::cases::{CaseEnd, CaseEvent, Killed};
use super::places::Places;
use crate::error::{Error, Result};
use crate::note::Note;
use crate::process::{
    FixedSystemCalls, ProcessGroup, RunningProcess, StoppedCalls, SystemCallAnswers,
    can_stop_calls, is_descendant,
};

/// Returns the number of the captured output of a case, see [`protocol::capture_name`].
pub(super) fn capture_number(case: usize) -> u32 {
    u32::try_from(case).map_or(u32::MAX, |case| case.saturating_add(SERVER_NUMBER + 1))
}

/// Interval at which a silent server is checked. A process of a benchmark can keep the pipe open after its end.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A running fork server.
pub(super) struct Server {
    process: RunningProcess,
    commands: ChildStdin,
    messages: ChildStdout,
    /// Maximum duration of a case.
    limit: Option<Duration>,
    /// Process ids can be those of a container.
    foreign_ids: bool,
    active: HashMap<i32, ActiveCase>,
    regions: HashMap<i32, MeasuredRegion>,
    /// Lets the threads of the cases take turns.
    answers: Option<SystemCallAnswers>,
}

/// A case in progress.
struct ActiveCase {
    case: usize,
    /// The process group of the case, `None` if it is the server's own.
    group: Option<ProcessGroup>,
    started: Instant,
    /// The case exceeded the limit and was killed.
    has_timed_out: bool,
    /// Another case ran at the same time.
    in_parallel: bool,
}

/// The result of a turn. There is a child in each case; without a benchmark it ends at once.
enum Forked {
    /// The child with this process id.
    Child(i32),
    /// The walk did not reach the benchmark before it ended or `panicked`.
    NotReached { panicked: bool },
    /// The walk has passed the benchmark.
    Passed,
    /// The server has threads, which a child would not have.
    HasThreads,
}

/// The cases that a server was to run.
#[derive(Debug, Default)]
pub(super) struct ServerRun {
    /// The number of the cases that need no other server: they started, can't start, or are in one of the lists.
    pub(super) passed: usize,
    /// The cases for another walk, because this one has passed them.
    pub(super) to_repeat: Vec<usize>,
    /// The cases that can't be forked.
    pub(super) alone: Vec<usize>,
    /// The cases that ran when the server ended before they did; `None` if all that started came to their end.
    pub(super) lost: Option<Vec<LostCase>>,
}

/// A case that ran when its server ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct LostCase {
    pub(super) case: usize,
    pub(super) pid: i32,
    /// The server was killed because this case exceeded the limit.
    pub(super) timed_out: Option<Killed>,
}

impl Server {
    /// Starts this command as a fork server whose cases have this limit.
    pub(super) fn start(
        command: &mut Command,
        limit: Option<Duration>,
        foreign_ids: bool,
    ) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // The processes of a tool runner can be elsewhere
        let system_calls = (!foreign_ids)
            .then(|| FixedSystemCalls::prepare(command, StoppedCalls::with_seed(None)))
            .flatten();
        let mut process = RunningProcess::start(command)?;
        let answers = system_calls.and_then(FixedSystemCalls::answer);
        let child = &mut process.child;
        let (Some(commands), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        let (active, regions) = (HashMap::new(), HashMap::new());
        Ok(Self { process, commands, messages, limit, foreign_ids, active, regions, answers })
    }

    /// Runs the cases with these indexes, `jobs` in parallel, and sends their events. No more cases start after
    /// `send` returned false.
    ///
    /// # Errors
    ///
    /// Returns an error if the server can't fork.
    pub(super) fn run(
        &mut self,
        cases: &[usize],
        starts: &[Start],
        places: &Places<'_>,
        jobs: usize,
        send: &mut dyn FnMut(CaseEvent) -> bool,
    ) -> Result<ServerRun> {
        let mut run = ServerRun::default();
        if self.run_turns(cases, starts, places, jobs, &mut run, send)?.is_none() {
            let active = std::mem::take(&mut self.active).into_iter();
            let lost = active.map(|(pid, ActiveCase { case, has_timed_out, .. })| LostCase {
                case,
                pid,
                timed_out: self.killed(has_timed_out),
            });
            run.lost = Some(lost.collect());
        }
        Ok(run)
    }

    /// Returns `None` if the server ended before the cases did.
    fn run_turns(
        &mut self,
        cases: &[usize],
        starts: &[Start],
        places: &Places<'_>,
        jobs: usize,
        run: &mut ServerRun,
        send: &mut dyn FnMut(CaseEvent) -> bool,
    ) -> Result<Option<()>> {
        let jobs = jobs.min(cases.len()).max(1);
        let turn = |wait, fork, number, enter, Start { entry, item, seed }| {
            protocol::ServerCommand { entry, item, seed, number, wait, fork, enter, alone: false }
        };
        // From here on there are always as many children as jobs: one ends, one starts. The first
        // ones only settle the simulated caches, the last of them after a turn that is equal to those
        // of the cases.
        let settle = Start { entry: protocol::ServerCommand::SETTLE, item: 0, seed: None };
        for index in 0..=jobs {
            let settled =
                self.turn(turn(index == jobs, true, SERVER_NUMBER, false, settle), send)?;
            if settled.is_none() {
                return Ok(None);
            }
        }
        for (index, &case) in cases.iter().enumerate() {
            let number = capture_number(case);
            let enter = match places.create(case, number) {
                Ok(enter) => enter,
                Err(error) => {
                    run.passed = index + 1;
                    if send(CaseEvent::Failed(case, error)) {
                        continue;
                    }
                    break;
                }
            };
            let forked = self.turn(turn(true, true, number, enter, starts[case]), send)?;
            let Some(forked) = forked else { return Ok(None) };
            run.passed = index + 1;
            let event = match forked {
                Forked::Child(pid) => {
                    self.add_active(case, pid);
                    CaseEvent::Started(case)
                }
                Forked::Passed => {
                    run.to_repeat.push(case);
                    continue;
                }
                Forked::NotReached { panicked } => CaseEvent::NotReached { case, panicked },
                Forked::HasThreads => {
                    run.alone.push(case);
                    continue;
                }
            };
            if !send(event) {
                break;
            }
        }
        for _ in 0..jobs {
            if self.turn(turn(true, false, SERVER_NUMBER, false, settle), send)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// Adds a case that starts now, in a process that leads a group.
    fn add_active(&mut self, case: usize, pid: i32) {
        let in_parallel = !self.active.is_empty();
        self.active.values_mut().for_each(|active| active.in_parallel = true);
        // A process of this system with the same id must not be killed
        let is_ours = !self.foreign_ids || is_descendant(pid, self.process.id());
        let group = is_ours.then(|| ProcessGroup::new(pid));
        self.active.insert(pid, ActiveCase { in_parallel, ..ActiveCase::new(case, group) });
    }

    /// Runs this case in the process of the server, to the end of the process, in its place if it has one to
    /// `enter`. Returns `None` if the process ended before it received the command, and the event of the end otherwise.
    pub(super) fn run_itself(
        mut self,
        case: usize,
        enter: bool,
        start: Start,
        in_parallel: bool,
    ) -> Option<CaseEvent> {
        let Start { entry, item, seed } = start;
        let number = capture_number(case);
        let command = protocol::ServerCommand {
            entry,
            item,
            seed,
            number,
            wait: false,
            fork: false,
            enter,
            alone: true,
        };
        self.commands.write_all(&command.encode()).ok()?;
        let server = self.process.id();
        let mut pid = server;
        self.active.insert(server, ActiveCase::new(case, None));
        let mut event = None;
        while let Some(message) = self.message() {
            match message {
                // The first message belongs to the server's warm-up, that of its own process to the case
                Message::Region { pid: inner, region, is_unordered } => {
                    pid = if self.foreign_ids && inner != 0 { inner } else { pid };
                    self.reach_end(server, region, is_unordered);
                }
                Message::Turn { forked, .. } => {
                    let panicked = forked == Message::WALK_PANICKED;
                    event = Some(CaseEvent::NotReached { case, panicked });
                }
            }
        }
        let region = self.regions.remove(&server);
        let has_timed_out = self.active.remove(&server).is_some_and(|active| active.has_timed_out);
        let killed = self.killed(has_timed_out);
        let status = self.end()?;
        let end = CaseEnd { case, pid, status, killed, in_parallel, region };
        Some(event.unwrap_or(CaseEvent::Ended(end)))
    }

    /// Runs one turn of the server. Returns what it forked, `None` if the server ended.
    ///
    /// # Errors
    ///
    /// Returns an error if the server can't fork.
    fn turn(
        &mut self,
        command: protocol::ServerCommand,
        send: &mut dyn FnMut(CaseEvent) -> bool,
    ) -> Result<Option<Forked>> {
        if self.commands.write_all(&command.encode()).is_err() {
            return Ok(None);
        }
        loop {
            let Some(message) = self.message() else { return Ok(None) };
            match message {
                Message::Region { pid, region, is_unordered } => {
                    self.reach_end(pid, region, is_unordered);
                }
                Message::Turn { ended, status, forked } => {
                    let region = self.regions.remove(&ended);
                    if let Some(ended_case) = self.active.remove(&ended) {
                        let ActiveCase { case, group, has_timed_out, in_parallel, .. } = ended_case;
                        // Ends the processes that it left, which must not write more files
                        drop(group);
                        let status = ExitStatus::from_raw(status);
                        let killed = self.killed(has_timed_out);
                        let pid = ended;
                        let end = CaseEnd { case, pid, status, killed, in_parallel, region };
                        send(CaseEvent::Ended(end));
                    }
                    return match forked {
                        Message::NOT_REACHED => Ok(Some(Forked::NotReached { panicked: false })),
                        Message::WALK_PANICKED => Ok(Some(Forked::NotReached { panicked: true })),
                        Message::PASSED => Ok(Some(Forked::Passed)),
                        Message::HAS_THREADS => Ok(Some(Forked::HasThreads)),
                        error @ ..0 => Err(Error::Fork(io::Error::from_raw_os_error(-error))),
                        _ if ended < 0 => Ok(None),
                        pid => Ok(Some(Forked::Child(pid))),
                    };
                }
            }
        }
    }

    /// Records that a case came to its end. Prints a note for the first one whose threads took turns in an order of
    /// the kernel's.
    fn reach_end(&mut self, pid: i32, region: MeasuredRegion, is_unordered: bool) {
        static NOTE: Once = Once::new();
        self.regions.insert(pid, region);
        if is_unordered {
            let is_forbidden = self.foreign_ids || can_stop_calls();
            let note = if is_forbidden { Note::UnorderedThreads } else { Note::ThreadsNotStopped };
            NOTE.call_once(|| note.print());
        }
    }

    /// Returns the next message, `None` after the last one. Kills cases that exceed the limit.
    ///
    /// A program that starts Valgrind can print text to the same pipe, which is left out.
    fn message(&mut self) -> Option<Message> {
        let mut bytes = [0; Message::LENGTH];
        let (first, rest) = bytes.split_at_mut(1);
        loop {
            while !self.has_message(CHECK_INTERVAL) {
                if self.process.has_exited() && !self.has_message(Duration::ZERO) {
                    return None;
                }
                self.kill_slow();
            }
            self.messages.read_exact(first).ok()?;
            if Message::is_start(first[0]) {
                break;
            }
        }
        self.messages.read_exact(rest).ok()?;
        Message::decode(&bytes)
    }

    /// Waits for a message, or for the end of the pipe.
    fn has_message(&self, patience: Duration) -> bool {
        let patience = patience.min(self.left()).as_millis();
        let patience = i32::try_from(patience).unwrap_or(i32::MAX);
        let mut messages =
            libc::pollfd { fd: self.messages.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: a system call with a pointer to one entry.
        unsafe { libc::poll(&raw mut messages, 1, patience) > 0 }
    }

    /// Returns the time until a case exceeds the limit.
    fn left(&self) -> Duration {
        let Some(limit) = self.limit else { return Duration::MAX };
        let running = self.active.values().filter(|active| !active.has_timed_out);
        let first = running.map(|active| active.started).min();
        let left = first.map(|first| limit.saturating_sub(first.elapsed()));
        left.map_or(Duration::MAX, |left| left + Duration::from_millis(1))
    }

    /// Returns the reason why a case was killed, if it exceeded the limit.
    fn killed(&self, has_timed_out: bool) -> Option<Killed> {
        self.limit.filter(|_| has_timed_out).map(|limit| Killed::TimedOut { limit })
    }

    fn kill_slow(&mut self) {
        let Some(limit) = self.limit else { return };
        for case in self.active.values_mut().filter(|case| case.started.elapsed() >= limit) {
            case.has_timed_out = true;
            match &case.group {
                Some(group) => group.kill(),
                None => self.process.kill(),
            }
        }
    }

    /// Ends the server and waits for it.
    pub(super) fn end(self) -> Option<ExitStatus> {
        let Self { mut process, commands, answers, .. } = self;
        drop(commands);
        let status = process.wait(None).ok();
        drop(answers);
        status
    }
}

impl ActiveCase {
    /// Returns a case that starts now.
    fn new(case: usize, group: Option<ProcessGroup>) -> Self {
        let started = Instant::now();
        Self { case, group, started, has_timed_out: false, in_parallel: false }
    }
}
