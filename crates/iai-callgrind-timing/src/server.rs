//! A fork server without Valgrind: each child times a case, or repeats its calls.

use std::collections::HashSet;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use iai_callgrind_plan::protocol::{
    BatchTime, Batches, Counting, Measuring, Message, ParentId, ServerCommand, ServerEnvironment,
    Start, Token,
};
use iai_callgrind_process::{
    Limit, LimitWatch, MessagePipe, ProcessError, ProcessGroup, Received, RunningProcess,
    interrupted, is_stranger,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::error::{Error, Result, TimeError};
use super::profile::Repeated;

/// Interval at which a case is checked against its limit.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The largest stack of a server in bytes. The inputs of a batch are on the stack.
const STACK: u64 = 64 * 1024 * 1024;

/// The largest error number of the system. A message without a child has its negative.
const MAX_ERROR: i32 = 4095;

/// A running fork server.
pub(super) struct TimeServer {
    process: RunningProcess,
    commands: ChildStdin,
    messages: MessagePipe<ChildStdout>,
    limit: Option<Limit>,
    /// The tokens of all commands.
    tokens: HashSet<Token>,
}

/// A case with the directory that it runs in.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedStart {
    pub(super) start: Start,
    /// Number of the files of its output, and of the link to its directory.
    pub(super) number: u32,
    /// The case has a directory of its own.
    pub(super) enter: bool,
}

