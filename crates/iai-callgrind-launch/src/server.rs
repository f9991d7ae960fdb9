//! A process of the benchmark executable that runs cases, and the pipe to it.

use std::io::Write;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use iai_callgrind_plan::protocol::ServerCommand;
use iai_callgrind_process::{
    FixedSystemCalls, Limit, MessagePipe, Namespace, Received, RunningProcess, StoppedCalls,
    SystemCallAnswers, ThreadOrder, Unordered, can_stop_calls, is_only_cpu, note_unordered,
};

use crate::cases::LaunchCases;
use crate::error::Result;
use crate::namespaces::Namespaces;

/// Interval at which a silent server is checked. A benchmark's process can keep the pipe open after
/// the server exited.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A running server.
pub(crate) struct Server {
    pub(crate) process: RunningProcess,
    commands: ChildStdin,
    messages: MessagePipe<ChildStdout>,
    /// Limit of a case, and of the code between two cases.
    pub(crate) limit: Option<Limit>,
    /// Process ids can be those of a container.
    pub(crate) foreign_ids: bool,
    /// The pipe had bytes that are not a message of the server.
    pub(crate) is_foreign: bool,
    /// Lets the threads of the cases take turns.
    answers: Option<SystemCallAnswers>,
    /// The namespaces of processes of its children, if they have their own.
    pub(crate) namespaces: Option<Namespaces>,
    /// The server itself has a namespace of processes.
    pub(crate) is_isolated: bool,
}

impl Server {
    /// Starts this command as a fork server of a launch, whose children have namespaces if they are
    /// given.
    pub(crate) fn start(
        command: &mut Command,
        launch: &LaunchCases<'_>,
        namespaces: Option<Namespaces>,
    ) -> Result<Self> {
        if namespaces.is_some() {
            Namespace::give_mounts(command);
        }
        Ok(Self { namespaces, ..Self::start_in(command, launch, None)? })
    }

    /// Starts this command as a server that runs a case itself, in a namespace if one is given.
    pub(crate) fn start_in(
        command: &mut Command,
        launch: &LaunchCases<'_>,
        namespace: Option<&Namespace>,
    ) -> Result<Self> {
        let LaunchCases { limit, foreign_ids, isolation, .. } = *launch;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // The processes of a tool runner can be elsewhere
        let system_calls = (!foreign_ids)
            .then(|| {
                let calls = StoppedCalls::Functions(isolation);
                FixedSystemCalls::prepare(command, calls, ThreadOrder::OnRequest)
            })
            .transpose()?
            .flatten();
        let mut process = RunningProcess::start_in(command, namespace)?;
        let answers = system_calls.map(FixedSystemCalls::answer).transpose()?.flatten();
        let child = &mut process.child;
        let (Some(commands), Some(messages)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        Ok(Self {
            process,
            commands,
            messages: MessagePipe::new(messages, foreign_ids),
            limit,
            foreign_ids,
            is_foreign: false,
            answers,
            namespaces: None,
            is_isolated: namespace.is_some(),
        })
    }

    /// Writes a command to the pipe. Returns `None` if the server exited.
    pub(crate) fn command(&mut self, command: &ServerCommand) -> Option<()> {
        self.commands.write_all(&command.encode()).ok()
    }

    /// Waits for the next message, but not longer than an interval. A server that has exited
    /// without another one is at its end.
    pub(crate) fn receive(&mut self) -> Received {
        match self.messages.receive(CHECK_INTERVAL) {
            Received::Nothing
                if self.process.has_exited() && !self.messages.has_input(Duration::ZERO) =>
            {
                Received::End
            }
            received => received,
        }
    }

    /// Kills the server, because its pipe has bytes that are not a message. Returns `None`.
    pub(crate) fn reject<T>(&mut self) -> Option<T> {
        self.is_foreign = true;
        self.process.kill();
        None
    }

    /// Prints a note that the kernel scheduled the threads of a case.
    pub(crate) fn note_unordered(&self) {
        // The answer is known since the start of the server
        note_unordered(match can_stop_calls().unwrap_or(true) {
            _ if self.foreign_ids => Unordered::ToolRunner,
            _ if is_only_cpu() => Unordered::OnlyCpu,
            true => Unordered::NoRight,
            false => Unordered::NoFilter,
        });
    }

    /// Ends the server and waits for it. Code that it runs at its exit has the limit of a
    /// benchmark.
    pub(crate) fn end(self) -> Option<ExitStatus> {
        let Self { mut process, commands, answers, limit, .. } = self;
        drop(commands);
        let status = process.wait_within(limit).ok();
        drop(answers);
        status
    }
}
