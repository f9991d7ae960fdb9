//! The list of the mappings of a process (`/proc/self/maps`), with the stack first.
//!
//! Before `main`, std asks the C library for the bounds of the stack (`pthread_getattr_np`), and
//! the C library reads lines until one contains its stack. The lines before it are those of the
//! program, its libraries and Valgrind, whose memory grows with the symbols of the program. Their
//! number and their digits would count.
//!
//! The C library asks for the size of its buffer right before it reads. At this moment a file in
//! memory replaces the list. It has the same lines, so a program that reads all of them misses
//! none.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::slice;

use rustix::fs::{MemfdFlags, memfd_create};

use super::files::in_root;
use super::request::{Answer, Request, process_file};

/// Puts the stack first if the descriptor in the first argument is the list of mappings, and writes the state of the list
/// to an address on the stack.
pub(super) fn replace(request: &Request<'_>, state: u64) -> Answer {
    let descriptor = request.arguments[0];
    let replace = || {
        let mappings = Mappings::new(request.thread, descriptor, state)?;
        request.replace(descriptor, &mappings.file)?;
        let bytes = (&raw const mappings.state).cast();
        // SAFETY: the kernel has written each byte of the state.
        let bytes = unsafe { slice::from_raw_parts(bytes, size_of_val(&mappings.state)) };
        request.write(state, bytes).map(|_| 0)
    };
    replace().into()
}

/// A file in memory with the mappings of a process.
struct Mappings {
    file: File,
    /// State of the kernel's file.
    state: libc::stat,
}

impl Mappings {
    /// Creates the file if this descriptor of the process is the unread list of mappings, opened as
    /// by the C library. `address` is on the stack.
    fn new(process: libc::pid_t, descriptor: u64, address: u64) -> Option<Self> {
        let path = fs::read_link(process_file(process, &format!("fd/{descriptor}"))).ok()?;
        // A command checks each file that it opens
        let path = path.to_str().filter(|path| path.ends_with("/maps"))?;
        let path = in_root(path, process)?;
        let state = || fs::read_to_string(process_file(process, &format!("fdinfo/{descriptor}")));
        if !is_list(&path) || !is_unread(&state().ok()?) {
            return None;
        }
        let path = process_file(process, "maps");
        let lines = fs::read(&path).ok()?;
        let [first, before, after] = stack_first(&lines, address)?;
        let mut file = File::from(memfd_create(c"maps", MemfdFlags::CLOEXEC).ok()?);
        for part in [first, before, after] {
            file.write_all(part).ok()?;
        }
        file.rewind().ok()?;
        Some(Self { file, state: state_of(&File::open(&path).ok()?).ok()? })
    }
}

/// Returns `true` for the path of the mappings of a process, with its id in any container.
fn is_list(path: &str) -> bool {
    let id = path.strip_prefix("/proc/").and_then(|path| path.strip_suffix("/maps"));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns `true` if a descriptor with this state (`/proc/PID/fdinfo`) is unread and closes on
/// exec.
fn is_unread(state: &str) -> bool {
    let value = |name| state.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let flags = value("flags:").and_then(|flags| i32::from_str_radix(flags, 8).ok());
    value("pos:") == Some("0") && flags.is_some_and(|flags| flags & libc::O_CLOEXEC != 0)
}

/// Returns the line whose mapping contains an address, and the lines before and after it.
fn stack_first(lines: &[u8], address: u64) -> Option<[&[u8]; 3]> {
    let mut start = 0;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.len();
        if range(line)?.contains(&address) {
            return Some([line, &lines[..start], &lines[end..]]);
        }
        start = end;
    }
    None
}

/// Parses the addresses of a line.
fn range(line: &[u8]) -> Option<Range<u64>> {
    let range = std::str::from_utf8(line.split(|byte| *byte == b' ').next()?).ok()?;
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(number(start)?..number(end)?)
}

fn state_of(file: &File) -> io::Result<libc::stat> {
    // SAFETY: a state of zeros is valid.
    let mut state: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid during the call.
    match unsafe { libc::fstat(file.as_raw_fd(), &raw mut state) } {
        0 => Ok(state),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[u8] = b"\
00108000-0011c000 r--p 00000000 fe:00 9978107                            /tmp/m\n\
1005861000-1005a79000 rwxp 00000000 00:00 0 \n\
1ffeffe000-1fff001000 rw-p 00000000 00:00 0 \n\
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

    #[test]
    fn the_line_of_the_stack_is_first_and_none_is_missing() {
        let parts = stack_first(LINES, 0x1f_feff_e000).unwrap();
        assert_eq!(parts[0], b"1ffeffe000-1fff001000 rw-p 00000000 00:00 0 \n");
        let [mut reordered, mut lines] = [parts.concat(), LINES.to_vec()]
            .map(|text| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>());
        assert_ne!(reordered, lines);
        reordered.sort();
        lines.sort();
        assert_eq!(reordered, lines);
        assert_eq!(stack_first(LINES, 0x1f_ff00_1000), None);
    }

    #[test]
    fn damaged_lines_are_not_replaced() {
        for lines in [&b""[..], b"\n", b"10-20", b"x-20 r--p\n", b"1ffeffe000 rw-p\n", b"\xff-1 \n"]
        {
            assert_eq!(stack_first(lines, 0x1f_feff_e000), None, "{lines:?}");
        }
    }

    #[test]
    fn only_the_unread_list_of_a_process_is_replaced() {
        for (path, expected) in [
            ("/proc/17/maps", true),
            ("/proc/self/maps", false),
            ("/proc//maps", false),
            ("/proc/17/smaps", false),
            ("/tmp/proc/17/maps", false),
        ] {
            assert_eq!(is_list(path), expected, "{path}");
        }
        assert!(is_unread("pos:\t0\nflags:\t02100000\nmnt_id:\t23\nino:\t5\n"));
        assert!(!is_unread("pos:\t1024\nflags:\t02100000\n"), "read");
        assert!(!is_unread("pos:\t0\nflags:\t0100000\n"), "not by the C library itself");
        assert!(!is_unread(""));
    }
}
