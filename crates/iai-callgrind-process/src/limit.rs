//! Limits of processes: of their duration, or of the time in which none of their threads runs.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use super::orphans::stat_values;
use super::waits::waited;
use crate::kernel_files;

/// Number of successive checks without progress before the limit is exceeded. A suspended runner
/// does not check.
const LOOKS: u32 = 30;

/// Maximum number of threads in a message.
const MOST_THREADS: usize = 20;

/// A limit of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Of its duration.
    Duration(Duration),
    /// Limits the time in which no thread of the process and of its descendants runs.
    Stillness(Duration),
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(limit) => write!(
                formatter,
                "timed out after {limit:?} and was killed\nhelp: check for a deadlock or raise --timeout"
            ),
            Self::Stillness(limit) => write!(
                formatter,
                "no thread ran for {limit:?}, so it was killed\nhelp: check for a deadlock, or set its longest duration \
                 with --timeout"
            ),
        }
    }
}

impl Limit {
    /// The limit of benchmarks.
    const DEFAULT: Self = Self::Stillness(Duration::from_secs(60));

    /// Returns the limit of a benchmark with this timeout. Processes with `foreign_ids` can't be
    /// observed.
    pub fn of_benchmark(timeout: Option<Duration>, foreign_ids: bool) -> Option<Self> {
        timeout.map(Self::Duration).or((!foreign_ids).then_some(Self::DEFAULT))
    }
}

/// A limit that a process exceeded.
#[derive(Debug, Clone)]
pub struct Exceeded {
    limit: Limit,
    /// The threads of the process, if they are shown.
    threads: Option<String>,
}

impl Exceeded {
    /// Returns the limit.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Returns the threads of the process, if they are shown.
    #[must_use]
    pub fn threads(&self) -> Option<&str> {
        self.threads.as_deref()
    }
}

/// Watches a process with a limit, or only its duration.
#[derive(Debug)]
pub struct LimitWatch {
    limit: Option<Limit>,
    process: libc::pid_t,
    started: Instant,
    looked: Instant,
    /// Time that its threads had run at the last check.
    time: Option<u64>,
    /// Number of looks without progress.
    still: u32,
}

impl LimitWatch {
    /// Starts now.
    pub fn new(limit: Option<Limit>, process: libc::pid_t) -> Self {
        let now = Instant::now();
        Self { limit, process, started: now, looked: now, time: None, still: 0 }
    }

    /// Returns the time since the start, without the time in which the process waits for another
    /// run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(waited(self.process, self.started).0)
    }

    /// Returns the process.
    pub fn process(&self) -> libc::pid_t {
        self.process
    }

    /// Continues with another process, which the first one has started.
    pub fn follow(&mut self, process: libc::pid_t) {
        (self.process, self.time, self.still) = (process, None, 0);
    }

    /// Returns the time until the next check by [`Self::exceeded`].
    pub fn left(&self) -> Duration {
        match self.limit {
            None => Duration::MAX,
            Some(Limit::Duration(limit)) => limit.saturating_sub(self.elapsed()),
            Some(Limit::Stillness(limit)) => (limit / LOOKS).saturating_sub(self.looked.elapsed()),
        }
    }

    /// Returns the limit if it is exceeded.
    pub fn exceeded(&mut self) -> Option<Exceeded> {
        if !self.left().is_zero() {
            return None;
        }
        let limit = self.limit?;
        let threads = match limit {
            Limit::Duration(_) => describe_running_threads(self.process),
            Limit::Stillness(_) => {
                let time = running_time(self.process);
                let (_, is_waiting) = waited(self.process, self.started);
                let is_still = time.is_some() && time == self.time && !is_waiting;
                self.still = if is_still { self.still + 1 } else { 0 };
                (self.looked, self.time) = (Instant::now(), time);
                if self.still < LOOKS {
                    return None;
                }
                Some(describe_threads(self.process))
            }
        };
        Some(Exceeded { limit, threads })
    }
}

/// Returns `true` if the process has exited and its parent has not waited for it.
pub fn is_zombie(process: libc::pid_t) -> bool {
    let stat = kernel_files::read(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| state(&stat) == Some('Z'))
}

/// Returns the state of a process or thread from its file `stat`.
fn state(stat: &str) -> Option<char> {
    stat_values(stat)?.next()?.chars().next()
}

/// Returns the time in nanoseconds that all threads of a process and of its descendants have run;
/// `None` while one is ready to run or waits for a disk, and if the system does not provide it.
fn running_time(process: libc::pid_t) -> Option<u64> {
    let (mut pending, mut sum) = (vec![process], 0_u64);
    while let Some(process) = pending.pop() {
        for thread in threads(process)? {
            let read = |file| kernel_files::read(format!("/proc/{process}/task/{thread}/{file}"));
            if matches!(state(&read("stat").ok()?)?, 'R' | 'D') {
                return None;
            }
            let schedule = read("schedstat").ok()?;
            sum = sum.wrapping_add(schedule.split(' ').next()?.parse().ok()?);
            let children = read("children").unwrap_or_default();
            pending.extend(children.split_whitespace().flat_map(str::parse::<libc::pid_t>));
        }
    }
    Some(sum)
}

