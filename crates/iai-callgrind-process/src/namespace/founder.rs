//! The process that forks the first process of each namespace.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use rustix::process::{WaitOptions, wait};

use super::{check, enter, keeper};
use crate::descriptors::{receive, send};
use crate::guardian::detach;
use crate::orphans;

/// The runner's handle of the founder.
#[derive(Debug)]
pub(crate) struct Founder {
    connection: UnixStream,
    process: libc::pid_t,
}

impl Founder {
    /// Forks the founder.
    ///
    /// # Safety
    ///
    /// No other thread runs.
    pub(crate) unsafe fn start() -> io::Result<Self> {
        let (connection, other_end) = UnixStream::pair()?;
        // SAFETY: there is no other thread that could hold a lock in the copy.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(connection);
                found_all(&other_end)
            }
            process => Ok(Self { connection, process }),
        }
    }

    /// Returns the process id.
    pub(crate) fn process(&self) -> libc::pid_t {
        self.process
    }

    /// Creates a namespace whose keeper has this end of a connection. Returns the process id of the
    /// keeper, or `None` if the system does not allow it.
    pub(super) fn found(&mut self, connection: &UnixStream) -> Option<libc::pid_t> {
        send(self.connection.as_raw_fd(), connection.as_raw_fd());
        let mut id = [0; size_of::<libc::pid_t>()];
        self.connection.read_exact(&mut id).ok()?;
        Some(libc::pid_t::from_ne_bytes(id)).filter(|id| *id > 0)
    }

    /// Stops the founder, and with it all keepers, and waits for it.
    pub(crate) fn stop(self) {
        let Self { connection, process } = self;
        drop(connection);
        orphans::wait(process);
    }
}

/// Forks a keeper for each connection, until the runner exits.
fn found_all(mut runner: &UnixStream) -> ! {
    detach();
    close_others(runner);
    while let Some(connection) = receive(runner) {
        // Those that have exited
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
        let keeper = found(connection.into()).unwrap_or(-1);
        if runner.write_all(&keeper.to_ne_bytes()).is_err() {
            break;
        }
    }
    // SAFETY: always allowed.
    unsafe { libc::_exit(0) }
}

/// Closes the descriptors of the runner, such as that of the guardian, which waits until all copies are closed.
fn close_others(connection: &UnixStream) {
    let kept = connection.as_raw_fd().unsigned_abs();
    let after_streams = libc::STDERR_FILENO.unsigned_abs() + 1;
    for [first, last] in [[after_streams, kept - 1], [kept + 1, u32::MAX]] {
        if first <= last {
            // SAFETY: this process uses none of them again.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    }
}

/// Forks the first process of a new namespace. Returns its id.
fn found(connection: UnixStream) -> io::Result<libc::pid_t> {
    let own = File::open("/proc/self/ns/pid")?;
    // SAFETY: a system call without pointers.
    check(unsafe { libc::unshare(libc::CLONE_NEWPID) })?;
    // SAFETY: this process has a single thread.
    let keeper = match unsafe { libc::fork() } {
        0 => keeper::keep(connection),
        -1 => Err(io::Error::last_os_error()),
        keeper => Ok(keeper),
    };
    // The next namespace is not within this one
    enter(&own)?;
    keeper
}
