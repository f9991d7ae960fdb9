//! What is under way and has to end with the run: processes, and directories that shall not stay. A signal
//! that ends the runner ends them first.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{Error, Result};

/// How much time processes get that were killed before their directory is removed.
const DEATH: Duration = Duration::from_millis(20);

/// What is under way.
#[derive(Default)]
struct UnderWay {
    groups: HashSet<libc::pid_t>,
    directories: HashSet<PathBuf>,
}

/// Whoever starts or ends something holds the lock. The thread that waits for signals never gives it back:
/// nothing new starts while it ends the run.
fn under_way() -> MutexGuard<'static, UnderWay> {
    static UNDER_WAY: OnceLock<Mutex<UnderWay>> = OnceLock::new();
    UNDER_WAY.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, a signal that ends this process ends what is under way first.
pub(crate) fn watch() {
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let mut under_way = under_way();
            for group in under_way.groups.drain() {
                kill(group);
            }
            for directory in under_way.directories.drain() {
                remove(&directory);
            }
            // This process ends by the signal, as its parent expects
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    });
}

/// Whether somebody above decided that this signal shall change nothing, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: a system call that fills `action`, for which zeros are valid.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

fn kill(group: libc::pid_t) {
    // SAFETY: a system call without pointers.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Removes a directory in which processes may still be dying.
fn remove(directory: &Path) {
    for _ in 0..50 {
        if remove_all(directory).is_ok() || !directory.exists() {
            return;
        }
        thread::sleep(DEATH);
    }
}

/// Removes a directory with all that is in it, also where permissions were taken away.
pub(super) fn remove_all(directory: &Path) -> io::Result<()> {
    fs::remove_dir_all(directory).or_else(|_| {
        make_accessible(directory);
        fs::remove_dir_all(directory)
    })
}

fn make_accessible(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_accessible(&entry.path());
        }
    }
}

/// A process and those that it starts, all of which end when this goes.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) child: Child,
    group: libc::pid_t,
}

impl Running {
    /// Starts the command as the leader of a process group.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut under_way = under_way();
        let child = command.process_group(0).spawn();
        let child = child
            .map_err(|source| Error::Start { program: command.get_program().into(), source })?;
        let group = libc::pid_t::try_from(child.id()).unwrap_or_default();
        under_way.groups.insert(group);
        Ok(Self { child, group })
    }

    /// Waits until the process has ended.
    pub(super) fn wait(&mut self) -> Result<ExitStatus> {
        let status = self.child.wait().map_err(Error::io("wait for", Path::new("a process")))?;
        // Nothing goes on after a signal that ends the run
        drop(under_way());
        Ok(status)
    }

    /// The status, if it ends until then.
    pub(super) fn wait_until(&mut self, end: Instant) -> Option<ExitStatus> {
        loop {
            let status = self.child.try_wait().ok().flatten();
            if status.is_some() || Instant::now() >= end {
                return status;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        kill(self.group);
        let _ = self.child.wait();
        under_way().groups.remove(&self.group);
    }
}

/// A directory that goes with its contents when this goes.
#[derive(Debug)]
pub(crate) struct TemporaryDirectory {
    path: PathBuf,
    is_kept: bool,
}

impl TemporaryDirectory {
    /// The directory that `create` makes.
    pub(crate) fn create(create: impl FnOnce() -> Result<PathBuf>) -> Result<Self> {
        let mut under_way = under_way();
        let path = create()?;
        under_way.directories.insert(path.clone());
        Ok(Self { path, is_kept: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Has the directory stay.
    pub(super) fn keep(&mut self) {
        under_way().directories.remove(&self.path);
        self.is_kept = true;
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = remove_all(&self.path);
            under_way().directories.remove(&self.path);
        }
    }
}
