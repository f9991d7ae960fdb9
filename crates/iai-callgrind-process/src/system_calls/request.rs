//! A system call that a filter stopped, and the answers to it.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "constants of the kernel, which are small, and process ids"
)]

use std::fs::{File, OpenOptions};
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use iai_callgrind_plan::virtual_clock::SECOND;
use libc::{c_long, c_ulong, seccomp_notif, seccomp_notif_resp};

use crate::status::Status;

/// Requests to the descriptor of a filter: `_IOWR('!', 0, struct seccomp_notif)` and the like.
const RECEIVE: c_ulong = 0xc050_2100;
const SEND: c_ulong = 0xc018_2101;
const IS_VALID: c_ulong = 0x4008_2102;
const ADD_DESCRIPTOR: c_ulong = 0x4018_2103;

/// Flag of [`ADD_DESCRIPTOR`]: the descriptor replaces one that is open.
const REPLACE: u32 = 1;

/// Maximum number of bytes of a path, with its end.
const LONGEST_PATH: usize = libc::PATH_MAX as usize;

/// `struct seccomp_notif_addfd`.
#[repr(C)]
struct AddDescriptor {
    request: u64,
    flags: u32,
    descriptor: u32,
    replaced: u32,
    descriptor_flags: u32,
}

/// The descriptor of a filter, from which the calls that it stops are read.
#[derive(Debug)]
pub(super) struct Listener(OwnedFd);

/// A system call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'listener> {
    listener: &'listener Listener,
    pub(super) id: u64,
    /// The thread that makes the call, as this process sees it.
    pub(super) thread: libc::pid_t,
    pub(super) call: c_long,
    /// The address after the instruction that makes the call.
    pub(super) instruction: u64,
    pub(super) arguments: [u64; 6],
}

/// The answer to a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// The kernel makes the call.
    Continue,
    /// The call has this result.
    Result(i64),
    /// The call fails with this number of the system.
    Error(i32),
    /// The call waits for an answer.
    Later,
}

/// A result that could not be made; the kernel answers instead.
impl From<Option<i64>> for Answer {
    fn from(result: Option<i64>) -> Self {
        result.map_or(Self::Continue, Self::Result)
    }
}

impl Listener {
    pub(super) fn new(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }

