//! Cancellation of the run by a signal: process groups are killed, then the run returns.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::guardian::Guardian;
use super::leader::Leader;
#[cfg(target_os = "linux")]
use super::namespace::Founder;
use super::orphans::{self, Orphan, adopt, end_children};
use super::threads::spawn;
use crate::{ProcessError, Result};

/// Maximum time between a signal and the exit of the runner.
const GRACE_PERIOD: Duration = Duration::from_secs(5);

/// Time after a signal in which further signals are ignored, because each signal arrives twice: in
/// the process group and from the benchmark executable. A later signal is the user's second one.
const REPETITION_PERIOD: Duration = Duration::from_millis(300);

/// The signal that cancels the run, with the process groups and directories that must not outlive the run.
#[derive(Default)]
pub(super) struct Cancellation {
    groups: HashMap<libc::pid_t, Leader>,
    directories: HashSet<PathBuf>,
    signal: Option<i32>,
    /// Process that cleans up if this one is killed.
    guardian: Option<Guardian>,
    /// Process that founds namespaces of processes.
    #[cfg(target_os = "linux")]
    founder: Option<Founder>,
}

/// A thread holds the lock while it starts a process, so no process starts after a signal.
static CANCELLATION: LazyLock<Mutex<Cancellation>> = LazyLock::new(Mutex::default);

/// Notified by a signal.
static SIGNALLED: Condvar = Condvar::new();

impl Cancellation {
    /// Locks the state of this process.
    pub(super) fn lock() -> MutexGuard<'static, Self> {
        CANCELLATION.lock().unwrap()
    }

    /// Returns an error if the run is cancelled.
    pub(super) fn check(&self) -> Result<()> {
        self.signal.map_or(Ok(()), |signal| Err(ProcessError::Interrupted { signal }))
    }

    /// Adds the group with this leader. Returns `false` if the id can't be that of a benchmark.
    pub(super) fn add_group(&mut self, group: libc::pid_t) -> bool {
        let Some(leader) = Leader::new(group) else { return false };
        self.notify_guardian('+', 'g', group.to_string().as_bytes());
        if self.signal.is_some() {
            leader.kill();
        }
        self.groups.insert(group, leader);
        true
    }

    pub(super) fn kill_group(&self, group: libc::pid_t) {
        self.groups.get(&group).into_iter().for_each(Leader::kill);
    }

    pub(super) fn remove_group(&mut self, group: libc::pid_t) {
        self.groups.remove(&group);
        self.notify_guardian('-', 'g', group.to_string().as_bytes());
    }

    pub(super) fn add_directory(&mut self, directory: &Path) {
        self.directories.insert(directory.to_owned());
        self.notify_guardian('+', 'd', directory.as_os_str().as_encoded_bytes());
    }

    pub(super) fn remove_directory(&mut self, directory: &Path) {
        self.directories.remove(directory);
        self.notify_guardian('-', 'd', directory.as_os_str().as_encoded_bytes());
    }

    /// Returns the process that creates namespaces of processes, if there is one.
    #[cfg(target_os = "linux")]
    pub(super) fn founder(&mut self) -> Option<&mut Founder> {
        self.founder.as_mut()
    }

    /// Returns the process ids of the guardian and the founder.
    fn own_processes(&self) -> Vec<libc::pid_t> {
        let guardian = self.guardian.as_ref().map(Guardian::process);
        #[cfg(target_os = "linux")]
        let founder = self.founder.as_ref().map(Founder::process);
        #[cfg(not(target_os = "linux"))]
        let founder = None;
        guardian.into_iter().chain(founder).collect()
    }

    fn notify_guardian(&mut self, change: char, kind: char, name: &[u8]) {
        if let Some(guardian) = &mut self.guardian {
            guardian.send(change, kind, name);
        }
    }
}

/// Cleans up on a signal, and when this process exits for any other reason. Stops on drop, and ends the orphans of
/// the run.
#[derive(Debug)]
pub struct SignalWatch(());

/// Starts to wait for signals.
///
/// # Errors
///
/// Returns an error if no thread can start.
///
/// # Safety
///
/// No other thread runs.
pub unsafe fn watch() -> Result<SignalWatch> {
    adopt();
    // SAFETY: as demanded of the caller.
    match unsafe { Guardian::start() } {
        Ok(guardian) => Cancellation::lock().guardian = Some(guardian),
        Err(error) => log::warn!("processes of this run may outlive it if it is killed: {error}"),
    }
    #[cfg(target_os = "linux")]
    // SAFETY: as demanded of the caller.
    match unsafe { Founder::start() } {
        Ok(founder) => Cancellation::lock().founder = Some(founder),
        Err(error) => log::info!("processes have the ids of the system: {error}"),
    }
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    if let Ok(signals) = Signals::new(wanted) {
        spawn(move || wait_for_signals(signals))?;
    }
    Ok(SignalWatch(()))
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        {
            let founder = Cancellation::lock().founder.take();
            founder.into_iter().for_each(Founder::stop);
        }
        let guardian = Cancellation::lock().guardian.take();
        guardian.into_iter().for_each(Guardian::stop);
        end_children();
    }
}

fn wait_for_signals(mut signals: Signals) {
    let mut signals = signals.forever();
    let Some(signal) = signals.next() else { return };
    let first = Instant::now();
    {
        let mut cancellation = Cancellation::lock();
        cancellation.signal = Some(signal);
        cancellation.groups.values().for_each(Leader::kill);
        SIGNALLED.notify_all();
    }
    // Without it the run still ends by itself
    let _ = spawn(move || {
        thread::sleep(GRACE_PERIOD);
        exit_at_once(signal);
    });
    if signals.any(|_| first.elapsed() > REPETITION_PERIOD) {
        exit_at_once(signal);
    }
}

/// Exits this process. The guardian cleans up.
fn exit_at_once(signal: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(128 + signal) }
}

/// Returns the signal that cancelled the run.
pub fn interrupted() -> Option<i32> {
    Cancellation::lock().signal
}

/// Lists the orphans of the run.
pub fn orphans() -> Vec<Orphan> {
    let cancellation = Cancellation::lock();
    let own = cancellation.own_processes();
    orphans::orphans(|child| cancellation.groups.contains_key(&child) || own.contains(&child))
}

/// Sleeps. Returns an error as soon as the run is cancelled.
pub fn pause(time: Duration) -> Result<()> {
    let end = Instant::now() + time;
    let mut cancellation = Cancellation::lock();
    loop {
        cancellation.check()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let woken = SIGNALLED.wait_timeout(cancellation, left);
        cancellation = woken.unwrap().0;
    }
}

/// Returns `true` if this process was started with the signal ignored, as by `nohup`.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: a system call that fills `action`, for which zeros are valid.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}
