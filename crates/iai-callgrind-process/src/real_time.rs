//! The CPU for real-time priority, which gives threads a fixed order and takes the CPU from all
//! other programs.
//!
//! One process of the machine has it at a time, and only if there are other CPUs. It keeps the CPU
//! until it exits, or until [`Limits::longest`] has passed. The others wait: the process that has
//! the CPU holds a socket with a known name, which disappears with the process. A waiting process
//! connects to the socket, so that the owner lets others have the CPU before it takes it again.

mod keeper;
mod neighbour;
mod turns;
mod watchdog;

use std::collections::VecDeque;
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::{Mutex, mpsc};
use std::thread::Thread;
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::REAL_TIME_PRIORITY;

use self::neighbour::Neighbour;
pub(super) use self::turns::Stop;
use self::turns::Turns;
use super::limit::{descendants, threads};
use super::orphans::stat_values;
use super::status::Status;
use super::waits::Wait;
use crate::note::Note;

/// Number of the calling thread in system calls that take one.
pub(super) const THIS_THREAD: libc::pid_t = 0;

/// Abstract name of the socket, without a file.
const NAME: &str = "iai-callgrind-real-time";

/// The time after which waiting is reported.
const REPORTED: Duration = Duration::from_secs(5);

/// The time in which this run does not take the CPU again while others wait.
const COURTESY: Duration = Duration::from_millis(60);

/// The lowest real-time priority of a thread that does not queue just now.
const LOWEST: libc::c_int = REAL_TIME_PRIORITY;

/// Interval at which to look for the CPU.
pub(super) const INTERVAL: Duration = Duration::from_millis(20);

/// The time before which this run does not take the CPU.
static FREE_FOR_OTHERS: Mutex<Option<Instant>> = Mutex::new(None);

/// Times after which a process loses the CPU, or stops waiting for it.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Longest time for which a process has the CPU.
    longest: Duration,
    /// Longest CPU time in one system call: some loops of the kernel wait for other programs.
    longest_call: Duration,
    /// Longest wait for one process that has the CPU, because its runner can be suspended.
    patience: Duration,
}

/// The limits of all runs.
const LIMITS: Limits = Limits {
    longest: Duration::from_secs(120),
    longest_call: Duration::from_secs(5),
    patience: Duration::from_secs(180),
};

/// The requests for the CPU by the processes that a filter stops.
#[derive(Debug)]
pub(super) struct RealTime {
    limits: Limits,
    holder: Option<Holder>,
    waiting: VecDeque<Waiting>,
}

/// The process that has the CPU.
#[derive(Debug)]
struct Holder {
    socket: UnixListener,
    process: libc::pid_t,
    since: Instant,
    /// The times of the process when it last ran outside of the kernel.
    times: Times,
    /// The turns of this process and those that it has started.
    turns: Option<Turns>,
    /// This thread next to the process.
    neighbour: Option<Neighbour>,
}

/// CPU times of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Times {
    user: Duration,
    kernel: Duration,
}

/// A request of a process that waits.
#[derive(Debug)]
struct Waiting {
    request: u64,
    process: libc::pid_t,
    stop: Stop,
    wait: Wait,
    /// The process that has the CPU.
    other: Option<UnixStream>,
    /// Time since which the owner is the same one.
    since: Instant,
    is_reported: bool,
}

/// The answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) request: u64,
    pub(super) process: libc::pid_t,
    pub(super) stop: Stop,
    pub(super) is_granted: bool,
}

impl Default for RealTime {
    fn default() -> Self {
        Self::with_limits(LIMITS)
    }
}

impl RealTime {
    fn with_limits(limits: Limits) -> Self {
        Self { limits, holder: None, waiting: VecDeque::new() }
    }

    /// Adds a request of this thread.
    pub(super) fn add(&mut self, request: u64, thread: libc::pid_t, stop: Stop) {
        let process = process_of(thread).unwrap_or(thread);
        let wait = Wait::start(process);
        self.waiting.push_back(Waiting {
            request,
            process,
            stop,
            wait,
            other: None,
            since: Instant::now(),
            is_reported: false,
        });
    }

    /// Returns `true` if [`Self::answer`] has to check again after [`INTERVAL`].
    pub(super) fn is_busy(&self) -> bool {
        self.holder.is_some() || !self.waiting.is_empty()
    }

