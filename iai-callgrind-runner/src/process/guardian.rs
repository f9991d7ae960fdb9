//! The guardian: a process that cleans up after a runner that is killed.
//!
//! The runner registers process groups and directories over a socket. When the runner exits for any reason, the
//! socket closes, and the guardian kills and removes what is still registered.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::process::setsid;

use super::cleanup::{kill_group, kill_users, remove_directory};
use super::orphans::wait;

/// The runner's handle of the guardian.
pub(super) struct Guardian {
    socket: UnixStream,
    process: libc::pid_t,
}

impl Guardian {
    /// Forks the guardian.
    ///
    /// # Safety
    ///
    /// No other thread runs.
    pub(super) unsafe fn start() -> io::Result<Self> {
        let (socket, other_end) = UnixStream::pair()?;
        // SAFETY: there is no other thread that could hold a lock in the copy.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(socket);
                guard(other_end)
            }
            process => Ok(Self { socket, process }),
        }
    }

    /// Registers (`+`) or unregisters (`-`) a group (`g`) or a directory (`d`).
    pub(super) fn send(&mut self, change: char, kind: char, name: &[u8]) {
        let message = [&[change as u8, kind as u8], name, b"\0"].concat();
        // If the guardian was killed, only the runner cleans up
        let _ = self.socket.write_all(&message);
    }

    /// Returns the process id.
    pub(super) fn process(&self) -> libc::pid_t {
        self.process
    }

    /// Stops the guardian and waits for it.
    pub(super) fn stop(self) {
        let Self { socket, process } = self;
        drop(socket);
        wait(process);
    }
}

/// Waits until the runner exits, and cleans up.
fn guard(socket: UnixStream) -> ! {
    detach();
    let registered = read_messages(BufReader::new(socket));
    let (directories, groups) =
        registered.into_iter().partition::<Vec<_>, _>(|(kind, _)| *kind == b'd');
    for (_, group) in groups {
        let group = std::str::from_utf8(&group).ok().and_then(|group| group.parse().ok());
        group.into_iter().for_each(kill_group);
    }
    let directories = directories.iter().map(|(_, name)| PathBuf::from(OsStr::from_bytes(name)));
    let directories: Vec<_> = directories.collect();
    kill_users(&directories);
    for directory in &directories {
        remove_directory(directory);
    }
    // SAFETY: always allowed.
    unsafe { libc::_exit(0) }
}

/// Detaches this process from the terminal, from the runner's process group and from its output.
fn detach() {
    let _ = setsid();
    let Ok(null) = File::options().read(true).write(true).open("/dev/null") else { return };
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: a system call without pointers.
        unsafe { libc::dup2(null.as_raw_fd(), stream) };
    }
}

/// Reads messages until the socket closes. Returns what is registered then: kind and name.
fn read_messages(mut messages: impl BufRead) -> HashSet<(u8, Vec<u8>)> {
    let mut registered = HashSet::new();
    loop {
        let mut message = Vec::new();
        let length = messages.read_until(0, &mut message).unwrap_or(0);
        match &message[..] {
            _ if length == 0 => return registered,
            [b'+', kind, name @ .., 0] => drop(registered.insert((*kind, name.to_vec()))),
            [b'-', kind, name @ .., 0] => drop(registered.remove(&(*kind, name.to_vec()))),
            // The runner was killed while it sent the message
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_unregistered_is_returned() {
        let left = read_messages(&b"+g12\0+d/a\nb\0+g3\0-g12\0+d/c\0-d/c\0+g9"[..]);
        let expected = [(b'g', b"3".to_vec()), (b'd', b"/a\nb".to_vec())];
        assert_eq!(left, HashSet::from(expected));
    }
}