/// Returns a process and its descendants.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn descendants(process: libc::pid_t) -> Vec<libc::pid_t> {
    let mut all = vec![process];
    let mut index = 0;
    while let Some(process) = all.get(index).copied() {
        index += 1;
        for thread in threads(process).unwrap_or_default() {
            let children = kernel_files::read(format!("/proc/{process}/task/{thread}/children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().flat_map(str::parse::<libc::pid_t>));
        }
    }
    all
}

/// Returns the ids of the threads of a process.
pub(super) fn threads(process: libc::pid_t) -> Option<Vec<libc::pid_t>> {
    let entries = fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut ids: Vec<_> = ids.collect();
    // The first thread has the id of the process, but ids start again after the last one
    ids.sort_unstable_by_key(|id| (*id != process, *id));
    Some(ids)
}

/// Returns a line for each thread of a process, with what it waits for.
fn describe_threads(process: libc::pid_t) -> String {
    describe_each(process, &threads(process).unwrap_or_default(), |thread| {
        let call = kernel_files::read(format!("/proc/{process}/task/{thread}/syscall")).ok();
        let wait = call.and_then(|call| Wait::parse(process, &call));
        wait.map_or_else(|| "waits".to_owned(), |wait| wait.to_string())
    })
}

/// Returns a line for each thread of a process, with the time that it has run; `None` for a process
/// with one thread.
///
/// Threads that are ready wait for Valgrind's lock. So the time, and not a system call, shows which
/// thread makes progress.
pub fn describe_running_threads(process: libc::pid_t) -> Option<String> {
    let threads = threads(process).filter(|threads| threads.len() > 1)?;
    Some(describe_each(process, &threads, |thread| {
        let file = format!("/proc/{process}/task/{thread}/schedstat");
        let time = kernel_files::read(file).ok();
        let time = time.and_then(|text| text.split(' ').next()?.parse().ok());
        time.map_or_else(
            || "ran".to_owned(),
            |time| format!("ran for {:.1} s", Duration::from_nanos(time).as_secs_f64()),
        )
    }))
}

/// Returns a line for each of these threads, with its name and this text about it.
fn describe_each(
    process: libc::pid_t,
    threads: &[libc::pid_t],
    describe: impl Fn(libc::pid_t) -> String,
) -> String {
    let lines = threads.iter().take(MOST_THREADS).map(|&thread| {
        let read = |file| kernel_files::read(format!("/proc/{process}/task/{thread}/{file}"));
        let name = match read("comm") {
            // Valgrind's name otherwise
            _ if thread == process => "main".to_owned(),
            Ok(name) => name.trim_end().replace('\n', " "),
            Err(_) => "?".to_owned(),
        };
        format!("{name} ({thread}): {}\n", describe(thread))
    });
    let text: String = lines.collect();
    match threads.len().checked_sub(MOST_THREADS) {
        Some(more @ 1..) => format!("{text}and {more} more\n"),
        _ => text,
    }
}

/// The event that a thread waits for.
#[derive(Debug, PartialEq, Eq)]
enum Wait {
    /// A lock or another thread.
    Lock,
    /// The end of another process.
    Process,
    Sleep,
    /// One of several files or sockets.
    Files,
    /// A file, a pipe or a socket.
    File(String),
    /// A system call with this number.
    Other(libc::c_long),
}

impl Wait {
    /// Parses the file `syscall` of a thread: the number and the arguments.
    fn parse(process: libc::pid_t, text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let number = words.next()?.parse().ok()?;
        Some(match number {
            _ if calls::LOCKS.contains(&number) => Self::Lock,
            _ if calls::PROCESSES.contains(&number) => Self::Process,
            _ if calls::SLEEPS.contains(&number) => Self::Sleep,
            _ if calls::SEVERAL_FILES.contains(&number) => Self::Files,
            _ if calls::FILES.contains(&number) => {
                let digits = words.next()?.strip_prefix("0x")?;
                let descriptor = u32::from_str_radix(digits, 16).ok()?;
                let path = fs::read_link(format!("/proc/{process}/fd/{descriptor}"));
                let path = path.map(|path| path.display().to_string());
                Self::File(path.unwrap_or_else(|_| format!("descriptor {descriptor}")))
            }
            _ => Self::Other(number),
        })
    }
}

/// Numbers of system calls by what they wait for.
#[cfg(target_os = "linux")]
mod calls {
    use libc::c_long;

    pub(super) const LOCKS: &[c_long] = &[libc::SYS_futex];
    pub(super) const PROCESSES: &[c_long] = &[libc::SYS_wait4, libc::SYS_waitid];
    pub(super) const SLEEPS: &[c_long] = &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep];
    pub(super) const SEVERAL_FILES: &[c_long] = &[
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_pwait,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait,
    ];
    pub(super) const FILES: &[c_long] = &[
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_recvfrom,
        libc::SYS_recvmsg,
        libc::SYS_sendto,
        libc::SYS_accept,
        libc::SYS_accept4,
        libc::SYS_connect,
        libc::SYS_flock,
    ];
}

