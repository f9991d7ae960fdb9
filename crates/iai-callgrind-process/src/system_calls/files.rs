//! Files of the kernel whose contents are the same in each run: a file in memory is opened instead.
//!
//! The kernel itself resolves links and relative paths. Only files that a program opens to read are
//! replaced.

#![expect(
    clippy::cast_possible_truncation,
    reason = "the kernel takes the lower half of descriptors and flags as well"
)]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{FileType, MemfdFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::filter::Condition;
use super::machine_files::{self, Content, Files};
use super::random::Random;
use super::request::{Answer, Request, process_file};
use crate::status::Status;

/// Flags of files that are opened for something else than to read them.
const OTHER_FLAGS: i32 = libc::O_ACCMODE
    | libc::O_PATH
    | libc::O_DIRECTORY
    | libc::O_CREAT
    | libc::O_TRUNC
    | libc::O_APPEND
    | libc::O_DIRECT;

/// `struct open_how`: the flags, the mode, and how to resolve the path.
const OPEN_HOW: usize = 24;

/// The devices with random numbers.
const RANDOM_DEVICES: [(u32, u32); 2] = [(1, 8), (1, 9)];

/// Links to the directories of the process and of the thread that follow them.
const OWN_DIRECTORIES: [&str; 2] = ["/proc/self", "/proc/thread-self"];

/// The link to the current directory of a thread.
pub(super) const CURRENT: &str = "cwd";

/// Number of links in a path that the kernel follows.
const MOST_LINKS: u32 = 40;

/// A call that opens a file to read it.
#[derive(Debug)]
struct Opening {
    directory: i32,
    path: String,
    flags: i32,
}

/// Returns the condition that the flags of a call with this index are those of a file that is opened to read it.
pub(super) const fn is_to_read(index: usize) -> Condition {
    Condition::Bits {
        index,
        mask: OTHER_FLAGS.unsigned_abs(),
        value: libc::O_RDONLY.unsigned_abs(),
    }
}

/// Answers `open`, `openat` and `openat2`.
pub(super) fn open(request: &Request<'_>, files: Files, random: &mut Random) -> Answer {
    let Some(opening) = Opening::new(request) else { return Answer::Continue };
    let Some(content) = opening.content(request, files) else { return Answer::Continue };
    let file = match content {
        Content::Absent => return Answer::Error(libc::ENOENT),
        Content::Random => random.device(request.thread),
        Content::Uuid => random.uuid(request.thread).and_then(|id| in_memory(id.as_bytes())),
        Content::Text(text) => in_memory(text.as_bytes()),
    };
    let flags = opening.flags & libc::O_CLOEXEC;
    file.and_then(|file| request.put(&file, flags)).map_or(Answer::Continue, Answer::Result)
}

impl Opening {
    /// Reads the arguments of a call.
    fn new(request: &Request<'_>) -> Option<Self> {
        let [first, second, third, fourth, ..] = request.arguments;
        let (directory, address, flags) = match request.call {
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => (libc::AT_FDCWD, first, second),
            libc::SYS_openat => (first as i32, second, third),
            _ => {
                let mut how = [0; OPEN_HOW];
                (fourth >= OPEN_HOW as u64).then_some(())?;
                request.read(third, &mut how)?;
                let (flags, rest) = how.split_at(size_of::<u64>());
                // The path is resolved in another way
                rest.iter().all(|byte| *byte == 0).then_some(())?;
                (first as i32, second, u64::from_ne_bytes(flags.try_into().ok()?))
            }
        };
        let flags = flags as i32;
        if flags & OTHER_FLAGS != libc::O_RDONLY {
            return None;
        }
        let path = request.read_path(address)?;
        (!path.is_empty()).then_some(Self { directory, path, flags })
    }

    /// Returns the content that replaces this file.
    fn content(&self, request: &Request<'_>, files: Files) -> Option<Content> {
        let directory = match self.directory {
            libc::AT_FDCWD => CURRENT.to_owned(),
            number => format!("fd/{number}"),
        };
        let path = absolute(self.path.clone(), &directory, request.thread)?;
        if let Some(path) = normalized(&path) {
            if let Some(content) = machine_files::content(&path, request.thread, files) {
                return Some(content);
            }
        }
        if is_on_disk(&path, request.thread) {
            return None;
        }
        let resolved = self.resolved(&path, request);
        let path = resolved.or_else(|| self.through_self(&path, request.thread))?;
        machine_files::content(&path, request.thread, files)
    }

    /// Returns the path of a file of the kernel without links, with `self` instead of the process.
    fn resolved(&self, path: &str, request: &Request<'_>) -> Option<String> {
        let is_link = self.flags & libc::O_NOFOLLOW != 0;
        let file = open_in_root(path, request.thread, is_link)?;
        let state = rustix::fs::fstat(&file).ok()?;
        match FileType::from_raw_mode(state.st_mode) {
            FileType::CharacterDevice => {
                let device = (libc::major(state.st_rdev), libc::minor(state.st_rdev));
                return RANDOM_DEVICES.contains(&device).then(|| "/dev/urandom".to_owned());
            }
            FileType::RegularFile if is_of_kernel(&file) => {}
            _ => return None,
        }
        let resolved = target(&format!("/proc/self/fd/{}", file.as_raw_fd()), request.thread)?;
        let Some((process, name)) = process_and_name(&resolved) else {
            return Some(resolved);
        };
        is_own(process, state.st_dev, path, request.thread)?.then(|| format!("/proc/self/{name}"))
    }

    /// Follows the links of a path that leads through the directory of the process itself. Only the
    /// process can have the kernel do this, because the runner is not in its namespace. Returns the
    /// path with `self` instead of the process.
    fn through_self(&self, path: &str, thread: libc::pid_t) -> Option<String> {
        let (mut followed, mut is_own, mut links) = (String::new(), false, 0);
        let mut rest: Vec<_> = path.split('/').rev().map(str::to_owned).collect();
        while let Some(part) = rest.pop() {
            let directory = followed.len();
            match part.as_str() {
                "" | "." => continue,
                ".." => {
                    followed.truncate(followed.rfind('/').unwrap_or(0));
                    continue;
                }
                name => followed.extend(["/", name]),
            }
            if OWN_DIRECTORIES.contains(&followed.as_str()) {
                is_own = true;
                continue;
            }
            if rest.is_empty() && self.flags & libc::O_NOFOLLOW != 0 {
                break;
            }
            let Ok(target) = std::fs::read_link(place(&followed, thread)) else { continue };
            let target = target.to_str()?;
            // The kernel's own link to a file is a path that this process sees
            let seen = followed.starts_with("/proc/").then(|| in_root(target, thread)).flatten();
            let target = seen.as_deref().unwrap_or(target);
            links += 1;
            (links <= MOST_LINKS).then_some(())?;
            followed.truncate(if target.starts_with('/') { 0 } else { directory });
            rest.extend(target.split('/').rev().map(str::to_owned));
        }
        is_own.then_some(followed)
    }
}

/// Returns the path at which this process sees a file of a thread. The directories of the path are
/// not links, except for [`OWN_DIRECTORIES`].
fn place(path: &str, thread: libc::pid_t) -> String {
    let own = OWN_DIRECTORIES.iter().find_map(|own| path.strip_prefix(own)?.strip_prefix('/'));
    own.map_or_else(|| format!("/proc/{thread}/root{path}"), |name| process_file(thread, name))
}

/// Returns an absolute path: one that is relative is below a directory of a thread, [`CURRENT`] or that of a descriptor.
pub(super) fn absolute(path: String, directory: &str, thread: libc::pid_t) -> Option<String> {
    if path.starts_with('/') {
        return Some(path);
    }
    Some(format!("{}/{path}", target(&process_file(thread, directory), thread)?))
}

/// Returns the path of an open file or directory, by the kernel's link to it, as a thread sees it.
fn target(link: &str, thread: libc::pid_t) -> Option<String> {
    in_root(std::fs::read_link(link).ok()?.to_str()?, thread)
}

/// Returns a path that this process sees as a thread sees it; `None` for one outside of its root. If both are in a root of their
/// own (`chroot`), a thread in another namespace of mounts has that root in the paths of its files.
pub(super) fn in_root(path: &str, thread: libc::pid_t) -> Option<String> {
    let root = std::fs::read_link(process_file(thread, "root")).ok()?;
    below(root.to_str()?, path)
}

/// Returns an absolute path below a directory, relative to it.
fn below(root: &str, path: &str) -> Option<String> {
    match path.strip_prefix(root.trim_end_matches('/'))? {
        "" => Some("/".to_owned()),
        path => path.starts_with('/').then(|| path.to_owned()),
    }
}

/// Opens an absolute path as a thread sees it, through links, except for a link at the end. The
/// result can't be read.
pub(super) fn open_in_root(path: &str, thread: libc::pid_t, is_link: bool) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let root = process_file(thread, "root");
    let root = rustix::fs::open(root, flags | OFlags::DIRECTORY, Mode::empty()).ok()?;
    let flags = if is_link { flags | OFlags::NOFOLLOW } else { flags };
    let open = || rustix::fs::openat2(&root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT);
    match open() {
        // A directory was renamed meanwhile
        Err(Errno::AGAIN) => open().ok(),
        other => other.ok(),
    }
}

