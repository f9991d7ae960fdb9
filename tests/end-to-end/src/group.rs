//! A process in a group of its own, so that it can be ended with all that it started.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// A running command. Nothing of it goes on when this is dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    /// The command.
    pub leader: Child,
}

impl ProcessGroup {
    /// Starts the command as the leader of a new group.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        // SAFETY: a system call without pointers.
        #[cfg(target_os = "linux")]
        unsafe {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        }
        // Whoever runs the tests in the background, or with `nohup`, may have them ignored
        // SAFETY: system calls, which are allowed between fork and exec.
        unsafe {
            command.pre_exec(|| {
                for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                Ok(())
            });
        }
        Self { leader: command.process_group(0).spawn().expect("the command can be run") }
    }

    /// Returns the id of the leader's child, as soon as it has one; none if it ended without.
    #[must_use]
    pub fn child(&mut self) -> Option<libc::pid_t> {
        let id = self.leader.id();
        let list = format!("/proc/{id}/task/{id}/children");
        while self.leader.try_wait().expect("it can be waited for").is_none() {
            let children = fs::read_to_string(&list).unwrap_or_default();
            if let Some(child) = children.split_whitespace().next() {
                return child.parse().ok();
            }
            thread::yield_now();
        }
        None
    }

    /// Sends a signal to the group, as a terminal does.
    pub fn signal(&self, signal: libc::c_int) {
        let group = libc::pid_t::try_from(self.leader.id()).expect("an id");
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(-group, signal) };
    }

    /// Waits until this holds, or the leader has ended.
    pub fn wait_until(&mut self, holds: impl Fn() -> bool) {
        while !holds() && self.leader.try_wait().expect("it can be waited for").is_none() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills all processes of the group and waits until they have ended. They become children of this
    /// process when their parents die.
    fn end(&self) {
        let Ok(group) = libc::pid_t::try_from(self.leader.id()) else { return };
        // SAFETY: system calls without pointers other than null.
        unsafe {
            libc::kill(-group, libc::SIGKILL);
            while libc::waitpid(-group, std::ptr::null_mut(), 0) > 0 {}
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills this process, whose parent has not waited for it yet.
pub fn kill(process: libc::pid_t) {
    // SAFETY: a system call without pointers.
    unsafe { libc::kill(process, libc::SIGKILL) };
}
