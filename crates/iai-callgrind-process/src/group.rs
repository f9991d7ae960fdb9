//! Child processes. Each leads a process group, which is killed with it.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use iai_callgrind_base::FileError;
use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::cancellation::Cancellation;
use super::clock::monotonic;
use super::limit::{Exceeded, Limit, LimitWatch};
use super::namespace::Namespace;
use super::threads::{spawn, spawn_scoped};
use crate::{ProcessError, Result};

/// A process group, which is killed on drop and when the run is cancelled or killed.
#[derive(Debug)]
pub struct ProcessGroup(libc::pid_t);

impl ProcessGroup {
    /// Returns the group that this process leads, or will lead soon; `None` if the id can't be that
    /// of a benchmark.
    pub fn new(leader: libc::pid_t) -> Option<Self> {
        Cancellation::lock().add_group(leader).then_some(Self(leader))
    }

    /// Kills the processes of the group.
    pub fn kill(&self) {
        Cancellation::lock().kill_group(self.0);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let mut cancellation = Cancellation::lock();
        cancellation.kill_group(self.0);
        cancellation.remove_group(self.0);
    }
}

/// Returns what a program wrote to its standard error, without the line end.
pub fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

/// Runs a command and captures its output. It is killed when the run is cancelled or killed.
pub fn output(command: &mut Command) -> Result<Output> {
    let mut running = RunningProcess::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let read = |stream: Option<&mut dyn Read>| {
        let mut bytes = Vec::new();
        // An error is the end of the stream
        let _ = stream.map(|stream| stream.read_to_end(&mut bytes));
        bytes
    };
    let mut errors = running.child.stderr.take();
    let errors = spawn(move || read(errors.as_mut().map(|stream| stream as _)))?;
    let mut stdout = running.child.stdout.take();
    let stdout = read(stdout.as_mut().map(|stream| stream as _));
    let status = running.wait(None)?;
    Ok(Output { status, stdout, stderr: errors.join().unwrap() })
}

/// A child process, which is killed on drop together with the processes that it started.
#[derive(Debug)]
pub struct RunningProcess {
    /// The process and its streams.
    pub child: Child,
    /// `None` after the process was waited for, because its id can then be reused.
    group: Option<ProcessGroup>,
    /// Time of [`monotonic`] at which the exit was seen; `None` before the process was waited for.
    pub(super) exit: Option<Duration>,
}

impl RunningProcess {
    /// Starts the command as the leader of a process group.
    pub fn start(command: &mut Command) -> Result<Self> {
        Self::start_in(command, None)
    }

