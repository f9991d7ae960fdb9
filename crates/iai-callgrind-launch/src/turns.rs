//! The turns of a fork server: each starts a case, and reports the end of another.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;

use iai_callgrind_plan::protocol::{
    MeasuredRegion, Message, SERVER_NUMBER, ServerCommand, Start, Token,
};
use iai_callgrind_process::{
    Exceeded, FIRST_ID, LimitWatch, ProcessError, ProcessGroup, Received, describe_running_threads,
    is_descendant, is_stranger, is_zombie,
};

use crate::active::{ActiveCase, Walk};
use crate::captured::capture_number;
use crate::cases::{CaseEnd, CaseEvent, Killed, LaunchCases, NotReached};
use crate::error::Result;
use crate::namespaces::{Isolated, Namespaces};
use crate::server::{CHECK_INTERVAL, Server};

/// Largest error number of the system. A message without a child contains the negative number.
const MAX_ERROR: i32 = 4095;

/// The cases of a launch that a server runs.
pub(crate) struct Turns<'a, 'c> {
    pub(crate) server: Server,
    launch: &'a LaunchCases<'c>,
    /// Receives the events of the cases. Once it returned `false`, no more cases start.
    send: &'a mut dyn FnMut(CaseEvent) -> bool,
    /// Time of the last check of the limits.
    checked: Instant,
    pub(crate) active: HashMap<i32, ActiveCase>,
    /// The code before a case, which the server runs.
    pub(crate) walk: Option<Walk>,
    /// Number of the children that the server has not waited for.
    children: usize,
    /// Token of the last command, and all tokens.
    pub(crate) token: Token,
    tokens: HashSet<Token>,
    /// Regions of cases, and of processes that returned from a case as well, by the token of their
    /// message.
    pub(crate) regions: HashMap<(Token, i32), MeasuredRegion>,
    /// Tokens of the commands whose children could not mount their `/proc`, and their finished
    /// cases.
    not_isolated: HashSet<Token>,
    to_repeat: Vec<usize>,
}

/// The result of a turn. Each result has a child; without a benchmark the child exits at once.
enum Forked {
    /// The child with this process id.
    Child(i32),
    /// The walk did not reach the benchmark.
    NotReached(NotReached),
    /// The walk has passed the benchmark.
    Passed,
    /// The server has threads, which a child would not have.
    HasThreads,
    /// The server can't enter the namespace of the child.
    NotIsolated,
}

/// The cases that a server was to run.
#[derive(Debug, Default)]
pub(crate) struct ServerRun {
    /// Number of the cases that need no other server: they started, can't start, or are in one of
    /// the lists.
    pub(crate) passed: usize,
    /// Cases for another server: its walk has passed them, or their children could not mount
    /// their `/proc`.
    pub(crate) to_repeat: Vec<usize>,
    /// The cases that can't be forked.
    pub(crate) alone: Vec<usize>,
    /// The status of the server; `None` if it did not exit within its limit.
    pub(crate) status: Option<ExitStatus>,
    /// The case that may have started before the server exited without a message.
    starting: Option<usize>,
    /// The cases that were running when the server exited; `None` if all started cases were
    /// finished.
    pub(crate) lost: Option<Vec<LostCase>>,
    /// The server was killed because the code before the next case exceeded this limit.
    pub(crate) blocked: Option<Exceeded>,
    /// The server was killed because its pipe had bytes that are not a message.
    pub(crate) is_foreign: bool,
    /// The server can't enter a namespace of processes for the next case, or a child can't mount
    /// its `/proc`.
    pub(crate) is_not_isolated: bool,
}

/// A case that ran when its server ended.
#[derive(Debug)]
pub(crate) struct LostCase {
    pub(crate) case: usize,
    /// `None` if the server did not tell it.
    pub(crate) pid: Option<i32>,
    /// The processes and files that it left behind, if it had a namespace of processes of its own.
    pub(crate) isolated: Option<Isolated>,
    /// The limit that this case exceeded, for which the server was killed.
    pub(crate) exceeded: Option<Exceeded>,
}

impl LostCase {
    /// Returns the end of a case that exceeded its limit, or that is the `culprit` for the server's
    /// exit, with the status of the server.
    pub(crate) fn end(self, status: ExitStatus, culprit: Option<Killed>) -> Option<CaseEnd> {
        let Self { case, pid, isolated, exceeded } = self;
        let killed = Some(exceeded.map(Killed::Exceeded).or(culprit)?);
        let (pid, in_parallel, region) = (pid.unwrap_or_default(), false, None);
        Some(CaseEnd { case, pid, isolated, status, killed, in_parallel, region })
    }
}