/// Returns `true` for a file on a disk, with one call: most files are.
fn is_on_disk(path: &str, thread: libc::pid_t) -> bool {
    let state = rustix::fs::stat(format!("/proc/{thread}/root{path}"));
    state.is_ok_and(|state| match FileType::from_raw_mode(state.st_mode) {
        FileType::RegularFile => libc::major(state.st_dev) != 0,
        kind => kind != FileType::CharacterDevice,
    })
}

/// Returns a path without empty parts and dots; `None` if it goes up.
fn normalized(path: &str) -> Option<String> {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    let mut normalized = String::with_capacity(path.len());
    for part in parts {
        if part == ".." {
            return None;
        }
        normalized.extend(["/", part]);
    }
    Some(normalized)
}

/// Splits the path of a file about a process.
fn process_and_name(path: &str) -> Option<(libc::pid_t, &str)> {
    let (process, name) = path.strip_prefix("/proc/")?.split_once('/')?;
    Some((process.parse().ok()?, name))
}

/// Returns `true` if an id in a file system of processes, on this device, is that of the process of a thread.
fn is_own(id: libc::pid_t, device: u64, path: &str, thread: libc::pid_t) -> Option<bool> {
    let status = Status::read(thread)?;
    if rustix::fs::stat("/proc").ok()?.st_dev != device {
        return Some(status.inner("NStgid")? == id);
    }
    // A link to the process itself leads this process to its own files
    let is_link = id.unsigned_abs() == std::process::id() && !path.contains(&id.to_string());
    Some(is_link || status.number("Tgid")? == id)
}

