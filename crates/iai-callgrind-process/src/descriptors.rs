//! File descriptors that are sent to another process over a socket.

#![expect(clippy::cast_possible_truncation, reason = "sizes of a descriptor and of its message")]

use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Length of a control message with a descriptor, with its padding.
const CONTROL: usize = 32;

/// Sends a descriptor over a socket.
pub(super) fn send(socket: RawFd, descriptor: RawFd) {
    with_message(|message| {
        // SAFETY: the message has space for a header and a descriptor.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
            libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
            libc::sendmsg(socket, message, 0);
        }
    });
}

/// Receives a descriptor from a socket; `None` at its end.
pub(super) fn receive(socket: &UnixStream) -> Option<OwnedFd> {
    with_message(|message| {
        // SAFETY: the kernel fills the message, and hands over the descriptor.
        unsafe {
            if libc::recvmsg(socket.as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) <= 0 {
                return None;
            }
            let header = libc::CMSG_FIRSTHDR(message);
            if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
                return None;
            }
            let descriptor = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
            Some(OwnedFd::from_raw_fd(descriptor))
        }
    })
}

/// Calls a function with a message of one byte that has space for a descriptor.
fn with_message<T>(call: impl FnOnce(*mut libc::msghdr) -> T) -> T {
    #[repr(align(8))]
    struct Control([u8; CONTROL]);
    let (mut byte, mut control) = (0_u8, Control([0; CONTROL]));
    let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: size_of_val(&byte) };
    // SAFETY: a message of zeros is an empty one.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    // SAFETY: the function does not access memory.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as _;
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control.0).cast();
    call(&raw mut message)
}
