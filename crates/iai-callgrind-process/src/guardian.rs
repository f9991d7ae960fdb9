//! The guardian: a process that cleans up after a runner that is killed.
//!
//! The runner registers process groups and directories over a socket. When the runner exits for any reason, the
//! socket closes, and the guardian kills and removes what is still registered.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::process::setsid;

use super::cleanup::{kill_users, remove_directory};
use super::leader::Leader;
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
        // If the guardian was killed, the runner cleans up alone
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
    let Registered { groups, directories } = read_messages(BufReader::new(socket));
    groups.values().flatten().for_each(Leader::kill);
    let directories = directories.iter().map(|name| PathBuf::from(OsStr::from_bytes(name)));
    let directories: Vec<_> = directories.collect();
    kill_users(&directories);
    for directory in &directories {
        remove_directory(directory);
    }
    // SAFETY: always allowed.
    unsafe { libc::_exit(0) }
}

/// Detaches this process from the terminal, from the runner's process group and from its output.
pub(super) fn detach() {
    let _ = setsid();
    let Ok(null) = File::options().read(true).write(true).open("/dev/null") else { return };
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: a system call without pointers.
        unsafe { libc::dup2(null.as_raw_fd(), stream) };
    }
}

/// The groups and directories of the run.
#[derive(Default)]
struct Registered {
    /// Groups by the text of the id. A group has no leader if the id can't be that of a benchmark.
    groups: HashMap<Vec<u8>, Option<Leader>>,
    directories: HashSet<Vec<u8>>,
}

/// Reads messages until the socket closes. Returns what is still registered.
fn read_messages(mut messages: impl BufRead) -> Registered {
    let mut registered = Registered::default();
    let Registered { groups, directories } = &mut registered;
    loop {
        let mut message = Vec::new();
        let length = messages.read_until(0, &mut message).unwrap_or(0);
        match &message[..] {
            _ if length == 0 => return registered,
            [b'+', b'g', id @ .., 0] => drop(groups.insert(id.to_vec(), leader(id))),
            [b'-', b'g', id @ .., 0] => drop(groups.remove(id)),
            [b'+', b'd', name @ .., 0] => drop(directories.insert(name.to_vec())),
            [b'-', b'd', name @ .., 0] => drop(directories.remove(name)),
            // The runner was killed while it sent the message
            _ => {}
        }
    }
}

/// Returns the leader with this id.
fn leader(id: &[u8]) -> Option<Leader> {
    std::str::from_utf8(id).ok()?.parse().ok().and_then(Leader::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_unregistered_is_returned() {
        let messages = b"+g12\0+d/a\nb\0+g3\0-g12\0+d/c\0-d/c\0+g9";
        let Registered { groups, directories } = read_messages(&messages[..]);
        assert_eq!(groups.keys().collect::<Vec<_>>(), [b"3"]);
        assert_eq!(directories.into_iter().collect::<Vec<_>>(), [b"/a\nb"]);
    }
}