impl TimeServer {
    /// Starts this command as a fork server, which times cases or repeats their calls. The output of its children goes to
    /// files in the directory `staging`.
    pub(super) fn start(
        command: &mut Command,
        counting: Counting,
        staging: &str,
        limit: Option<Limit>,
    ) -> Result<Self> {
        let environment = ServerEnvironment {
            measuring: Measuring { counting, ..Measuring::DEFAULT },
            cpus: 0,
            virtual_clock: false,
            parent: ParentId::Native,
            stops_threads: false,
            marks_log: false,
            directory: staging.to_owned(),
        };
        command.envs(environment.variables(0)).stdin(Stdio::piped()).stdout(Stdio::piped());
        // SAFETY: the closure makes system calls, which are allowed between fork and exec.
        unsafe { command.pre_exec(raise_stack) };
        let mut process = RunningProcess::start_copy(command)?;
        let child = &mut process.child;
        let (Some(commands), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        let messages = MessagePipe::new(messages, false);
        let mut watch = LimitWatch::new(limit, process.id());
        let mut server = Self { process, commands, messages, limit, tokens: HashSet::new() };
        // The server runs the code of a child once
        match server.message(&mut watch)? {
            Some((Token::START, Message::Region { .. })) => Ok(server),
            Some(_) => Err(TimeError::ForeignMessage.into()),
            None => Err(match server.end() {
                Error::Time(TimeError::ServerEnded { status }) => {
                    TimeError::NoServer { status }.into()
                }
                error => error,
            }),
        }
    }

    /// Times a case in a child.
    ///
    /// # Errors
    ///
    /// Returns an error if the case can't run. The server can have ended, or have a message left: it is of no
    /// use then.
    pub(super) fn sample(&mut self, case: TimedStart, batches: Batches) -> Result<BatchTime> {
        let reply = |message| match message {
            Message::Time { pid, batch } => Some((pid, batch)),
            _ => None,
        };
        let time = self.run(case, batches.seed(), reply, &mut |_| ())?;
        let is_possible = time.calls <= batches.calls.max(1);
        if is_possible { Ok(time) } else { Err(TimeError::ForeignMessage.into()) }
    }

    /// Repeats the calls of a case for this long in a child. `started` is called with the id of its process.
    ///
    /// # Errors
    ///
    /// See [`Self::sample`].
    pub(super) fn repeat(
        &mut self,
        case: TimedStart,
        duration: Duration,
        started: &mut dyn FnMut(i32),
    ) -> Result<Repeated> {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let reply = |message| match message {
            Message::Repeated { pid, calls, wall } => {
                Some((pid, Repeated { calls, wall: Duration::from_nanos(wall) }))
            }
            _ => None,
        };
        self.run(case, nanoseconds, reply, started)
    }

    /// Runs a case in a child, which replies with the id of its process and a value. `started` is called with the id.
    fn run<R>(
        &mut self,
        case: TimedStart,
        seed: u64,
        reply: impl Fn(Message) -> Option<(i32, R)>,
        started: &mut dyn FnMut(i32),
    ) -> Result<R> {
        let TimedStart { start: Start { entry, item, .. }, number, enter } = case;
        let seed = Some(seed);
        let (alone, isolate, wait, fork) = (false, false, false, true);
        let token = Token::new(fastrand::u32(..));
        let forks =
            ServerCommand { entry, item, seed, number, wait, fork, enter, alone, isolate, token };
        let waits = || {
            let token = Token::new(fastrand::u32(..));
            ServerCommand { wait: true, fork: false, token, ..forks }
        };
        let mut waiting = waits();
        self.tokens.insert(token);
        let bytes = [forks.encode(), waiting.encode()].concat();
        // Ends the processes that the case leaves
        let mut groups = Vec::new();
        if self.commands.write_all(&bytes).is_err() {
            return Err(self.end());
        }
        let mut watch = LimitWatch::new(self.limit, self.process.id());
        let (mut child, mut replies) = (None, Vec::new());
        loop {
            let Some((token, message)) = self.message(&mut watch)? else { return Err(self.end()) };
            // A process that came back from the case as well has another id
            if let Some((pid, value)) = reply(message).filter(|(pid, _)| *pid > 0) {
                if !self.tokens.contains(&token) {
                    return Err(TimeError::ForeignMessage.into());
                }
                replies.extend((token == forks.token).then_some((pid, value)));
                continue;
            }
            match message {
                Message::Turn { ended: 0, status: 0, forked }
                    if token == forks.token && child.is_none() =>
                {
                    child = Some(forked);
                    // It may have exited, and another process may have its id
                    if forked > 0 && !is_stranger(forked, self.process.id()) {
                        groups.extend(ProcessGroup::new(forked));
                        watch.follow(forked);
                        started(forked);
                    }
                }
                Message::Turn { ended, forked: 0, .. }
                    if token == waiting.token && is_other(ended, child) =>
                {
                    waiting = waits();
                    if self.commands.write_all(&waiting.encode()).is_err() {
                        return Err(self.end());
                    }
                }
                Message::Turn { status, forked: 0, .. } if token == waiting.token => {
                    let status = ExitStatus::from_raw(status);
                    return the_reply(replies, child.unwrap_or_default(), status);
                }
                _ => return Err(TimeError::ForeignMessage.into()),
            }
        }
    }

    /// Returns the next message with its token, `None` at the end of the pipe. The server is killed if what is watched
    /// exceeds its limit, unless it is a child: the caller has its group.
    fn message(&mut self, watch: &mut LimitWatch) -> Result<Option<(Token, Message)>> {
        loop {
            match self.messages.receive(CHECK_INTERVAL) {
                Received::Message(token, message) => return Ok(Some((token, message))),
                Received::End => return Ok(None),
                Received::Foreign => return Err(TimeError::ForeignMessage.into()),
                Received::Nothing => {}
            }
            if let Some(exceeded) = watch.exceeded() {
                if watch.process() == self.process.id() {
                    self.process.kill();
                }
                return Err(ProcessError::Exceeded(exceeded).into());
            }
            if let Some(signal) = interrupted() {
                return Err(ProcessError::Interrupted { signal }.into());
            }
        }
    }

    /// Returns the error of a server that ended.
    fn end(&mut self) -> Error {
        match self.process.wait(Some(CHECK_INTERVAL)) {
            Ok(status) => TimeError::ServerEnded { status }.into(),
            Err(error) => error.into(),
        }
    }
}

/// Returns `true` if a process ended that is not this child. The code of a walk can have started it.
fn is_other(ended: i32, child: Option<i32>) -> bool {
    ended > 0 && child.is_some_and(|child| child > 0 && child != ended)
}

/// Returns the only reply of this child, which ended with this status.
fn the_reply<R>(replies: Vec<(i32, R)>, child: i32, status: ExitStatus) -> Result<R> {
    let mut own = replies.into_iter().filter(|(pid, _)| *pid == child).map(|(_, value)| value);
    match (own.next(), own.next()) {
        (Some(value), None) => Ok(value),
        (Some(_), _) => Err(TimeError::ForeignMessage.into()),
        (None, _) => Err(failure(child, status)),
    }
}

/// Returns the reason why a child did not run its case to the end.
fn failure(forked: i32, status: ExitStatus) -> Error {
    match forked {
        Message::NOT_REACHED | Message::PASSED => Error::NotReached { panicked: false },
        Message::WALK_PANICKED => Error::NotReached { panicked: true },
        Message::HAS_THREADS => TimeError::HasThreads.into(),
        error if (-MAX_ERROR..0).contains(&error) => {
            TimeError::Fork(std::io::Error::from_raw_os_error(-error)).into()
        }
        _ => Error::Ended(status),
    }
}

/// Raises the limit of the stack, as far as it may be.
#[expect(clippy::unnecessary_wraps, reason = "the signature that pre_exec wants")]
fn raise_stack() -> std::io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Stack);
    if current.is_some_and(|current| current < STACK) {
        let current = Some(maximum.map_or(STACK, |maximum| maximum.min(STACK)));
        let _ = setrlimit(Resource::Stack, Rlimit { current, maximum });
    }
    Ok(())
}