/// Returns `true` for a file that the kernel makes when it is read.
fn is_of_kernel(file: &OwnedFd) -> bool {
    const CGROUP: i64 = 0x0027_e0eb;
    const CGROUP_2: i64 = 0x6367_7270;
    const PROCESSES: i64 = 0x9fa0;
    const SYSTEM: i64 = 0x6265_6572;
    let kind = rustix::fs::fstatfs(file).map(|system| system.f_type);
    kind.is_ok_and(|kind| [CGROUP, CGROUP_2, PROCESSES, SYSTEM].contains(&kind))
}

/// Creates a file in memory, and opens it to read.
pub(super) fn in_memory(content: &[u8]) -> Option<File> {
    let file = rustix::fs::memfd_create(c"file", MemfdFlags::CLOEXEC).ok()?;
    let mut file = File::from(file);
    file.write_all(content).ok()?;
    reopened(&file, 0)
}

/// Opens a file in memory once more, to read it from an offset on.
pub(super) fn reopened(file: &File, offset: u64) -> Option<File> {
    let mut file = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        for (path, expected) in [
            ("/proc/meminfo", Some("/proc/meminfo")),
            ("//proc/./self//stat", Some("/proc/self/stat")),
            ("/proc/self/../meminfo", None),
            ("/", Some("")),
        ] {
            assert_eq!(normalized(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn paths_are_those_in_the_root() {
        for (root, path, expected) in [
            ("/", "/proc/stat", Some("/proc/stat")),
            ("/", "/", Some("/")),
            ("/srv/root", "/srv/root/proc/stat", Some("/proc/stat")),
            ("/srv/root", "/srv/root", Some("/")),
            ("/srv/root", "/srv/roots/a", None),
            ("/srv/root", "/proc/stat", None),
            ("/", "pipe:[7]", None),
        ] {
            assert_eq!(below(root, path).as_deref(), expected, "{root} {path}");
        }
    }

    #[test]
    fn files_of_processes_have_a_number() {
        assert_eq!(process_and_name("/proc/17/stat"), Some((17, "stat")));
        assert_eq!(process_and_name("/proc/17/task/18/stat"), Some((17, "task/18/stat")));
        for path in ["/proc/sys/kernel", "/proc/meminfo", "/sys/1/x"] {
            assert_eq!(process_and_name(path), None, "{path}");
        }
    }

    #[test]
    fn a_file_in_memory_is_read_only() {
        let mut file = in_memory(b"text").unwrap();
        assert_eq!(std::io::read_to_string(&mut file).unwrap(), "text");
        assert!(file.write_all(b"x").is_err());
        assert_eq!(
            reopened(&file, 2).and_then(|file| std::io::read_to_string(file).ok()),
            Some("xt".to_owned())
        );
    }
}
