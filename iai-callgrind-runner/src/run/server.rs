//! The runner's side of the fork server: which case runs when, and how it ended.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{self, Message, SERVER_NUMBER, Start};

use crate::error::Result;
use crate::process::{Group, RunningProcess};

/// What the server tells while it runs.
#[derive(Debug)]
pub(crate) enum Event {
    /// This case has started.
    Started(usize),
    /// This case has ended.
    Ended(Ended),
}

/// How a case ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The case.
    pub(crate) case: usize,
    /// The process it ran in.
    pub(crate) pid: i32,
    /// That process's status.
    pub(crate) status: ExitStatus,
    /// The limit, if it was killed because it took longer than that.
    pub(crate) overdue: Option<Duration>,
    /// When the measured region began and ended, unless the case did not come to its end; see
    /// [`Message::Region`].
    pub(crate) region: Option<(u64, u64)>,
}

/// The number that the captured output of a case has, see [`protocol::capture_name`].
pub(crate) fn capture_number(case: usize) -> u32 {
    u32::try_from(case).map_or(u32::MAX, |case| case.saturating_add(SERVER_NUMBER + 1))
}

/// A running fork server.
pub(crate) struct Server {
    process: RunningProcess,
    commands: ChildStdin,
    messages: ChildStdout,
    /// How long a case may take.
    limit: Option<Duration>,
    running: HashMap<i32, RunningCase>,
    regions: HashMap<i32, (u64, u64)>,
}

/// A case that runs.
struct RunningCase {
    case: usize,
    /// None if it is the server's own.
    group: Option<Group>,
    started: Instant,
    /// Whether it took longer than it may, and was killed.
    is_overdue: bool,
}

/// Whether all cases came to their end.
#[derive(Debug)]
pub(crate) enum Complete {
    Yes,
    /// No, because the server ended before, with this status.
    No(Option<ExitStatus>),
}

impl Server {
    /// Starts the command as a fork server and has it run these cases, see [`Self::run`].
    pub(crate) fn run_all(
        commands: Vec<Command>,
        cases: &[Start],
        (jobs, limit): (usize, Option<Duration>),
        mut tell: impl FnMut(Event) -> bool,
    ) -> Result<Complete> {
        for command in commands {
            let mut server = Self::start(command, limit)?;
            let complete = server.run(cases, jobs, &mut tell);
            let status = server.end();
            if complete.is_none() {
                return Ok(Complete::No(status));
            }
        }
        Ok(Complete::Yes)
    }

    /// Starts this command as a fork server whose cases may take so long.
    pub(super) fn start(mut command: Command, limit: Option<Duration>) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = RunningProcess::start(&mut command)?;
        let child = &mut process.child;
        let (Some(commands), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        let (running, regions) = (HashMap::new(), HashMap::new());
        Ok(Self { process, commands, messages, limit, running, regions })
    }

    /// Runs these cases, `jobs` at once, and tells each event. No more of them start
    /// once `tell` says false. None if the server ended before all cases had.
    fn run(
        &mut self,
        cases: &[Start],
        jobs: usize,
        mut tell: impl FnMut(Event) -> bool,
    ) -> Option<()> {
        let jobs = jobs.min(cases.len()).max(1);
        let turn = |wait, fork, number, Start { entry, item, seed }| protocol::Command {
            entry,
            item,
            seed,
            number,
            wait,
            fork,
            alone: false,
        };
        // From here on there are always as many children as jobs: one ends, one starts. The first
        // ones only settle the simulated caches, the last of them after a turn that is like those of
        // the cases in everything.
        let settle = Start { entry: protocol::Command::SETTLE, item: 0, seed: None };
        for index in 0..=jobs {
            self.turn(turn(index == jobs, true, SERVER_NUMBER, settle), &mut tell)?;
        }
        for (case, &start) in cases.iter().enumerate() {
            let pid = self.turn(turn(true, true, capture_number(case), start), &mut tell)?;
            self.running.insert(pid, RunningCase::new(case, Some(Group::of(pid))));
            if !tell(Event::Started(case)) {
                break;
            }
        }
        for _ in 0..jobs {
            self.turn(turn(true, false, SERVER_NUMBER, settle), &mut tell)?;
        }
        Some(())
    }

