//! Ports of sockets for which a program asks without a number: the first free one of a fixed range.

#![expect(clippy::cast_possible_truncation, reason = "descriptors and lengths are small")]

use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

use libc::c_int;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use super::request::{Answer, Request};
use crate::status::Status;

/// The ports, above those from which Linux chooses.
const PORTS: RangeInclusive<u16> = 61_000..=65_535;

/// The place of the port in the addresses of both versions of IP, and the length of the longer one.
const PORT: usize = 2;
const LONGEST_ADDRESS: usize = size_of::<libc::sockaddr_in6>();
const SHORTEST_ADDRESS: usize = size_of::<libc::sockaddr_in>();

/// Answers `bind` without a port.
///
/// The kernel gives two programs one port if both allow it. So a program that allows to reuse an address gets a port that no other
/// socket has, and the kernel chooses if programs share ports.
pub(super) fn bind(request: &Request<'_>) -> Answer {
    let Some((mut address, socket)) = unnumbered(request) else { return Answer::Continue };
    let is_set = |option| option_of(socket.as_fd(), option) == Some(1);
    if is_set(libc::SO_REUSEPORT) {
        return Answer::Continue;
    }
    let is_reused = is_set(libc::SO_REUSEADDR);
    if is_reused {
        set(socket.as_fd(), libc::SO_REUSEADDR, 0);
    }
    let is_bound = bind_to_first(socket.as_fd(), &mut address);
    if is_reused {
        set(socket.as_fd(), libc::SO_REUSEADDR, 1);
    }
    if is_bound { Answer::Result(0) } else { Answer::Continue }
}

/// Returns the address without a port and a duplicate of the socket of a call.
fn unnumbered(request: &Request<'_>) -> Option<(Vec<u8>, OwnedFd)> {
    let [descriptor, address, length, ..] = request.arguments;
    let length = usize::try_from(length).ok()?.min(LONGEST_ADDRESS);
    if length < SHORTEST_ADDRESS {
        return None;
    }
    let mut bytes = vec![0; length];
    request.read(address, &mut bytes)?;
    let family = c_int::from(u16::from_ne_bytes([bytes[0], bytes[1]]));
    let is_of_ip = [libc::AF_INET, libc::AF_INET6].contains(&family);
    if !is_of_ip || bytes[PORT..PORT + 2] != [0, 0] {
        return None;
    }
    let process = Pid::from_raw(Status::read(request.thread)?.number("Tgid")?)?;
    let process = pidfd_open(process, PidfdFlags::empty()).ok()?;
    let socket = pidfd_getfd(process, descriptor as _, PidfdGetfdFlags::empty()).ok()?;
    // Raw sockets have no ports
    let has_ports = [libc::SOCK_STREAM, libc::SOCK_DGRAM]
        .map(Some)
        .contains(&option_of(socket.as_fd(), libc::SO_TYPE));
    has_ports.then_some((bytes, socket))
}

/// Binds a socket to the first port that is free. Returns `false` if there is none or the kernel refuses the address.
fn bind_to_first(socket: BorrowedFd<'_>, address: &mut [u8]) -> bool {
    for port in PORTS {
        address[PORT..PORT + 2].copy_from_slice(&port.to_be_bytes());
        // SAFETY: the pointer is valid for the length.
        let result =
            unsafe { libc::bind(socket.as_raw_fd(), address.as_ptr().cast(), address.len() as _) };
        if result == 0 {
            return true;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::AddrInUse {
            return false;
        }
    }
    false
}

fn option_of(socket: BorrowedFd<'_>, option: c_int) -> Option<c_int> {
    let (mut value, mut length): (c_int, _) = (0, size_of::<c_int>() as _);
    // SAFETY: the pointers are valid during the call, and the length is that of the value.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    (result == 0).then_some(value)
}

fn set(socket: BorrowedFd<'_>, option: c_int, value: c_int) {
    let length = size_of_val(&value) as _;
    // SAFETY: the pointer is valid during the call, and the length is that of the value.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            ptr::from_ref(&value).cast(),
            length,
        );
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, UdpSocket};

    use super::*;

    /// Returns the port to which a new socket is bound, and the socket.
    fn bound() -> (u16, TcpListener) {
        // SAFETY: a system call, and the descriptor has no other owner.
        let socket = unsafe {
            use std::os::fd::FromRawFd;
            OwnedFd::from_raw_fd(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0))
        };
        let mut address = vec![0; SHORTEST_ADDRESS];
        address[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
        address[4..8].copy_from_slice(&[127, 0, 0, 1]);
        assert!(bind_to_first(socket.as_fd(), &mut address));
        let listener = TcpListener::from(socket);
        (listener.local_addr().unwrap().port(), listener)
    }

    #[test]
    fn a_port_is_given_to_one_socket_at_a_time() {
        let (first, listener) = bound();
        let (second, _other) = bound();
        assert!(PORTS.contains(&first) && second > first, "{first} {second}");
        drop(listener);
        assert!(bound().0 < second);
    }

    #[test]
    fn options_of_a_socket_are_read_and_set() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let read = || option_of(socket.as_fd(), libc::SO_REUSEADDR);
        assert_eq!(read(), Some(0));
        set(socket.as_fd(), libc::SO_REUSEADDR, 1);
        assert_eq!(read(), Some(1));
        assert_eq!(option_of(socket.as_fd(), libc::SO_TYPE), Some(libc::SOCK_DGRAM));
    }
}
