//! Processes, each with those that it starts in a group of its own that ends with the run.

use std::mem;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::interruption::{kill, under_way};
use crate::error::{Error, Result};
use crate::failure::Failure;

/// A group of processes, all of which end when this goes.
#[derive(Debug)]
pub(crate) struct Group(libc::pid_t);

impl Group {
    /// The group that this process leads, or is about to.
    pub(crate) fn of(leader: libc::pid_t) -> Self {
        under_way().add_group(leader);
        Self(leader)
    }

    /// Kills its processes.
    pub(crate) fn kill(&self) {
        kill(self.0);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        under_way().remove_group(self.0);
    }
}

/// A process and those that it starts, all of which end when this goes.
#[derive(Debug)]
pub(crate) struct RunningProcess {
    pub(crate) child: Child,
    /// None once it has been waited for: its number may be another's then.
    group: Option<Group>,
}

impl RunningProcess {
    /// Starts the command as the leader of a process group.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut under_way = under_way();
        under_way.check()?;
        end_with_this_thread(command);
        let child = command.process_group(0).spawn();
        let child = child
            .map_err(|source| Error::Start { program: command.get_program().into(), source })?;
        let group = id(&child);
        under_way.add_group(group);
        Ok(Self { child, group: Some(Group(group)) })
    }

    /// Its number.
    pub(crate) fn id(&self) -> libc::pid_t {
        id(&self.child)
    }

    /// Kills it with all that it started.
    pub(crate) fn kill(&self) {
        self.group.iter().for_each(Group::kill);
    }

    /// Waits until the process has ended, and kills it when that takes longer than the limit, which is an
    /// error. So is a signal that ended it with the run.
    pub(crate) fn wait(&mut self, limit: Option<Duration>) -> Result<ExitStatus> {
        let is_overdue = self.wait_for_end(limit);
        // As long as the leader has not been waited for, nobody else has the number of the group
        drop(self.group.take());
        let status = self.child.wait().map_err(Error::io("wait for", Path::new("a process")))?;
        under_way().check()?;
        match limit {
            Some(limit) if is_overdue => Err(Failure::TimedOut { limit }.into()),
            _ => Ok(status),
        }
    }

    /// Whether it took longer than the limit until the process had ended.
    fn wait_for_end(&self, limit: Option<Duration>) -> bool {
        let Some(limit) = limit else {
            wait_for_end(self.id());
            return false;
        };
        let (running, ended) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let timer = scope.spawn(move || {
                let is_overdue = ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
                if is_overdue {
                    self.kill();
                }
                is_overdue
            });
            wait_for_end(self.id());
            drop(running);
            timer.join().unwrap_or(false)
        })
    }

    /// The status, if it ends until then.
    pub(crate) fn wait_until(&mut self, end: Instant) -> Option<ExitStatus> {
        loop {
            let status = self.child.try_wait().ok().flatten();
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

/// Waits until the process has ended, without taking its status.
fn wait_for_end(process: libc::pid_t) {
    let Ok(process) = libc::id_t::try_from(process) else { return };
    let options = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: a system call that fills `info`, for which zeros are valid.
        let result = unsafe {
            let mut info: libc::siginfo_t = mem::zeroed();
            libc::waitid(libc::P_PID, process, &raw mut info, options)
        };
        let error = std::io::Error::last_os_error();
        if result == 0 || error.kind() != std::io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// Has the process end with the thread that starts it, which waits for it. The guardian ends the group as
/// well, unless it is killed with the runner.
fn end_with_this_thread(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: without pointers.
        let parent = unsafe { libc::getpid() };
        let end_with_parent = move || {
            // SAFETY: system calls without pointers, which are allowed between fork and exec.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() != parent {
                    libc::_exit(1);
                }
            }
            Ok(())
        };
        // SAFETY: it makes system calls only.
        unsafe { command.pre_exec(end_with_parent) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}
