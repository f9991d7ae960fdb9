//! Process groups by the identity of their leader.
//!
//! Once a process was waited for and its group is empty, another process can get its id. The fork
//! server waits for the leader of a benchmark's group before the runner knows that it exited. A
//! descriptor (pidfd) refers to the leader itself.

use rustix::process::{Pid, Signal, kill_process_group};

#[cfg(target_os = "linux")]
pub(super) use self::linux::Handle;
#[cfg(target_os = "linux")]
use super::system_calls::take_real_time;
#[cfg(target_os = "linux")]
use rustix::io::Errno;

/// The leader of a process group, now or soon.
#[derive(Debug)]
pub(super) struct Leader {
    id: Pid,
    /// Refers to the process; `None` if the kernel does not support such descriptors.
    #[cfg(target_os = "linux")]
    handle: Option<Handle>,
    /// The process was waited for before this was created, but others can still be in its group.
    #[cfg(target_os = "linux")]
    is_gone: bool,
}

impl Leader {
    /// Returns the leader with this id; `None` if the id can't be that of a benchmark: zero and
    /// negative numbers, one (for `kill` all processes of the user), and the leader of this
    /// process.
    pub(super) fn new(id: libc::pid_t) -> Option<Self> {
        // That of a process outside of this namespace is zero, which rustix does not expect
        // SAFETY: a system call without arguments.
        let own = unsafe { libc::getpgrp() };
        Some(id).filter(|id| *id > 1 && *id != own).and_then(Pid::from_raw).map(Self::with_id)
    }

    #[cfg(target_os = "linux")]
    fn with_id(id: Pid) -> Self {
        let handle = Handle::open(id);
        let is_gone = matches!(handle, Err(Errno::SRCH));
        Self { id, handle: handle.ok(), is_gone }
    }

    #[cfg(not(target_os = "linux"))]
    fn with_id(id: Pid) -> Self {
        Self { id }
    }

    /// Kills the processes of the group.
    pub(super) fn kill(&self) {
        #[cfg(target_os = "linux")]
        {
            if let Some(handle) = &self.handle {
                self.take_priority(handle);
                // It may not lead the group yet
                handle.kill();
                if handle.kill_group() {
                    return;
                }
            }
            if self.is_gone || self.handle.as_ref().is_some_and(|handle| !handle.exists()) {
                linux::kill_members(self.id);
                return;
            }
        }
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    /// Removes the real-time priority of the process. While the kernel ends the process, it can
    /// wait for one without such a priority, and prevent it from running.
    #[cfg(target_os = "linux")]
    fn take_priority(&self, handle: &Handle) {
        if handle.exists() {
            take_real_time(self.id.as_raw_pid());
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::ptr;

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use crate::orphans::{kill, process_group, processes};

    /// A flag of `pidfd_send_signal(2)` since Linux 6.9: the signal is for the group that the process leads.
    const PROCESS_GROUP: libc::c_uint = 1 << 2;

    /// Refers to a process, and never to another one that gets its id later.
    #[derive(Debug)]
    pub(crate) struct Handle(OwnedFd);

    impl Handle {
        /// Returns an error before Linux 5.3, and `SRCH` if there is no such process.
        pub(crate) fn open(id: Pid) -> Result<Self, Errno> {
            pidfd_open(id, PidfdFlags::empty()).map(Self)
        }

        /// Kills the process.
        pub(crate) fn kill(&self) {
            let _ = pidfd_send_signal(&self.0, Signal::KILL);
        }

        /// Returns `true` until the process was waited for.
        pub(super) fn exists(&self) -> bool {
            self.signal(0, 0) != Err(Errno::SRCH)
        }

        /// Kills the group of the process, even if the process was waited for. Returns `false` if
        /// the kernel does not support it.
        pub(super) fn kill_group(&self) -> bool {
            matches!(self.signal(libc::SIGKILL, PROCESS_GROUP), Ok(()) | Err(Errno::SRCH))
        }

        fn signal(&self, signal: libc::c_int, flags: libc::c_uint) -> Result<(), Errno> {
            let none = ptr::null::<libc::siginfo_t>();
            let call = libc::SYS_pidfd_send_signal;
            // SAFETY: a system call whose pointer is null.
            let result = unsafe { libc::syscall(call, self.0.as_raw_fd(), signal, none, flags) };
            if result == 0 { Ok(()) } else { Err(last_error()) }
        }
    }

    fn last_error() -> Errno {
        Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)
    }

    /// Kills the processes of a group whose leader was waited for. If a process has the id of the
    /// leader, it is another one, and the group was empty.
    pub(super) fn kill_members(group: Pid) {
        let group = group.as_raw_pid();
        if fs::exists(format!("/proc/{group}")).unwrap_or(true) {
            return;
        }
        processes().filter(|process| process_group(*process) == Some(group)).for_each(kill);
    }

    #[cfg(test)]
    mod tests {
        use std::io::{BufRead, BufReader};
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};

        use super::super::Leader;
        use super::*;

        /// Starts a group whose leader exits, and waits for the leader. Returns the leader and another process of the group.
        fn group_without_leader() -> (Leader, i32) {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "sleep 60 >&- & echo $!; read line"]).process_group(0);
            let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let leader = Leader::new(shell.id().cast_signed()).unwrap();
            let mut line = String::new();
            BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
            drop(shell.stdin.take());
            shell.wait().unwrap();
            (leader, line.trim().parse().unwrap())
        }

        /// Returns `true` once the process has exited.
        fn ends(process: i32) -> bool {
            (0..500).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                let stat = fs::read_to_string(format!("/proc/{process}/stat"));
                stat.map_or(true, |stat| stat.contains(") Z "))
            })
        }

        #[test]
        fn a_group_ends_though_its_leader_was_waited_for() {
            let (leader, other) = group_without_leader();
            assert!(!leader.handle.as_ref().is_none_or(Handle::exists));
            leader.kill();
            assert!(ends(other));
            // As before Linux 6.9
            let (leader, other) = group_without_leader();
            kill_members(leader.id);
            assert!(ends(other));
        }

        #[test]
        fn a_process_with_the_id_of_a_leader_is_another_one() {
            let mut child = Command::new("/bin/true").process_group(0).spawn().unwrap();
            let leader = Leader::new(child.id().cast_signed()).unwrap();
            child.wait().unwrap();
            let mut other = Command::new("/bin/sleep").arg("60").process_group(0).spawn().unwrap();
            // The id of the leader, which the kernel has given to another process
            let id = Pid::from_raw(other.id().cast_signed()).unwrap();
            let leader = Leader { id, ..leader };
            leader.kill();
            kill_members(id);
            assert!(other.try_wait().unwrap().is_none(), "it is not killed");
            other.kill().unwrap();
            other.wait().unwrap();
        }

        #[test]
        fn no_benchmark_has_these_ids() {
            // SAFETY: a system call without arguments.
            let own = unsafe { libc::getpgrp() };
            for id in [0, 1, -1, -2, i32::MIN, own] {
                assert!(Leader::new(id).is_none(), "{id}");
            }
        }
    }
}
