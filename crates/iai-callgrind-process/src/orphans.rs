//! Orphans: processes whose parent exited. On Linux the kernel makes the runner their parent.

use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::clock::read;
#[cfg(target_os = "linux")]
use crate::kernel_files;

/// Makes this process the parent of the orphans among its descendants, such as daemons that benchmarks start.
pub(super) fn adopt() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// A child of this process that another process started.
#[derive(Debug, PartialEq, Eq)]
pub struct Orphan {
    /// The process id.
    pub id: libc::pid_t,
    /// Ids of its process group and of its session, which are the ids of the first processes in
    /// them.
    pub leaders: [libc::pid_t; 2],
    /// Start in clock ticks since the system started, rounded down.
    pub(super) start: u64,
}

impl Orphan {
    /// Returns `true` if the process started before this time, in nanoseconds since 1970, or at most a clock tick
    /// after it.
    pub fn started_before(&self, time: u64) -> bool {
        #[cfg(target_os = "linux")]
        const SINCE_START: libc::clockid_t = libc::CLOCK_BOOTTIME;
        #[cfg(not(target_os = "linux"))]
        const SINCE_START: libc::clockid_t = libc::CLOCK_MONOTONIC;
        let nanoseconds = |clock| i128::try_from(read(clock).as_nanos()).unwrap_or(i128::MAX);
        // SAFETY: a system call without pointers.
        let ticks = i128::from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1));
        let start = i128::from(self.start) * 1_000_000_000 / ticks;
        let system_start = nanoseconds(libc::CLOCK_REALTIME) - nanoseconds(SINCE_START);
        system_start + start < i128::from(time)
    }

    /// Returns the file that one of its output streams is open on.
    pub fn output(&self, descriptor: u8) -> Option<PathBuf> {
        fs::read_link(format!("/proc/{}/fd/{descriptor}", self.id)).ok()
    }

    /// Kills the process, which may have exited already, and waits for it.
    pub fn end(self) {
        kill(self.id);
        wait(self.id);
    }
}

/// Kills a process.
pub(super) fn kill(process: libc::pid_t) {
    let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::KILL));
}

/// Waits for a child.
pub(super) fn wait(child: libc::pid_t) {
    let _ = waitpid(Pid::from_raw(child), WaitOptions::empty());
}

/// Lists the orphans of this process, including exited ones. `own` are its other children.
#[cfg(target_os = "linux")]
pub(super) fn orphans(own: impl Fn(libc::pid_t) -> bool) -> Vec<Orphan> {
    children().into_iter().filter(|child| !own(*child)).filter_map(status).collect()
}

/// Returns an empty list: other processes become the parent of orphans.
#[cfg(not(target_os = "linux"))]
pub(super) fn orphans(_: impl Fn(libc::pid_t) -> bool) -> Vec<Orphan> {
    Vec::new()
}

/// Returns `true` if the process is a descendant of this ancestor.
#[cfg(target_os = "linux")]
pub fn is_descendant(process: libc::pid_t, ancestor: libc::pid_t) -> bool {
    ancestors(process).skip(1).any(|found| found == ancestor)
}

/// Returns a process and its ancestors, looked up lazily.
#[cfg(target_os = "linux")]
pub(super) fn ancestors(process: libc::pid_t) -> impl Iterator<Item = libc::pid_t> {
    let parent = |process: &libc::pid_t| {
        let stat = kernel_files::read(format!("/proc/{process}/stat")).ok()?;
        stat_values(&stat)?.nth(1)?.parse().ok()
    };
    // Processes that start and exit meanwhile can't cause an endless loop
    std::iter::successors(Some(process), parent).take(1000)
}

/// Returns `false`: the system does not list processes.
#[cfg(not(target_os = "linux"))]
pub fn is_descendant(_: libc::pid_t, _: libc::pid_t) -> bool {
    false
}

/// Returns `true` if there is a process with this id, and it is not a descendant of this ancestor.
#[cfg(target_os = "linux")]
pub fn is_stranger(process: libc::pid_t, ancestor: libc::pid_t) -> bool {
    !is_descendant(process, ancestor) && fs::exists(format!("/proc/{process}")).unwrap_or(true)
}