    /// Starts the command as the leader of a process group, and in a namespace of processes if one
    /// is given.
    pub fn start_in(command: &mut Command, namespace: Option<&Namespace>) -> Result<Self> {
        let mut cancellation = Cancellation::lock();
        cancellation.check()?;
        kill_with_this_thread(command, namespace.is_some());
        command.process_group(0);
        let child = match namespace {
            Some(namespace) => namespace.spawn(command),
            None => command.spawn(),
        };
        let child = child.map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => ProcessError::Fork(source),
            _ => ProcessError::Start { program: command.get_program().into(), source },
        })?;
        let group = id(&child);
        cancellation.add_group(group);
        Ok(Self { child, group: Some(ProcessGroup(group)), exit: None })
    }

    /// Starts a copy of a program in the directory for temporary files.
    pub fn start_copy(command: &mut Command) -> Result<Self> {
        Self::start(command).map_err(|error| match error {
            ProcessError::Start { program, source }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                ProcessError::StartCopy { program, source }
            }
            error => error,
        })
    }

    /// Returns the process id.
    pub fn id(&self) -> libc::pid_t {
        id(&self.child)
    }

    /// Kills the process and the processes that it started.
    pub fn kill(&self) {
        self.group.iter().for_each(ProcessGroup::kill);
    }

    /// Waits until the process exits. Kills it and returns an error after this time, or when the
    /// run is cancelled.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<ExitStatus> {
        self.wait_within(timeout.map(Limit::Duration))
    }

    /// Waits until the process exits. Kills it and returns an error if it exceeds the limit, or
    /// when the run is cancelled.
    pub fn wait_within(&mut self, limit: Option<Limit>) -> Result<ExitStatus> {
        let (exceeded, exit) = self.wait_for_exit(limit)?;
        self.exit = Some(exit);
        // Before `wait`, which frees the id of the group
        drop(self.group.take());
        let status =
            self.child.wait().map_err(FileError::io("wait for", Path::new("a process")))?;
        Cancellation::lock().check()?;
        exceeded.map_or(Ok(status), |exceeded| Err(ProcessError::Exceeded(exceeded)))
    }

    /// Waits until the process exits or is killed. Returns the exceeded limit with the time if it
    /// was killed.
    fn wait_for_exit(&self, limit: Option<Limit>) -> Result<(Option<Exceeded>, Duration)> {
        if limit.is_none() {
            wait_for_exit(self.id());
            return Ok((None, monotonic()));
        }
        let (running, ended) = mpsc::channel::<()>();
        let mut watch = LimitWatch::new(limit, self.id());
        thread::scope(|scope| {
            let timer = spawn_scoped(scope, move || {
                while ended.recv_timeout(watch.left()) == Err(RecvTimeoutError::Timeout) {
                    let exceeded = watch.exceeded();
                    if exceeded.is_some() {
                        self.kill();
                        return exceeded;
                    }
                }
                None
            })?;
            wait_for_exit(self.id());
            let exit = monotonic();
            drop(running);
            Ok((timer.join().unwrap(), exit))
        })
    }

    /// Returns `true` if the process has exited. It keeps its id until it is waited for.
    pub fn has_exited(&self) -> bool {
        wait_for(self.id(), WaitIdOptions::NOHANG)
    }

    /// Waits until the process exits. Returns `None` if it is still running at this time. It keeps
    /// its id, and its group runs until this is dropped.
    pub fn wait_until(&self, end: Instant) -> Option<ExitStatus> {
        loop {
            let status = exit_status(self.id());
            if status.is_some() || Instant::now() >= end {
                return status;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        drop(self.group.take());
        let _ = self.child.wait();
    }
}

fn id(child: &Child) -> libc::pid_t {
    libc::pid_t::try_from(child.id()).unwrap_or_default()
}

/// Waits until the process exits, without reaping it.
fn wait_for_exit(process: libc::pid_t) {
    wait_for(process, WaitIdOptions::empty());
}

/// Waits for the process with these options, without reaping it. Returns `true` if it has exited.
fn wait_for(process: libc::pid_t, options: WaitIdOptions) -> bool {
    let Some(id) = Pid::from_raw(process) else { return true };
    let options = options | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let status = retry_on_intr(|| waitid(WaitId::Pid(id), options));
    status.map_or(true, |status| status.is_some())
}

/// Returns the status of the process if it has exited, without reaping it.
fn exit_status(process: libc::pid_t) -> Option<ExitStatus> {
    let id = Pid::from_raw(process)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let status = retry_on_intr(|| waitid(WaitId::Pid(id), options)).ok()??;
    // Encoded as by `wait`: the code above a byte for the signal
    let code = status.exit_status().map(|code| (code & 0xff) << 8);
    Some(ExitStatus::from_raw(code.or(status.terminating_signal())?))
}

/// Has the kernel kill the process when the thread that starts it exits. The guardian kills the
/// group as well, unless it is killed together with the runner. A process in another namespace does
/// not see its parent.
fn kill_with_this_thread(command: &mut Command, is_elsewhere: bool) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

        let parent = (!is_elsewhere).then(getpid);
        let die_with_parent = move || {
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
        };
        // SAFETY: it makes system calls only.
        unsafe { command.pre_exec(die_with_parent) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (command, is_elsewhere);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_exited_keeps_its_id_and_its_group_goes_on() {
        for (script, code) in
            [("sleep 60 >&- & echo $!", Some(0)), ("sleep 60 >&- & echo $!; kill -9 $$", None)]
        {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]).stdout(Stdio::piped());
            let mut process = RunningProcess::start(&mut command).unwrap();
            let end = Instant::now() + Duration::from_secs(60);
            let status = process.wait_until(end).unwrap();
            assert_eq!((status.code(), status.signal()), (code, code.is_none().then_some(9)));
            let mut line = String::new();
            process.child.stdout.take().unwrap().read_to_string(&mut line).unwrap();
            let exists = |id: &str| Path::new("/proc").join(id).exists();
            assert!(exists(&process.id().to_string()), "no other process can have its id");
            assert!(exists(line.trim()), "what it has started goes on");
            assert_eq!(process.wait_until(end), Some(status));
        }
    }
}