impl<'a, 'c> Turns<'a, 'c> {
    /// Runs cases of this launch in a server, and sends their events.
    pub(crate) fn new(
        server: Server,
        launch: &'a LaunchCases<'c>,
        send: &'a mut dyn FnMut(CaseEvent) -> bool,
    ) -> Self {
        Self {
            server,
            launch,
            send,
            checked: Instant::now(),
            active: HashMap::new(),
            walk: None,
            children: 0,
            token: Token::START,
            tokens: HashSet::new(),
            regions: HashMap::new(),
            not_isolated: HashSet::new(),
            to_repeat: Vec::new(),
        }
    }

    /// Runs the cases with these indexes, `jobs` in parallel, and ends the server.
    ///
    /// # Errors
    ///
    /// Returns an error if the server can't fork.
    pub(crate) fn run(mut self, cases: &[usize], jobs: usize) -> Result<ServerRun> {
        let mut run = ServerRun::default();
        let turns = self.run_turns(cases, jobs, &mut run)?;
        run.is_not_isolated |= !self.to_repeat.is_empty();
        run.to_repeat.append(&mut self.to_repeat);
        // The server has waited for all its children, so it must know how they ended
        if turns.is_none() || !self.active.is_empty() {
            let active = std::mem::take(&mut self.active).into_iter();
            let lost = active.map(|(pid, ActiveCase { case, exceeded, .. })| {
                let isolated = self.server.namespaces.as_mut().and_then(|it| it.end(pid));
                LostCase { case, pid: Some(pid), isolated, exceeded }
            });
            let mut lost: Vec<_> = lost.collect();
            lost.extend(run.starting.map(|case| {
                let isolated = self.server.namespaces.as_mut().and_then(Namespaces::end_next);
                LostCase { case, pid: None, isolated, exceeded: None }
            }));
            run.lost = Some(lost);
            run.blocked = self.walk.take().and_then(|walk| walk.exceeded);
            run.is_foreign = self.server.is_foreign;
        }
        run.status = self.server.end();
        Ok(run)
    }

