//! A fork server without Valgrind: each child times a case.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use iai_callgrind_plan::protocol::{
    BatchTime, Batches, Counting, Measuring, Message, ServerCommand, ServerEnvironment, Start,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::error::TimeError;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::process::{Limit, ProcessGroup, RunningProcess, Watch, has_input, interrupted};

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
    messages: ChildStdout,
    limit: Option<Limit>,
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
    /// Starts this command as a fork server. The output of its children goes to files in the directory `staging`.
    pub(super) fn start(
        command: &mut Command,
        staging: &str,
        limit: Option<Limit>,
    ) -> Result<Self> {
        let environment = ServerEnvironment {
            measuring: Measuring { counting: Counting::Time, ..Measuring::DEFAULT },
            cpus: 0,
            virtual_clock: false,
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
        let mut server = Self { process, commands, messages, limit };
        // The server runs the code of a child once
        match server.message(None)? {
            Some(Message::Region { .. }) => Ok(server),
            _ => Err(match server.end() {
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
        let TimedStart { start: Start { entry, item, .. }, number, enter } = case;
        let seed = Some(batches.seed());
        let (alone, wait, fork) = (false, false, true);
        let forks = ServerCommand { entry, item, seed, number, wait, fork, enter, alone };
        let waits = ServerCommand { wait: true, fork: false, ..forks };
        let bytes = [forks.encode(), waits.encode()].concat();
        // Ends the processes that the case leaves
        let mut group = None;
        if self.commands.write_all(&bytes).is_err() {
            return Err(self.end());
        }
        let (mut child, mut time) = (None, None);
        loop {
            match self.message(child)? {
                None => return Err(self.end()),
                Some(Message::Region { .. }) => {}
                Some(Message::Time { batch, .. }) => time = Some(batch),
                Some(Message::Turn { ended: 0, forked, .. }) => {
                    child = Some(forked);
                    group = (forked > 0).then(|| ProcessGroup::new(forked));
                }
                Some(Message::Turn { ended, .. }) if group.is_some() && is_other(ended, child) => {
                    if self.commands.write_all(&waits.encode()).is_err() {
                        return Err(self.end());
                    }
                }
                Some(Message::Turn { status, .. }) => {
                    let forked = child.unwrap_or_default();
                    return time.ok_or_else(|| failure(forked, ExitStatus::from_raw(status)));
                }
            }
        }
    }

    /// Returns the next message, `None` at the end of the pipe. The child is killed if it exceeds the limit.
    fn message(&mut self, child: Option<i32>) -> Result<Option<Message>> {
        let watched = child.filter(|pid| *pid > 0).unwrap_or_else(|| self.process.id());
        let mut watch = Watch::new(self.limit, watched);
        while !has_input(&self.messages, CHECK_INTERVAL) {
            if let Some(exceeded) = watch.exceeded() {
                // A child is killed with its group, which the caller has
                if watched == self.process.id() {
                    self.process.kill();
                }
                return Err(exceeded.into());
            }
            if let Some(signal) = interrupted() {
                return Err(Error::Interrupted { signal });
            }
        }
        let mut bytes = [0; Message::LENGTH];
        let read = self.messages.read_exact(&mut bytes);
        Ok(read.ok().and_then(|()| Message::decode(&bytes)))
    }

    /// Returns the error of a server that ended.
    fn end(&mut self) -> Error {
        match self.process.wait(Some(CHECK_INTERVAL)) {
            Ok(status) => TimeError::ServerEnded { status }.into(),
            Err(error) => error,
        }
    }
}

/// Returns `true` if a process ended that is not this child. The code of a walk can have started it.
fn is_other(ended: i32, child: Option<i32>) -> bool {
    ended > 0 && Some(ended) != child
}

/// Returns the reason why a child did not time its case.
fn failure(forked: i32, status: ExitStatus) -> Error {
    match forked {
        Message::NOT_REACHED | Message::PASSED => Failure::NotReached { panicked: false }.into(),
        Message::WALK_PANICKED => Failure::NotReached { panicked: true }.into(),
        Message::HAS_THREADS => TimeError::HasThreads.into(),
        error if (-MAX_ERROR..0).contains(&error) => {
            TimeError::Fork(std::io::Error::from_raw_os_error(-error)).into()
        }
        _ => Failure::Ended { status }.into(),
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
