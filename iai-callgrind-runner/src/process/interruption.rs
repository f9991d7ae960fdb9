//! What is under way and has to end with the run: groups of processes, and directories that shall not stay.
//! A signal ends them, and the run then comes to its end by itself.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::guardian::Guardian;
use crate::error::{Error, Result};

/// How long the run may take to come to its end after a signal. It only has to notice.
const PATIENCE: Duration = Duration::from_secs(5);

/// A signal can come twice at once: to the process group, and passed on by the benchmark executable. One
/// that comes later was sent by somebody who does not want to wait.
const ONCE: Duration = Duration::from_millis(300);

/// What is under way.
#[derive(Default)]
pub(super) struct UnderWay {
    groups: HashSet<libc::pid_t>,
    directories: HashSet<PathBuf>,
    /// The signal that ended the run.
    signal: Option<i32>,
    /// Who ends all this if this process can't.
    guardian: Option<Guardian>,
}

/// Whoever starts or ends something holds the lock, so that nothing new starts once a signal has come.
static UNDER_WAY: LazyLock<Mutex<UnderWay>> = LazyLock::new(Mutex::default);

/// Tells that a signal has come.
static SIGNALLED: Condvar = Condvar::new();

pub(super) fn under_way() -> MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl UnderWay {
    /// Fails if a signal has ended the run: nothing new starts.
    pub(super) fn check(&self) -> Result<()> {
        self.signal.map_or(Ok(()), |signal| Err(Error::Interrupted { signal }))
    }

    pub(super) fn add_group(&mut self, group: libc::pid_t) {
        self.groups.insert(group);
        self.tell('+', 'g', group.to_string().as_bytes());
        if self.signal.is_some() {
            kill(group);
        }
    }

    pub(super) fn remove_group(&mut self, group: libc::pid_t) {
        self.groups.remove(&group);
        self.tell('-', 'g', group.to_string().as_bytes());
    }

    pub(super) fn add_directory(&mut self, directory: &Path) {
        self.directories.insert(directory.to_owned());
        self.tell('+', 'd', directory.as_os_str().as_encoded_bytes());
    }

    pub(super) fn remove_directory(&mut self, directory: &Path) {
        self.directories.remove(directory);
        self.tell('-', 'd', directory.as_os_str().as_encoded_bytes());
    }

    fn tell(&mut self, change: char, kind: char, what: &[u8]) {
        if let Some(guardian) = &mut self.guardian {
            guardian.tell(change, kind, what);
        }
    }
}

/// As long as this lives, a signal ends what is under way, and so does the end of this process, whatever
/// that is.
#[derive(Debug)]
pub(crate) struct Watch(());

/// Begins to watch.
///
/// # Safety
///
/// No other thread runs.
pub(crate) unsafe fn watch() -> Watch {
    // SAFETY: as demanded of the caller.
    match unsafe { Guardian::start() } {
        Ok(guardian) => under_way().guardian = Some(guardian),
        Err(error) => log::warn!("what this run starts may outlive it if it is killed: {error}"),
    }
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    if let Ok(signals) = Signals::new(wanted) {
        thread::spawn(move || wait_for_signals(signals));
    }
    Watch(())
}

impl Drop for Watch {
    fn drop(&mut self) {
        let guardian = under_way().guardian.take();
        guardian.into_iter().for_each(Guardian::end);
    }
}

fn wait_for_signals(mut signals: Signals) {
    let mut signals = signals.forever();
    let Some(signal) = signals.next() else { return };
    let first = Instant::now();
    {
        let mut under_way = under_way();
        under_way.signal = Some(signal);
        under_way.groups.iter().for_each(|group| kill(*group));
        SIGNALLED.notify_all();
    }
    thread::spawn(move || {
        thread::sleep(PATIENCE);
        exit_at_once(signal);
    });
    if signals.any(|_| first.elapsed() > ONCE) {
        exit_at_once(signal);
    }
}

/// Ends this process. The guardian ends what is left.
fn exit_at_once(signal: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(128 + signal) }
}

/// The signal that has ended the run.
pub(crate) fn interrupted() -> Option<i32> {
    under_way().signal
}

/// Waits so long. Fails as soon as a signal ends the run.
pub(crate) fn pause(time: Duration) -> Result<()> {
    let end = Instant::now() + time;
    let mut under_way = under_way();
    loop {
        under_way.check()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let woken = SIGNALLED.wait_timeout(under_way, left);
        under_way = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
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

/// Kills all processes of the group.
pub(super) fn kill(group: libc::pid_t) {
    // SAFETY: a system call without pointers.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}
