//! Namespaces of processes (`pid_namespaces(7)`): a benchmark and the processes that it starts have
//! the same ids in each run, on each machine, alone and next to others.
//!
//! The first process of a namespace can't be the benchmark: it would ignore its own signals, and
//! the namespace would end with it. So the first process is a small process of the runner, the
//! keeper. It kills what a benchmark leaves behind and sets the id of the next process. When it
//! exits, the kernel kills all others.
//!
//! Only a process with a single thread can fork the keeper. So another process does it, the
//! founder, which the runner forks when it starts.

mod founder;
mod keeper;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

pub(super) use self::founder::Founder;
use super::cancellation::Cancellation;
use super::mounts::{check, mount, own_mounts};
use super::orphans::{Orphan, children_of, status};
use super::status::Status;

/// The id of the first process of a benchmark.
pub const FIRST_ID: libc::pid_t = 1000;

/// A namespace of processes. They are killed on drop and when the runner exits.
#[derive(Debug)]
pub struct Namespace {
    /// The process id of the keeper.
    keeper: libc::pid_t,
    connection: UnixStream,
}

impl Namespace {
    /// Creates a namespace whose next process has the id [`FIRST_ID`]. Returns `None` if the system does not allow it, as in
    /// most containers.
    pub fn create() -> Option<Self> {
        let (connection, other_end) = UnixStream::pair().ok()?;
        let keeper = Cancellation::lock().founder()?.found(&other_end)?;
        drop(other_end);
        let namespace = Self { keeper, connection };
        namespace.clear().then_some(namespace)
    }

    /// Returns the path of the namespace, for `setns(2)`.
    pub fn path(&self) -> PathBuf {
        Path::new("/proc").join(self.keeper.to_string()).join("ns/pid")
    }

    /// Lists the processes of the namespace, including exited ones, with their ids in it.
    pub fn processes(&self) -> Vec<Orphan> {
        let (mut found, mut next) = (Vec::new(), children_of(self.keeper));
        while let Some(process) = next.pop() {
            next.extend(children_of(process));
            let id = Status::read(process).and_then(|status| status.inner("NSpid"));
            found.extend(status(process).zip(id).map(|(orphan, id)| Orphan { id, ..orphan }));
        }
        found
    }

    /// Kills the processes of the namespace, and has the next one get the id [`FIRST_ID`]. Returns
    /// `false` if the keeper has exited.
    pub fn clear(&self) -> bool {
        let mut connection = &self.connection;
        connection.write_all(&[0]).is_ok() && connection.read_exact(&mut [0]).is_ok()
    }

    /// Gives a command its own mounts, which other processes do not see.
    pub fn give_mounts(command: &mut Command) {
        // SAFETY: the function makes system calls only.
        unsafe { command.pre_exec(own_mounts) };
    }

    /// Starts a command in the namespace, where it sees the processes of the namespace only.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        // SAFETY: the function makes system calls only.
        unsafe { command.pre_exec(show_processes) };
        // Those that this thread starts next
        let own = File::open("/proc/thread-self/ns/pid")?;
        enter(&File::open(self.path())?)?;
        let child = command.spawn();
        enter(&own)?;
        child
    }
}

/// Moves the next processes of this thread into this namespace.
fn enter(namespace: &File) -> io::Result<()> {
    // SAFETY: a system call without pointers.
    check(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWPID) })
}

/// Replaces `/proc` by one with the processes of this process's namespace. Makes system calls only.
fn show_processes() -> io::Result<()> {
    own_mounts()?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    mount(Some(c"proc"), c"/proc", Some(c"proc"), flags)
}