/// Returns `false`: the system does not list processes.
#[cfg(not(target_os = "linux"))]
pub fn is_stranger(_: libc::pid_t, _: libc::pid_t) -> bool {
    false
}

/// Kills all children of this process and waits for them.
pub(super) fn end_children() {
    // A killed process leaves its own children to this one
    loop {
        let children = orphans(|_| false);
        if children.is_empty() {
            return;
        }
        children.into_iter().for_each(Orphan::end);
    }
}

/// Lists the children of all threads of this process.
#[cfg(target_os = "linux")]
fn children() -> Vec<libc::pid_t> {
    children_of(libc::pid_t::try_from(std::process::id()).unwrap_or_default())
}

/// Lists the children of all threads of a process.
#[cfg(target_os = "linux")]
pub(super) fn children_of(process: libc::pid_t) -> Vec<libc::pid_t> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.map(|thread| kernel_files::read(thread.path().join("children")));
    let lists: Vec<_> = lists.flatten().collect();
    lists.iter().flat_map(|list| list.split_whitespace()).flat_map(str::parse).collect()
}

/// Returns the status of a process.
#[cfg(target_os = "linux")]
pub(super) fn status(child: libc::pid_t) -> Option<Orphan> {
    parse_status(child, &kernel_files::read(format!("/proc/{child}/stat")).ok()?)
}

/// Parses the file `stat` of a process or a thread, `ID (NAME) STATE PARENT GROUP SESSION ... START
/// ...`. Returns the values from the state on. The name can contain spaces and brackets.
pub(super) fn stat_values(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(") ")?.1.split_whitespace())
}

/// Parses the file `stat` of a process.
#[cfg(target_os = "linux")]
fn parse_status(id: libc::pid_t, stat: &str) -> Option<Orphan> {
    let fields: Vec<_> = stat_values(stat)?.collect();
    let leader = |field: usize| fields.get(field)?.parse().ok();
    Some(Orphan { id, leaders: [leader(2)?, leader(3)?], start: fields.get(19)?.parse().ok()? })
}

/// Returns the process group of a process.
#[cfg(target_os = "linux")]
pub(super) fn process_group(process: libc::pid_t) -> Option<libc::pid_t> {
    Some(status(process)?.leaders[0])
}

/// Lists the processes of the system.
#[cfg(target_os = "linux")]
pub(super) fn processes() -> impl Iterator<Item = libc::pid_t> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_name_of_a_process_can_look_like_fields() {
        let orphan = Orphan { id: 7, leaders: [5, 4], start: 2_864_471 };
        let rest = "0 -1 4194560 88 0 0 0 1 2 0 0 20 0 1 0 2864471 2600960";
        assert_eq!(parse_status(7, &format!("7 (a) R 1 (b) c) S 12 5 4 {rest}")), Some(orphan));
        assert_eq!(parse_status(7, "7 (a) S 12"), None);
        assert_eq!(parse_status(7, ""), None);
    }

    #[test]
    fn only_children_that_are_not_known_are_orphans() {
        let mut sleep = Command::new("sleep");
        let mut child = sleep.arg("60").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let id = libc::pid_t::try_from(child.id()).unwrap();
        // Other tests have children as well
        assert!(orphans(|other| other == id).iter().all(|orphan| orphan.id != id));
        let orphan = orphans(|other| other != id).pop().unwrap();
        assert_eq!(orphan.id, id);
        assert_eq!(orphan.output(1), Some("/dev/null".into()));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let now = u64::try_from(now).unwrap();
        assert!(orphan.started_before(now));
        assert!(!orphan.started_before(now - 60_000_000_000));
        let this = libc::pid_t::try_from(std::process::id()).unwrap();
        assert!(is_descendant(id, this) && !is_descendant(this, id) && !is_descendant(id, id));
        assert!(is_stranger(this, id) && !is_stranger(id, this) && !is_stranger(i32::MAX, this));
        orphan.end();
        assert_eq!(orphans(|other| other != id), []);
        assert!(child.wait().is_err());
    }
}