    /// Returns the next call, `None` if a signal ended it.
    pub(super) fn receive(&self) -> io::Result<Option<Request<'_>>> {
        // SAFETY: a request of zeros is an empty one, as the kernel demands.
        let mut request: seccomp_notif = unsafe { mem::zeroed() };
        match self.control(RECEIVE, &mut request) {
            Err(error)
                if error.raw_os_error() == Some(libc::ENOENT)
                    || error.kind() == io::ErrorKind::Interrupted =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
            Ok(_) => Ok(Some(Request {
                listener: self,
                id: request.id,
                thread: request.pid as libc::pid_t,
                call: request.data.nr.into(),
                instruction: request.data.instruction_pointer,
                arguments: request.data.args,
            })),
        }
    }

    /// Answers the call with this id, if it still waits. A call that gets its answer later
    /// continues to wait.
    pub(super) fn send(&self, id: u64, answer: Answer) {
        let (val, error, flags) = match answer {
            Answer::Continue => (0, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE),
            Answer::Result(result) => (result, 0, 0),
            Answer::Error(number) => (0, -number, 0),
            Answer::Later => return,
        };
        let mut response = seccomp_notif_resp { id, val, error, flags: flags as u32 };
        let _ = self.control(SEND, &mut response);
    }

    /// Returns `true` while the process that made this call waits for the answer.
    pub(super) fn is_valid(&self, id: u64) -> bool {
        self.control(IS_VALID, &mut { id }).is_ok()
    }

    /// Makes a request to the descriptor. Returns its result.
    fn control<T>(&self, request: c_ulong, value: &mut T) -> io::Result<c_long> {
        // SAFETY: the value has the type that the request demands.
        match unsafe { libc::syscall(libc::SYS_ioctl, self.0.as_raw_fd(), request, value) } {
            -1 => Err(io::Error::last_os_error()),
            result => Ok(result),
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Request<'_> {
    /// Returns `true` for an id, as the process sees it, that is zero, the process's or the thread's.
    pub(super) fn is_caller(&self, id: u64) -> bool {
        let is_own = |status: &Status| {
            ["NStgid", "NSpid"].iter().any(|name| status.inner(name) == id.try_into().ok())
        };
        id == 0 || Status::read(self.thread).as_ref().is_some_and(is_own)
    }

    /// Opens the memory of the process.
    pub(super) fn memory(&self) -> Option<File> {
        let memory = process_file(self.thread, "mem");
        let memory = OpenOptions::new().read(true).write(true).open(memory).ok()?;
        // Otherwise the process id can be that of another process by now
        self.listener.is_valid(self.id).then_some(memory)
    }

    /// Reads from the memory of the process.
    pub(super) fn read(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.memory()?.read_exact_at(bytes, address).ok()
    }

    /// Reads a path from the memory of the process.
    pub(super) fn read_path(&self, address: u64) -> Option<String> {
        let mut bytes = vec![0; LONGEST_PATH];
        // Ends where the memory does
        let read = self.memory()?.read_at(&mut bytes, address).ok()?;
        let end = bytes[..read].iter().position(|byte| *byte == 0)?;
        bytes.truncate(end);
        String::from_utf8(bytes).ok()
    }

    /// Writes to the memory of the process. Returns the number of bytes.
    pub(super) fn write(&self, address: u64, bytes: &[u8]) -> Option<i64> {
        let memory = self.memory()?;
        memory.write_all_at(bytes, address).ok()?;
        i64::try_from(bytes.len()).ok()
    }

    /// Reads a time in seconds and a unit of this many nanoseconds; `None` without one.
    pub(super) fn read_time(&self, address: u64, unit: u64) -> Option<u64> {
        let mut time = [0; 2 * size_of::<i64>()];
        if address == 0 {
            return None;
        }
        self.read(address, &mut time)?;
        let (seconds, rest) = time.split_at(size_of::<i64>());
        let number = |bytes: &[u8]| u64::try_from(i64::from_ne_bytes(bytes.try_into().ok()?)).ok();
        Some(
            number(seconds)?
                .saturating_mul(SECOND)
                .saturating_add(number(rest)?.saturating_mul(unit)),
        )
    }

    /// Writes a time in nanoseconds. Returns the result of a call that writes one.
    pub(super) fn write_time(&self, address: u64, time: u64) -> Option<i64> {
        self.write(address, &words(&[time / SECOND, time % SECOND])).map(|_| 0)
    }

    /// Puts a file in place of an open descriptor of the process, which closes on exec.
    ///
    /// The request came with Linux 5.9.
    pub(super) fn replace(&self, descriptor: u64, file: &File) -> Option<()> {
        let replaced = descriptor.try_into().ok()?;
        self.add(file, REPLACE, replaced, libc::O_CLOEXEC).map(|_| ())
    }

    /// Opens a file in the process, with the flag to close it on exec or without. Returns its descriptor.
    pub(super) fn put(&self, file: &File, flags: i32) -> Option<i64> {
        self.add(file, 0, 0, flags)
    }

    fn add(&self, file: &File, flags: u32, replaced: u32, descriptor_flags: i32) -> Option<i64> {
        let mut added = AddDescriptor {
            request: self.id,
            flags,
            descriptor: file.as_raw_fd().try_into().ok()?,
            replaced,
            descriptor_flags: descriptor_flags.unsigned_abs(),
        };
        self.listener.control(ADD_DESCRIPTOR, &mut added).ok()
    }
}

/// Returns the path of a file about a process.
pub(super) fn process_file(process: libc::pid_t, name: &str) -> String {
    format!("/proc/{process}/{name}")
}

/// Returns the bytes of words in the memory of a process.
pub(super) fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}
