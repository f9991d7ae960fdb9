//! The guardian: a second process that outlives a runner that is killed, and ends what that had under way.
//!
//! The runner tells it over a socket what begins and what ends. The socket closes when the runner ends,
//! however that comes. Processes of commands, and of benchmarks, can't notice that by themselves.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::interruption::kill;
use super::temporary::remove;

/// The runner's end.
pub(super) struct Guardian {
    socket: UnixStream,
    process: libc::pid_t,
}

impl Guardian {
    /// Starts it, as a copy of this process.
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

    /// Tells that something begins (`+`) or ends (`-`): a group (`g`) or a directory (`d`).
    pub(super) fn tell(&mut self, change: char, kind: char, what: &[u8]) {
        let message = [&[change as u8, kind as u8], what, b"\0"].concat();
        // If it was killed, only the runner ends what is under way
        let _ = self.socket.write_all(&message);
    }

    /// Lets it end, and waits for that.
    pub(super) fn end(self) {
        let Self { socket, process } = self;
        drop(socket);
        // SAFETY: a system call without pointers other than null.
        unsafe { libc::waitpid(process, std::ptr::null_mut(), 0) };
    }
}

/// Waits for the end of the runner and ends what is left of it.
fn guard(socket: UnixStream) -> ! {
    leave_the_runner();
    let left = listen(BufReader::new(socket));
    let (directories, groups) = left.into_iter().partition::<Vec<_>, _>(|(kind, _)| *kind == b'd');
    for (_, group) in groups {
        let group = std::str::from_utf8(&group).ok().and_then(|group| group.parse().ok());
        group.into_iter().for_each(kill);
    }
    for (_, directory) in directories {
        remove(Path::new(OsStr::from_bytes(&directory)));
    }
    // SAFETY: always allowed.
    unsafe { libc::_exit(0) }
}

/// Neither the terminal's signals nor those for the runner's process group are for this process, and nobody
/// who reads the runner's output waits for it.
fn leave_the_runner() {
    // SAFETY: system calls without pointers.
    unsafe { libc::setsid() };
    let Ok(null) = File::options().read(true).write(true).open("/dev/null") else { return };
    for stream in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: as above.
        unsafe { libc::dup2(null.as_raw_fd(), stream) };
    }
}

/// What has begun and not ended when nobody tells any more: kind and name.
fn listen(mut messages: impl BufRead) -> HashSet<(u8, Vec<u8>)> {
    let mut under_way = HashSet::new();
    loop {
        let mut message = Vec::new();
        let length = messages.read_until(0, &mut message).unwrap_or(0);
        match &message[..] {
            _ if length == 0 => return under_way,
            [b'+', kind, what @ .., 0] => drop(under_way.insert((*kind, what.to_vec()))),
            [b'-', kind, what @ .., 0] => drop(under_way.remove(&(*kind, what.to_vec()))),
            // The runner was killed while it told
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_ended_is_left() {
        let left = listen(&b"+g12\0+d/a\nb\0+g3\0-g12\0+d/c\0-d/c\0+g9"[..]);
        let expected = [(b'g', b"3".to_vec()), (b'd', b"/a\nb".to_vec())];
        assert_eq!(left, HashSet::from(expected));
    }
}