    /// Has a stopped thread with real-time priority queue behind those that are ready to run. Processes take turns once
    /// there are several.
    pub(super) fn queue(&mut self, thread: libc::pid_t, stop: Stop) {
        let Some(holder) = &mut self.holder else { return };
        let Some(Neighbour { cpus }) = &holder.neighbour else { return };
        // Others are those of another benchmark
        if !is_ordered(thread) {
            return;
        }
        if matches!(stop, Stop::Fork { .. }) && holder.turns.is_none() {
            holder.turns = Turns::start(holder.process, neighbour::each_of(cpus));
        }
        if let Some(turns) = &mut holder.turns {
            turns.add(thread, stop);
        }
        neighbour::requeue(thread);
    }

    /// Returns `true` if processes take turns.
    pub(super) fn are_turns_taken(&self) -> bool {
        self.holder.as_ref().is_some_and(|holder| holder.turns.is_some())
    }

    /// Lets the next process run until it waits. Returns `false` if none is ready.
    pub(super) fn give_turn(&mut self) -> bool {
        self.holder.as_mut().and_then(|holder| holder.turns.as_mut()).is_some_and(Turns::give)
    }

    /// Returns `true` if a process waits for the CPU.
    pub(super) fn is_awaited(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the answer to a request, if there is one. Takes the CPU from a process that had it
    /// too long. `is_valid` returns `true` while a request waits.
    pub(super) fn answer(&mut self, is_valid: impl Fn(u64) -> bool) -> Option<Answer> {
        let Limits { longest, longest_call, patience } = self.limits;
        let is_over = |holder: &mut Holder| {
            let passed = holder.since.elapsed();
            let is_late = passed >= longest || holder.time_of_call() >= longest_call;
            if is_late {
                take_from(holder.process);
                Note::RealTimeEnded { longest: passed.min(longest) }.print();
            }
            is_late || !exists(holder.process)
        };
        if let Some(holder) = self.holder.take_if(is_over) {
            holder.release();
        }
        self.waiting.retain(|waiting| is_valid(waiting.request));
        let next = self.waiting.front_mut()?;
        let is_granted = if is_only_cpu() {
            false
        } else if let Some(socket) = self.holder.is_none().then(take).flatten() {
            let (process, since) = (next.process, Instant::now());
            let (times, neighbour) = (Times::default(), Neighbour::of(process));
            self.holder = Some(Holder { socket, process, since, times, turns: None, neighbour });
            true
        } else if self.holder.is_none() && next.waits_longer_than(patience) {
            false
        } else {
            return None;
        };
        let Waiting { request, process, stop, .. } = self.waiting.pop_front()?;
        Some(Answer { request, process, stop, is_granted })
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        self.holder.take().into_iter().for_each(Holder::release);
    }
}

impl Holder {
    /// Returns the time that the process has been in the kernel without an instruction of its own in between.
    fn time_of_call(&mut self) -> Duration {
        let times = Times::read(self.process).unwrap_or(self.times);
        if times.user != self.times.user {
            self.times = times;
        }
        times.kernel.saturating_sub(self.times.kernel)
    }

