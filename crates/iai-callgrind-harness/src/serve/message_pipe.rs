//! The server's end of the pipe to the runner.

use std::{io, mem};

use iai_callgrind_plan::protocol::{Message, Token};

use super::{MESSAGES, again, check};
use crate::message;

/// The pipe to the runner. A benchmark can put another file in its place, which gets no message.
#[derive(PartialEq, Eq)]
pub(super) struct MessagePipe {
    device: libc::dev_t,
    inode: libc::ino_t,
}

impl MessagePipe {
    /// Returns the pipe that the descriptor of messages is now.
    pub(super) fn current() -> io::Result<Self> {
        // SAFETY: plain integers, for which zero is valid; the pointer is valid during the call.
        let status = unsafe {
            let mut status: libc::stat = mem::zeroed();
            check(libc::fstat(MESSAGES, &raw mut status))?;
            status
        };
        Ok(Self { device: status.st_dev, inode: status.st_ino })
    }

    /// Writes a whole message in reply to the command with this token.
    pub(super) fn send(&self, content: Message, token: Token) -> io::Result<()> {
        if !Self::current().is_ok_and(|current| current == *self) {
            return Err(io::Error::other(message::DESCRIPTORS));
        }
        let bytes = content.encode(token);
        // SAFETY: the buffer is as long as the call says.
        let written =
            again(|| unsafe { libc::write(MESSAGES, bytes.as_ptr().cast(), bytes.len()) });
        if usize::try_from(written) == Ok(bytes.len()) {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}
