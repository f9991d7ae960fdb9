//! The files that a child of the server writes: its output, its counters and its first dump.

use std::ffi::CString;
use std::io;
use std::mem;
use std::ptr::NonNull;

use iai_callgrind_plan::protocol::{COUNTERS, TOOL_FILES, UNSTOPPED, capture_name};

use super::{again, check};
use crate::counters;
use crate::region::FirstDump;

/// Flags of a file for output.
const FLAGS: libc::c_int = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;

/// Descriptors of files that are opened ahead, after those of the pipes.
const AHEAD: [libc::c_int; 2] = [202, 203];

/// Paths of the files for a child's output.
pub(super) struct Capture {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// The files are open as [`AHEAD`].
    are_open: bool,
    /// The path of the tool's first dump, with and without a directory of the child's own.
    dumps: [DumpPath; 2],
}

/// The path of a file that is named after a process, with space for the id.
struct DumpPath {
    path: Box<[u8]>,
    /// The place of the name.
    at: usize,
}

impl DumpPath {
    /// The name of a process's first dump, with digits for the largest id.
    const NAME: u128 = u128::from_le_bytes(*b"000000000.out.1\0");
    const DIGITS: u32 = 9;

    fn new(directory: &str) -> Self {
        let mut path = directory.as_bytes().to_vec();
        let at = path.len();
        path.extend(Self::NAME.to_le_bytes());
        Self { path: path.into(), at }
    }

    /// Writes the name for this process.
    ///
    /// DHAT counts the instructions of the whole process. So these are the same for each id: a shift drops the leading zeros,
    /// where a copy would depend on their number.
    fn of_process(&mut self, pid: libc::pid_t) -> FirstDump {
        let pid = pid.unsigned_abs();
        let (mut name, mut rest) = (Self::NAME, pid);
        for place in (0..Self::DIGITS).rev() {
            name |= u128::from(rest % 10) << (u8::BITS * place);
            rest /= 10;
        }
        let zeros: u32 = (1..Self::DIGITS).map(|it| u32::from(pid < 10_u32.pow(it))).sum();
        let name = name >> (u8::BITS * zeros);
        self.path[self.at..].copy_from_slice(&name.to_le_bytes());
        FirstDump(NonNull::from(&mut *self.path).cast())
    }
}

impl Capture {
    pub(super) fn new(directory: &str) -> io::Result<Self> {
        let path = |extension| {
            CString::new(format!("{directory}00000000.{extension}"))
                .map(CString::into_bytes_with_nul)
                .map_err(io::Error::other)
        };
        let own = format!("{directory}{TOOL_FILES}/");
        let dumps = [DumpPath::new(directory), DumpPath::new(&own)];
        Ok(Self { stdout: path("stdout")?, stderr: path("stderr")?, are_open: false, dumps })
    }

    /// Returns the file of the first dump that this process requests.
    pub(super) fn first_dump(&mut self, is_isolated: bool, pid: libc::pid_t) -> FirstDump {
        self.dumps[usize::from(is_isolated)].of_process(pid)
    }

