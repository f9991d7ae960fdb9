//! The runner's side of the fork server: starts cases and receives how they ended.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{self, Message, SERVER_NUMBER, Start};

use super::cases::{CaseEnd, CaseEvent};
use super::places::Places;
use crate::error::Result;
use crate::note::Note;
use crate::process::{ProcessGroup, RunningProcess};

/// Returns the number of the captured output of a case, see [`protocol::capture_name`].
pub(super) fn capture_number(case: usize) -> u32 {
    u32::try_from(case).map_or(u32::MAX, |case| case.saturating_add(SERVER_NUMBER + 1))
}

/// A running fork server.
pub(super) struct Server {
    process: RunningProcess,
    commands: ChildStdin,
    messages: ChildStdout,
    /// Maximum duration of a case.
    limit: Option<Duration>,
    active: HashMap<i32, ActiveCase>,
    regions: HashMap<i32, (u64, u64)>,
}

/// A case in progress.
struct ActiveCase {
    case: usize,
    /// The process group of the case, `None` if it is the server's own.
    group: Option<ProcessGroup>,
    started: Instant,
    /// The case exceeded the limit and was killed.
    has_timed_out: bool,
}

impl Server {
    /// Starts this command as a fork server whose cases have this limit.
    pub(super) fn start(mut command: Command, limit: Option<Duration>) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = RunningProcess::start(&mut command)?;
        let child = &mut process.child;
        let (Some(commands), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        let (active, regions) = (HashMap::new(), HashMap::new());
        Ok(Self { process, commands, messages, limit, active, regions })
    }

    /// Runs these cases, `jobs` in parallel, and sends their events. No more cases start after `send`
    /// returned false. Returns `None` if the server ended before its cases.
    pub(super) fn run(
        &mut self,
        cases: &[Start],
        places: &Places<'_>,
        jobs: usize,
        send: &mut dyn FnMut(CaseEvent) -> bool,
    ) -> Option<()> {
        let jobs = jobs.min(cases.len()).max(1);
        let turn = |wait, fork, number, enter, Start { entry, item, seed }| {
            protocol::ServerCommand { entry, item, seed, number, wait, fork, enter, alone: false }
        };
        // From here on there are always as many children as jobs: one ends, one starts. The first
        // ones only settle the simulated caches, the last of them after a turn that is equal to those
        // of the cases.
        let settle = Start { entry: protocol::ServerCommand::SETTLE, item: 0, seed: None };
        for index in 0..=jobs {
            self.turn(turn(index == jobs, true, SERVER_NUMBER, false, settle), send)?;
        }
        for (case, &start) in cases.iter().enumerate() {
            let number = capture_number(case);
            let enter = match places.create(case, number) {
                Ok(enter) => enter,
                Err(error) => {
                    if send(CaseEvent::Failed(case, error)) {
                        continue;
                    }
                    break;
                }
            };
            let pid = self.turn(turn(true, true, number, enter, start), send)?;
            self.active.insert(pid, ActiveCase::new(case, Some(ProcessGroup::new(pid))));
            if !send(CaseEvent::Started(case)) {
                break;
            }
        }
        for _ in 0..jobs {
            self.turn(turn(true, false, SERVER_NUMBER, false, settle), send)?;
        }
        Some(())
    }

    /// Runs this case in the process of the server, to the end of the process, in its place if it has one to
    /// `enter`. Returns `None` if the process ended before it received the command.
    pub(super) fn run_itself(mut self, case: usize, enter: bool, start: Start) -> Option<CaseEnd> {
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
        let pid = self.process.id();
        self.active.insert(pid, ActiveCase::new(case, None));
        while let Some(message) = self.message() {
            // The first message belongs to the server's warm-up, that of its own process to the case
            if let Message::Region { begin, end, is_unordered, .. } = message {
                self.reach_end(pid, (begin, end), is_unordered);
            }
        }
        let region = self.regions.remove(&pid);
        let has_timed_out = self.active.remove(&pid).is_some_and(|active| active.has_timed_out);
        let timed_out = self.limit.filter(|_| has_timed_out);
        self.end().map(|status| CaseEnd { case, pid, status, timed_out, region })
    }

    /// Runs one turn of the server. Returns the process that it forked.
    fn turn(
        &mut self,
        command: protocol::ServerCommand,
        send: &mut dyn FnMut(CaseEvent) -> bool,
    ) -> Option<i32> {
        self.commands.write_all(&command.encode()).ok()?;
        loop {
            match self.message()? {
                Message::Region { pid, begin, end, is_unordered } => {
                    self.reach_end(pid, (begin, end), is_unordered);
                }
                Message::Turn { forked: -1, .. } | Message::Turn { ended: -1, .. } => return None,
                Message::Turn { ended, status, forked } => {
                    let region = self.regions.remove(&ended);
                    if let Some(ended_case) = self.active.remove(&ended) {
                        let ActiveCase { case, group, has_timed_out, .. } = ended_case;
                        // Ends the processes that it left, which must not write more files
                        drop(group);
                        let status = ExitStatus::from_raw(status);
                        let timed_out = self.limit.filter(|_| has_timed_out);
                        let end = CaseEnd { case, pid: ended, status, timed_out, region };
                        send(CaseEvent::Ended(end));
                    }
                    return Some(forked);
                }
            }
        }
    }

    /// Records that a case came to its end. Prints a note for the first one whose threads took turns in an order of
    /// the kernel's.
    fn reach_end(&mut self, pid: i32, region: (u64, u64), is_unordered: bool) {
        static NOTE: Once = Once::new();
        self.regions.insert(pid, region);
        if is_unordered {
            NOTE.call_once(|| Note::UnorderedThreads.print());
        }
    }

    /// Returns the next message, `None` after the last one. Kills cases that exceed the limit.
    fn message(&mut self) -> Option<Message> {
        while !self.has_message() {
            self.kill_slow();
        }
        let mut bytes = [0; Message::LENGTH];
        self.messages.read_exact(&mut bytes).ok()?;
        Message::decode(&bytes)
    }

    /// Waits for a message until a case exceeds the limit.
    fn has_message(&self) -> bool {
        let Some(limit) = self.limit else { return true };
        let started = self
            .active
            .values()
            .filter(|active| !active.has_timed_out)
            .map(|active| active.started);
        let Some(first) = started.min() else { return true };
        let left = limit.saturating_sub(first.elapsed()).as_millis() + 1;
        let left = i32::try_from(left).unwrap_or(i32::MAX);
        let mut messages =
            libc::pollfd { fd: self.messages.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: a system call with a pointer to one entry.
        unsafe { libc::poll(&raw mut messages, 1, left) > 0 }
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
        let Self { mut process, commands, .. } = self;
        drop(commands);
        process.wait(None).ok()
    }
}

impl ActiveCase {
    /// Returns a case that starts now.
    fn new(case: usize, group: Option<ProcessGroup>) -> Self {
        Self { case, group, started: Instant::now(), has_timed_out: false }
    }
}