/// Other systems do not say what a thread waits for.
#[cfg(not(target_os = "linux"))]
mod calls {
    use libc::c_long;

    pub(super) const LOCKS: &[c_long] = &[];
    pub(super) const PROCESSES: &[c_long] = &[];
    pub(super) const SLEEPS: &[c_long] = &[];
    pub(super) const SEVERAL_FILES: &[c_long] = &[];
    pub(super) const FILES: &[c_long] = &[];
}

impl fmt::Display for Wait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock => formatter.write_str("waits for a lock or another thread"),
            Self::Process => formatter.write_str("waits for the end of a process"),
            Self::Sleep => formatter.write_str("sleeps"),
            Self::Files => formatter.write_str("waits for one of several files or sockets"),
            Self::File(file) => write!(formatter, "waits for {file}"),
            Self::Other(number) => write!(formatter, "waits in the system call {number}"),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::{ProcessError, RunningProcess};

    const SHORT: Limit = Limit::Stillness(Duration::from_millis(300));

    /// Runs a script of the shell with an open pipe as its input until it ends or has no progress.
    fn run(script: &str) -> crate::Result<std::process::ExitStatus> {
        let mut command = Command::new("/bin/sh");
        let mut process =
            RunningProcess::start(command.args(["-c", script]).stdin(Stdio::piped()))?;
        let _input = process.child.stdin.take();
        process.wait_within(Some(SHORT))
    }

    #[test]
    fn a_process_without_progress_is_killed_with_the_names_of_its_threads() {
        let exceeded = |script| match run(script).unwrap_err() {
            ProcessError::Exceeded(exceeded) => exceeded,
            error => panic!("{error}"),
        };
        let reading = exceeded("read line");
        let message = "no thread ran for 300ms, so it was killed\nhelp: check for a deadlock, or set its longest \
                       duration with --timeout";
        assert_eq!(reading.limit().to_string(), message);
        let threads = reading.threads().unwrap();
        assert!(threads.contains("main (") && threads.contains("): waits for pipe:["), "{threads}");
        let waiting = exceeded("sleep 1000; true");
        let threads = waiting.threads().unwrap();
        assert!(threads.contains("): waits for the end of a process"), "{threads}");
    }

    #[test]
    fn a_process_that_runs_now_and_then_is_not_killed() {
        assert!(run("for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done").unwrap().success());
    }

    #[test]
    fn threads_wait_for_what_the_system_says() {
        let wait = |text: &str| Wait::parse(1, text).map(|wait| wait.to_string());
        let futex = format!("{} 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7fff\n", libc::SYS_futex);
        assert_eq!(wait(&futex).as_deref(), Some("waits for a lock or another thread"));
        assert_eq!(wait("running\n"), None);
        assert_eq!(wait("9999 0x1").as_deref(), Some("waits in the system call 9999"));
        assert_eq!(state("12 (a) R (b) S 1 2"), Some('S'));
    }

    #[test]
    fn threads_have_a_name_and_the_time_that_they_ran() {
        // Other tests have threads as well, or this one runs alone in the main thread
        let (end, ended) = mpsc::channel::<()>();
        let (send_id, id) = mpsc::channel();
        let waiting = thread::Builder::new().name("waiting".to_owned()).spawn(move || {
            // SAFETY: a system call without pointers.
            send_id.send(unsafe { libc::gettid() }).unwrap();
            ended.recv()
        });
        let waiting = waiting.unwrap();
        let (process, thread) = (std::process::id().cast_signed(), id.recv().unwrap());
        let own = describe_running_threads(process).unwrap();
        let is_thread = |line: &str| line.contains("): ran for ") && line.ends_with(" s");
        assert!(
            own.starts_with("main (") && own.lines().filter(|line| is_thread(line)).count() > 1,
            "{own}"
        );
        let named = describe_each(process, &[thread], |_| "runs".to_owned());
        assert_eq!(named, format!("waiting ({thread}): runs\n"));
        assert_eq!(describe_running_threads(i32::MAX), None);
        drop(end);
        waiting.join().unwrap().unwrap_err();
    }

    #[test]
    fn a_timeout_replaces_the_limit() {
        let timeout = Duration::from_secs(9);
        for foreign_ids in [false, true] {
            let limit = Limit::of_benchmark(Some(timeout), foreign_ids);
            assert_eq!(limit, Some(Limit::Duration(timeout)));
        }
        assert_eq!(Limit::of_benchmark(None, false), Some(Limit::DEFAULT));
        assert_eq!(Limit::of_benchmark(None, true), None);
    }
}