    /// Gives the CPU to others, if they wait.
    fn release(self) {
        let are_waiting = self.socket.set_nonblocking(true).is_ok() && self.socket.accept().is_ok();
        if are_waiting {
            *FREE_FOR_OTHERS.lock().unwrap() = Some(Instant::now() + COURTESY);
        }
    }
}

impl Times {
    fn read(process: libc::pid_t) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// Parses `/proc/PID/stat`.
    fn parse(state: &str) -> Option<Self> {
        const TICK: Duration = Duration::from_millis(10);
        let mut fields = stat_values(state)?.skip(11).map(str::parse::<u32>);
        let [user, kernel] = [fields.next()?.ok()?, fields.next()?.ok()?];
        Some(Self { user: TICK * user, kernel: TICK * kernel })
    }
}

impl Waiting {
    /// Connects to the process that has the CPU. Returns `true` if it has had the CPU for longer
    /// than this.
    fn waits_longer_than(&mut self, patience: Duration) -> bool {
        if !self.other.as_mut().is_some_and(is_open) {
            self.other = connect();
            if self.other.is_some() {
                self.since = Instant::now();
            }
        }
        if !self.is_reported && self.wait.elapsed() >= REPORTED {
            self.is_reported = true;
            Note::WaitingForRealTime.print();
        }
        self.since.elapsed() >= patience
    }
}

fn address() -> Option<SocketAddr> {
    SocketAddr::from_abstract_name(NAME).ok()
}

/// Takes the CPU, if no process has it.
fn take() -> Option<UnixListener> {
    let is_free_for_others = |until: Instant| Instant::now() < until;
    if FREE_FOR_OTHERS.lock().unwrap().is_some_and(is_free_for_others) {
        return None;
    }
    UnixListener::bind_addr(&address()?).ok()
}

fn connect() -> Option<UnixStream> {
    let stream = UnixStream::connect_addr(&address()?).ok()?;
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

fn is_open(stream: &mut UnixStream) -> bool {
    stream.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// Returns `true` if the machine, or the container, has one CPU. Its first process may use all of them.
pub fn is_only_cpu() -> bool {
    neighbour::cpus_of(1).is_some_and(|cpus| neighbour::count(&cpus) < 2)
}

/// Removes the real-time priority of a process and its descendants.
pub(super) fn take_real_time(process: libc::pid_t) {
    if is_ordered(process) {
        take_from(process);
    }
}

/// Returns `true` for a thread with the policy, which is that of the process that has the CPU or of one that it has started.
fn is_ordered(thread: libc::pid_t) -> bool {
    // SAFETY: a system call without pointers.
    unsafe { libc::sched_getscheduler(thread) == libc::SCHED_FIFO }
}

/// Gives a process and its descendants the normal priority.
fn take_from(process: libc::pid_t) {
    // A thread can start another one between two passes
    for _ in 0..3 {
        for process in descendants(process) {
            for thread in threads(process).unwrap_or_default() {
                schedule(thread, libc::SCHED_OTHER, 0);
            }
        }
    }
}

/// Gives a thread the lowest real-time priority, which its children inherit. Returns `false` if
/// this user has no right to it.
pub(super) fn give_to(thread: libc::pid_t) -> bool {
    schedule(thread, libc::SCHED_FIFO, LOWEST)
}

/// Gives a thread a policy with a priority. Returns `false` if this user has no right to it.
fn schedule(thread: libc::pid_t, policy: libc::c_int, sched_priority: libc::c_int) -> bool {
    let priority = libc::sched_param { sched_priority };
    // SAFETY: the pointer is valid during the call.
    unsafe { libc::sched_setscheduler(thread, policy, &raw const priority) == 0 }
}

/// Starts a thread with this real-time priority. Returns its id as well; `None` if the system does not allow one.
fn start_thread(
    priority: libc::c_int,
    run: impl FnOnce() + Send + 'static,
) -> Option<(libc::pid_t, Thread)> {
    let (sender, started) = mpsc::channel();
    let run = move || {
        schedule(THIS_THREAD, libc::SCHED_FIFO, priority);
        // SAFETY: a system call without arguments.
        let _ = sender.send(unsafe { libc::gettid() });
        run();
    };
    let thread = super::spawn(run).ok()?.thread().clone();
    // Otherwise it could queue behind a process
    Some((started.recv().ok()?, thread))
}

/// Returns the process of a thread.
pub(super) fn process_of(thread: libc::pid_t) -> Option<libc::pid_t> {
    Status::read(thread)?.number("Tgid")
}

/// Returns `true` until a process has exited.
fn exists(process: libc::pid_t) -> bool {
    fs::exists(format!("/proc/{process}")).unwrap_or(true) && !super::is_zombie(process)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::thread;

    use super::*;

    fn start() -> (Child, libc::pid_t) {
        let mut command = Command::new("/bin/cat");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let id = child.id().cast_signed();
        (child, id)
    }

    fn wait_for_answer(real_time: &mut RealTime) -> Answer {
        loop {
            if let Some(answer) = real_time.answer(|_| true) {
                return answer;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// The name of the socket is one for the whole machine.
    static IS_TESTED: Mutex<()> = Mutex::new(());

    fn policy(process: libc::pid_t) -> libc::c_int {
        // SAFETY: a system call without pointers.
        unsafe { libc::sched_getscheduler(process) }
    }

    #[test]
    fn a_process_that_leaves_the_kernel_starts_another_call() {
        let line = "7 (a) b) R 1 7 7 0 -1 320 1517 0 0 0 4 50772 332 9 -2 0 1 0";
        let times = Times::parse(line).unwrap();
        let expected =
            Times { user: Duration::from_millis(40), kernel: Duration::from_millis(507_720) };
        assert_eq!((times, Times::parse("7 (a) R 1 7")), (expected, None));
        let own = std::process::id().cast_signed();
        let socket = UnixListener::bind_addr(
            &SocketAddr::from_abstract_name(format!("test-{own}")).unwrap(),
        );
        let (since, before) =
            (Instant::now(), Times { user: Duration::MAX, kernel: Duration::ZERO });
        let (socket, turns, neighbour) = (socket.unwrap(), None, None);
        let mut holder = Holder { socket, process: own, since, times: before, turns, neighbour };
        assert_eq!(holder.time_of_call(), Duration::ZERO);
        assert_ne!(holder.times, before);
        let kernel = holder.times.kernel;
        holder.times.kernel = Duration::ZERO;
        holder.process = 0;
        assert_eq!(holder.time_of_call(), Duration::ZERO, "it has exited");
        assert!(kernel <= Duration::from_secs(60));
    }

    #[test]
    fn a_process_loses_the_cpu_after_its_longest_time() {
        let _alone = IS_TESTED.lock().unwrap();
        if is_only_cpu() {
            return;
        }
        let ((mut first, first_id), (mut second, second_id)) = (start(), start());
        let longest = Duration::from_millis(200);
        let mut real_time = RealTime::with_limits(Limits { longest, ..LIMITS });
        real_time.add(7, first_id, Stop::Other);
        let answer = wait_for_answer(&mut real_time);
        assert_eq!((answer.process, answer.is_granted), (first_id, true));
        let (granted, before) = (Instant::now(), policy(first_id));
        give_to(first_id);
        // Without the right to the priority, nothing is taken
        let has_right = policy(first_id) == libc::SCHED_FIFO;
        real_time.add(8, second_id, Stop::Other);
        let answer = wait_for_answer(&mut real_time);
        assert_eq!((answer.process, answer.is_granted), (second_id, true));
        assert!(granted.elapsed() >= longest);
        assert_eq!(policy(first_id), if has_right { libc::SCHED_OTHER } else { before });
        for child in [&mut first, &mut second] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn a_process_has_no_real_time_priority_once_it_was_taken() {
        let (mut child, id) = start();
        let others = policy(id);
        // Without the right to the priority, there is none to take
        give_to(id);
        take_real_time(id);
        assert_eq!(policy(id), others);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_goes_on_without_the_cpu_if_another_one_keeps_it() {
        let _alone = IS_TESTED.lock().unwrap();
        if is_only_cpu() {
            return;
        }
        let ((mut first, first_id), (mut second, second_id)) = (start(), start());
        let patience = Duration::from_millis(200);
        // Its runner is suspended: it is not asked for an answer again
        let mut suspended = RealTime::default();
        suspended.add(7, first_id, Stop::Other);
        assert!(wait_for_answer(&mut suspended).is_granted);
        let mut real_time = RealTime::with_limits(Limits { patience, ..LIMITS });
        let start = Instant::now();
        real_time.add(8, second_id, Stop::Other);
        let answer = wait_for_answer(&mut real_time);
        assert_eq!(
            answer,
            Answer { request: 8, process: second_id, stop: Stop::Other, is_granted: false }
        );
        assert!(start.elapsed() >= patience && !real_time.is_busy());
        for child in [&mut first, &mut second] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn requests_of_a_process_on_one_cpu_are_answered_there() {
        let _alone = IS_TESTED.lock().unwrap();
        let own_cpus = || neighbour::cpus_of(THIS_THREAD).unwrap();
        let number = || neighbour::count(&own_cpus());
        let (before, own_policy) = (number(), policy(THIS_THREAD));
        let (mut child, id) = start();
        neighbour::run_on(id, &neighbour::each_of(&own_cpus())[0]);
        if is_only_cpu() || !give_to(id) {
            child.kill().unwrap();
            return;
        }
        let mut real_time = RealTime::default();
        real_time.add(7, id, Stop::Other);
        assert!(wait_for_answer(&mut real_time).is_granted);
        assert_eq!(number(), 1);
        real_time.queue(id, Stop::Other);
        assert_eq!(policy(id), libc::SCHED_FIFO);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(real_time.answer(|_| true), None);
        assert_eq!(number(), before);
        schedule(THIS_THREAD, own_policy, 0);
    }

    #[test]
    fn one_process_has_the_cpu_until_it_exits() {
        let _alone = IS_TESTED.lock().unwrap();
        if is_only_cpu() {
            return;
        }
        let ((mut first, first_id), (mut second, second_id)) = (start(), start());
        let (mut one, mut other) = (RealTime::default(), RealTime::default());
        one.add(7, first_id, Stop::Other);
        let granted = Answer { request: 7, process: first_id, stop: Stop::Other, is_granted: true };
        assert_eq!(wait_for_answer(&mut one), granted);
        other.add(8, second_id, Stop::Other);
        for _ in 0..5 {
            assert_eq!(other.answer(|_| true), None);
            thread::sleep(INTERVAL);
        }
        assert!(one.is_busy() && other.is_busy());
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!(one.answer(|_| true), None);
        assert!(!one.is_busy());
        let granted =
            Answer { request: 8, process: second_id, stop: Stop::Other, is_granted: true };
        assert_eq!(wait_for_answer(&mut other), granted);
        // A request that no longer waits is forgotten
        one.add(9, second_id, Stop::Other);
        assert_eq!(one.answer(|_| false), None);
        assert!(!one.is_busy());
        second.kill().unwrap();
        second.wait().unwrap();
    }
}