    /// Has the server run this case in its own process, to the end of that. None if it ended before it
    /// could be told to.
    pub(super) fn run_itself(mut self, case: usize, start: Start) -> Option<Ended> {
        let Start { entry, item, seed } = start;
        let number = capture_number(case);
        let command =
            protocol::Command { entry, item, seed, number, wait: false, fork: false, alone: true };
        self.commands.write_all(&command.encode()).ok()?;
        let pid = self.process.id();
        self.running.insert(pid, RunningCase::new(case, None));
        while let Some(message) = self.message() {
            // The first message is of the server's warm-up, that of its own process the case's
            if let Message::Region { pid, begin, end } = message {
                self.regions.insert(pid, (begin, end));
            }
        }
        let region = self.regions.remove(&pid);
        let is_overdue = self.running.remove(&pid).is_some_and(|it| it.is_overdue);
        let overdue = self.limit.filter(|_| is_overdue);
        self.end().map(|status| Ended { case, pid, status, overdue, region })
    }

    /// Has the server do one turn. Returns the process that it forked.
    fn turn(
        &mut self,
        command: protocol::Command,
        tell: &mut impl FnMut(Event) -> bool,
    ) -> Option<i32> {
        self.commands.write_all(&command.encode()).ok()?;
        loop {
            match self.message()? {
                Message::Region { pid, begin, end } => {
                    self.regions.insert(pid, (begin, end));
                }
                Message::Turn { forked: -1, .. } | Message::Turn { ended: -1, .. } => return None,
                Message::Turn { ended, status, forked } => {
                    let region = self.regions.remove(&ended);
                    if let Some(ended_case) = self.running.remove(&ended) {
                        let RunningCase { case, group, is_overdue, .. } = ended_case;
                        // What it left behind writes no more files
                        drop(group);
                        let status = ExitStatus::from_raw(status);
                        let overdue = self.limit.filter(|_| is_overdue);
                        tell(Event::Ended(Ended { case, pid: ended, status, overdue, region }));
                    }
                    return Some(forked);
                }
            }
        }
    }

    /// The next message; none if there are no more. Cases that take too long are killed meanwhile.
    fn message(&mut self) -> Option<Message> {
        while !self.has_message() {
            self.kill_overdue();
        }
        let mut bytes = [0; Message::LENGTH];
        self.messages.read_exact(&mut bytes).ok()?;
        Message::decode(&bytes)
    }

    /// Waits for a message, but not longer than the next case may still take.
    fn has_message(&self) -> bool {
        let Some(limit) = self.limit else { return true };
        let started = self.running.values().filter(|it| !it.is_overdue).map(|it| it.started);
        let Some(first) = started.min() else { return true };
        let left = limit.saturating_sub(first.elapsed()).as_millis() + 1;
        let left = i32::try_from(left).unwrap_or(i32::MAX);
        let mut messages =
            libc::pollfd { fd: self.messages.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: a system call with a pointer to one entry.
        unsafe { libc::poll(&raw mut messages, 1, left) > 0 }
    }

    fn kill_overdue(&mut self) {
        let Some(limit) = self.limit else { return };
        for case in self.running.values_mut().filter(|it| it.started.elapsed() >= limit) {
            case.is_overdue = true;
            match &case.group {
                Some(group) => group.kill(),
                None => self.process.kill(),
            }
        }
    }

    /// Lets the server end, and waits for that.
    fn end(self) -> Option<ExitStatus> {
        let Self { mut process, commands, .. } = self;
        drop(commands);
        process.wait(None).ok()
    }
}

impl RunningCase {
    /// It starts now.
    fn new(case: usize, group: Option<Group>) -> Self {
        Self { case, group, started: Instant::now(), is_overdue: false }
    }
}