    /// Opens the files with this number, to which [`Self::redirect`] redirects the output. To create a file takes as long as
    /// the disk does, and meanwhile the threads of the benchmark file go on.
    pub(super) fn open_ahead(&mut self, number: u32) -> io::Result<()> {
        for (path, descriptor) in self.paths(number).into_iter().zip(AHEAD) {
            open_as(path, FLAGS, descriptor)?;
            // SAFETY: a system call without pointers.
            check(unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) })?;
        }
        self.are_open = true;
        Ok(())
    }

    /// Redirects the output of this process to the files with this number, and empties its input.
    pub(super) fn redirect(&mut self, number: u32) -> io::Result<()> {
        open_as(c"/dev/null".to_bytes_with_nul(), libc::O_RDONLY, libc::STDIN_FILENO)?;
        let are_open = mem::take(&mut self.are_open);
        let descriptors = [libc::STDOUT_FILENO, libc::STDERR_FILENO].into_iter().zip(AHEAD);
        for (path, (descriptor, ahead)) in self.paths(number).into_iter().zip(descriptors) {
            if are_open {
                renumber(ahead, descriptor)?;
            } else {
                open_as(path, FLAGS, descriptor)?;
            }
        }
        Ok(())
    }

    /// Returns the paths of the files with this number.
    fn paths(&mut self, number: u32) -> [&[u8]; 2] {
        let name = capture_name(number);
        [&mut self.stdout, &mut self.stderr].map(|path| {
            let at = path.len() - "00000000.stdout\0".len();
            path[at..at + name.len()].copy_from_slice(&name);
            &**path
        })
    }

    /// Writes the counters of the case to a file next to its output, if there are any. Allocates no memory, which massif would
    /// measure.
    pub(super) fn write_counters(&mut self) -> io::Result<()> {
        let records = counters::records();
        if records.is_empty() {
            return Ok(());
        }
        let at = self.stderr.len() - "stderr\0".len();
        self.stderr[at..][..COUNTERS.len()].copy_from_slice(COUNTERS.as_bytes());
        // SAFETY: the path ends with a zero byte, and the records are bytes that are as many as the call says.
        let written = unsafe {
            let file = open(&self.stderr, FLAGS)?;
            libc::write(file, records.as_ptr().cast(), records.len())
        };
        match usize::try_from(written) {
            Ok(written) if written == records.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::WriteZero.into()),
            Err(_) => Err(io::Error::last_os_error()),
        }
    }

    /// Enters the directory with the number of the output. The path of the standard output without its
    /// extension is the path of the link to the directory, so that the server allocates no other one.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        let end = self.stdout.len() - ".stdout\0".len();
        self.stdout[end] = 0;
        // SAFETY: the path ends with a zero byte.
        check(unsafe { libc::chdir(self.stdout.as_ptr().cast()) }).map(drop)
    }
}

/// Opens a file without a stop, at which threads of the file would take a turn.
///
/// # Safety
///
/// The path ends with a zero byte.
pub(super) unsafe fn open(path: &[u8], flags: libc::c_int) -> io::Result<libc::c_int> {
    debug_assert_eq!(path.last(), Some(&0));
    let path = path.as_ptr();
    let file = again(|| {
        #[cfg(target_os = "linux")]
        // SAFETY: the caller guarantees it.
        let file =
            unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags, UNSTOPPED) };
        #[cfg(not(target_os = "linux"))]
        // SAFETY: the caller guarantees it.
        let file = unsafe { libc::open(path.cast(), flags, UNSTOPPED) };
        libc::ssize_t::try_from(file).unwrap_or(-1)
    });
    check(libc::c_int::try_from(file).unwrap_or(-1))
}

/// Opens a file as this descriptor.
pub(super) fn open_as(path: &[u8], flags: libc::c_int, descriptor: libc::c_int) -> io::Result<()> {
    // SAFETY: the path ends with a zero byte.
    renumber(unsafe { open(path, flags)? }, descriptor)
}

/// Gives an open file this descriptor in place of its own.
fn renumber(file: libc::c_int, descriptor: libc::c_int) -> io::Result<()> {
    // SAFETY: system calls without pointers.
    unsafe {
        check(libc::dup2(file, descriptor))?;
        check(libc::close(file)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn a_dump_is_named_after_its_process() {
        let mut path = DumpPath::new("/d/");
        for pid in [0, 1, 9, 10, 99, 4_194_304, 999_999_999] {
            let FirstDump(name) = path.of_process(pid);
            // SAFETY: it is the path that is alive, and ends with a zero byte.
            let name = unsafe { CStr::from_ptr(name.as_ptr()) };
            assert_eq!(name.to_str(), Ok(&*format!("/d/{pid}.out.1")));
        }
    }
}