    /// Returns `None` if the server exited before all cases were finished.
    fn run_turns(
        &mut self,
        cases: &[usize],
        jobs: usize,
        run: &mut ServerRun,
    ) -> Result<Option<()>> {
        let LaunchCases { starts, places, .. } = *self.launch;
        let jobs = jobs.min(cases.len()).max(1);
        let isolate = self.server.namespaces.is_some();
        let turn = |wait, fork, number, enter, start| ServerCommand {
            wait,
            fork,
            isolate,
            ..command(start, number, enter)
        };
        // From here on the number of children is that of the jobs: one exits, one starts. The first
        // children only settle the simulated caches. The turn before the last of them equals the
        // turns of the cases.
        let settle = Start { entry: ServerCommand::SETTLE, item: 0, seed: None };
        for index in 0..=jobs {
            // The executable reaches its first turn within the limit
            let walk = (index == 0).then(|| Walk::start(cases[0]));
            let command = turn(index == jobs, true, SERVER_NUMBER, false, settle);
            match self.turn(command, walk)? {
                None => return Ok(None),
                Some(Forked::NotIsolated) => {
                    run.is_not_isolated = true;
                    return Ok(Some(()));
                }
                Some(_) => {}
            }
        }
        for (index, &case) in cases.iter().enumerate() {
            let number = capture_number(case);
            let enter = match places.create(case) {
                Ok(enter) => enter,
                Err(error) => {
                    run.passed = index + 1;
                    if (self.send)(CaseEvent::Failed(case, error)) {
                        continue;
                    }
                    break;
                }
            };
            let walk = is_on_walk(starts[case]).then(|| Walk::new(case));
            let forked = self.turn(turn(true, true, number, enter, starts[case]), walk)?;
            let Some(forked) = forked else {
                // The file's own code can also end its process before the case
                let can_run = self.server.is_foreign || !is_on_walk(starts[case]);
                run.starting = can_run.then_some(case);
                run.passed = index + usize::from(can_run);
                return Ok(None);
            };
            run.passed = index + 1;
            let event = match forked {
                Forked::Child(pid) => {
                    if !self.add_active(case, pid) {
                        run.passed = index;
                        return Ok(self.server.reject());
                    }
                    CaseEvent::Started(case)
                }
                Forked::Passed => {
                    run.to_repeat.push(case);
                    continue;
                }
                Forked::NotReached(reason) => CaseEvent::NotReached { case, reason },
                Forked::HasThreads => {
                    run.alone.push(case);
                    continue;
                }
                Forked::NotIsolated => {
                    run.passed = index;
                    run.is_not_isolated = true;
                    break;
                }
            };
            if !(self.send)(event) {
                break;
            }
        }
        while self.children > 0 {
            if self.turn(turn(true, false, SERVER_NUMBER, false, settle), None)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// Adds a starting case, in a process that leads a group. Returns `false` if the process is not
    /// a child of the server.
    fn add_active(&mut self, case: usize, pid: i32) -> bool {
        // A process of this system with the same id must not be killed
        let server = self.server.process.id();
        let is_ours =
            is_descendant(pid, server) || !self.server.foreign_ids && !is_stranger(pid, server);
        let group = is_ours.then(|| ProcessGroup::new(pid)).flatten();
        if self.active.contains_key(&pid) || group.is_none() && !self.server.foreign_ids {
            return false;
        }
        let in_parallel = !self.active.is_empty();
        self.active.values_mut().for_each(|active| active.in_parallel = true);
        let mut case =
            ActiveCase::new(case, group, self.token, LimitWatch::new(self.server.limit, pid));
        case.in_parallel = in_parallel;
        self.active.insert(pid, case);
        true
    }

    /// Runs one turn of the server, which first runs the code of this `walk`. Returns what it
    /// forked, or `None` if the server exited.
    ///
    /// # Errors
    ///
    /// Returns an error if the server can't fork.
    fn turn(&mut self, command: ServerCommand, walk: Option<Walk>) -> Result<Option<Forked>> {
        self.walk = walk;
        self.token = command.token;
        self.tokens.insert(command.token);
        if let Some(namespaces) = self.server.namespaces.as_mut().filter(|_| command.fork) {
            namespaces.prepare(command.number)?;
        }
        if self.server.command(&command).is_none() {
            return Ok(None);
        }
        loop {
            let Some((token, message)) = self.message() else { return Ok(None) };
            match message {
                // That of the warm-up
                Message::Region { pid: 0, .. } if token == Token::START => {}
                Message::Region { pid, region, is_unordered } if self.is_awaited(token, pid) => {
                    self.reach_end(pid, token, region, is_unordered);
                }
                Message::Turn { ended: 0, forked: Message::NOT_ISOLATED, .. }
                    if command.wait && self.is_awaited(token, FIRST_ID) =>
                {
                    self.not_isolated.insert(token);
                }
                Message::Turn { ended, status, forked }
                    if token == command.token && is_answer(&command, ended, forked) =>
                {
                    let is_error = (-MAX_ERROR..0).contains(&forked);
                    let has_child = command.fork && !is_error && forked != Message::NOT_ISOLATED;
                    self.children += usize::from(has_child);
                    self.children -= usize::from(ended > 0).min(self.children);
                    self.end_case(ended, ExitStatus::from_raw(status));
                    if let Some(namespaces) = self.server.namespaces.as_mut().filter(|_| !is_error)
                    {
                        namespaces.start(forked);
                    }
                    if let Some(reason) = not_reached(forked) {
                        return Ok(Some(Forked::NotReached(reason)));
                    }
                    return match forked {
                        Message::PASSED => Ok(Some(Forked::Passed)),
                        Message::HAS_THREADS => Ok(Some(Forked::HasThreads)),
                        Message::NOT_ISOLATED => Ok(Some(Forked::NotIsolated)),
                        error @ ..0 => {
                            Err(ProcessError::Fork(io::Error::from_raw_os_error(-error)).into())
                        }
                        _ if ended < 0 => Ok(None),
                        pid => Ok(Some(Forked::Child(pid))),
                    };
                }
                _ => return Ok(self.server.reject()),
            }
        }
    }

    /// Returns `true` if a process can finish a case with a message with this token: the first one.
    /// The case can have started other processes that reach its end too, even later.
    fn is_awaited(&self, token: Token, pid: i32) -> bool {
        pid > 0 && !self.regions.contains_key(&(token, pid)) && self.tokens.contains(&token)
    }

    /// Sends the end of the case in this process, if there is one.
    fn end_case(&mut self, pid: i32, status: ExitStatus) {
        // Children that only settle the simulated caches had one as well
        let isolated = self.server.namespaces.as_mut().and_then(|namespaces| namespaces.end(pid));
        let Some(ended) = self.active.remove(&pid) else { return };
        let ActiveCase { case, group, token, exceeded, in_parallel, .. } = ended;
        if self.not_isolated.contains(&token) {
            self.to_repeat.push(case);
            return;
        }
        let sender = if isolated.is_some() { FIRST_ID } else { pid };
        let region = self.regions.remove(&(token, sender));
        // Kills the processes that it left behind, which must not write more files
        drop(group);
        let killed = exceeded.map(Killed::Exceeded);
        let end = CaseEnd { case, pid, isolated, status, killed, in_parallel, region };
        (self.send)(CaseEvent::Ended(end));
    }

    /// Records a finished case. Prints a note for the first one whose threads the kernel scheduled.
    pub(crate) fn reach_end(
        &mut self,
        pid: i32,
        token: Token,
        region: MeasuredRegion,
        is_unordered: bool,
    ) {
        self.regions.insert((token, pid), region);
        if is_unordered {
            self.server.note_unordered();
        }
    }

    /// Returns the next message with its token, or `None` after the last one. Kills processes that
    /// exceed a limit.
    pub(crate) fn message(&mut self) -> Option<(Token, Message)> {
        while !self.server.is_foreign {
            match self.server.receive() {
                Received::Message(token, message) => return Some((token, message)),
                Received::End => return None,
                Received::Foreign => return self.server.reject(),
                // Also while a process writes without a pause
                Received::Nothing if self.checked.elapsed() >= CHECK_INTERVAL => {
                    self.check_limits();
                    self.checked = Instant::now();
                }
                Received::Nothing => {}
            }
        }
        None
    }

    /// Adds a case that starts in the process of the server.
    pub(crate) fn start_itself(&mut self, case: usize) {
        let server = self.server.process.id();
        let case =
            ActiveCase::new(case, None, self.token, LimitWatch::new(self.server.limit, server));
        self.active.insert(server, case);
    }

    /// Adds a case that the process of the server has reached on its walk.
    pub(crate) fn reach_itself(&mut self, case: usize) {
        self.walk = None;
        self.start_itself(case);
        (self.send)(CaseEvent::Started(case));
    }

    /// Kills the cases that exceed the limit, and the server if the code before the next case does.
    /// Sends an event when that code is slow.
    fn check_limits(&mut self) {
        let mut finished = Vec::new();
        for (&pid, active) in &mut self.active {
            // Until the server waits for it
            let is_over = if self.server.foreign_ids {
                self.regions.contains_key(&(active.token, pid))
            } else {
                is_zombie(pid)
            };
            if is_over {
                finished.push(active.case);
                continue;
            }
            active.check(&self.server.process);
            if active.becomes_slow() {
                // Another process can have the id by now
                if let Some(threads) =
                    (!self.server.foreign_ids).then(|| describe_running_threads(pid)).flatten()
                {
                    (self.send)(CaseEvent::Slow { case: active.case, threads });
                }
            }
        }
        let Some(walk) = &mut self.walk else { return };
        let next = walk.next;
        // The server waits for the first child that exits. Children without a case exit at once
        let can_wait = !walk.runs_itself && finished.is_empty() && self.children > 0;
        if can_wait && self.children == self.active.len() {
            walk.pause();
        } else if walk.check(&self.server.process, || {
            LimitWatch::new(self.server.limit, self.server.process.id())
        }) {
            (self.send)(CaseEvent::SlowCode { finished, next });
        }
    }
}

/// Returns `true` for a case that a walk through the file reaches.
pub(crate) fn is_on_walk(start: Start) -> bool {
    start.entry == ServerCommand::WALK
}

/// Returns a command with a new token. The caller decides how the server runs it.
pub(crate) fn command(start: Start, number: u32, enter: bool) -> ServerCommand {
    let Start { entry, item, seed } = start;
    let (wait, fork, alone, isolate) = (false, false, false, false);
    let token = Token::new(fastrand::u32(..));
    ServerCommand { entry, item, seed, number, wait, fork, enter, alone, isolate, token }
}

/// Returns the reason in a message of a server that did not reach a case.
pub(crate) fn not_reached(forked: i32) -> Option<NotReached> {
    match forked {
        Message::NOT_REACHED => Some(NotReached::Absent),
        Message::WALK_PANICKED => Some(NotReached::Panicked),
        _ => None,
    }
}

/// Returns `true` if the reply to a command can have these values.
fn is_answer(command: &ServerCommand, ended: i32, forked: i32) -> bool {
    let is_reason = forked <= Message::NOT_ISOLATED || (-MAX_ERROR..0).contains(&forked);
    let has_waited = if command.wait { ended > 0 || ended == -1 } else { ended == 0 };
    let has_forked = if command.fork { forked > 0 || is_reason } else { forked == 0 };
    has_waited && has_forked
}
