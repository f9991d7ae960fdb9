//! Turns of the processes of a command or a function: one of them runs until it waits for another one.
//!
//! The kernel takes the CPU from a process that waits for the disk, so that the others would go on
//! earlier if a file is not in memory yet. Here, a process keeps its turn meanwhile. During its turn
//! it has the priority of this thread, and the others a lower one. This thread queues behind it: so
//! it is the next that runs when the process waits, and looks what it waits for.
//!
//! A disk can need a thread of the kernel without real-time priority on the same CPU. So all move to
//! another CPU if the process still waits after a moment.

use std::mem;
use std::time::{Duration, Instant};

use super::keeper::Keeper;
use super::neighbour::PRIORITY;
use super::watchdog::Watchdog;
use super::{LOWEST, is_ordered, process_of, schedule};
use crate::kernel_files;
use crate::limit::threads;
use crate::orphans::{children_of, stat_values};

/// The longest time for which a process that waits for the disk keeps its turn: some disks never answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time on a CPU while the process waits for the disk.
const STAY: Duration = Duration::from_millis(2);

/// The processes of a command or a function, and whose turn it is.
#[derive(Debug)]
pub(super) struct Turns {
    /// In the order in which they were found.
    processes: Vec<Process>,
    /// The index of the one whose turn it is.
    current: usize,
    /// The current process was stopped at the end of a time slice.
    is_over: bool,
    /// The current process was interrupted, maybe in a system call that is about to wait.
    is_interrupted: bool,
    /// Since when the current process waits for the disk.
    waits_since: Option<Instant>,
    /// The CPUs, the next one last.
    cpus: Vec<libc::cpu_set_t>,
    moved: Instant,
    keeper: Keeper,
    watchdog: Watchdog,
}

#[derive(Debug)]
struct Process {
    id: libc::pid_t,
    /// A child that is not in the list exists, or is about to.
    has_forked: bool,
    /// The process waits until its child runs another program, which looks like a wait for the disk.
    has_vforked: bool,
    /// The thread that was stopped last at the end of a time slice. The others are first in the next turn.
    last: Option<libc::pid_t>,
}

/// The system call at which a process was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// One that starts a process. With `vfork`, the one that calls waits for it.
    Fork {
        is_vfork: bool,
    },
    /// The one at the end of a time slice.
    EndOfSlice,
    Other,
}

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    /// Waits for the kernel, mostly for the disk.
    Disk,
    /// Waits for another process, or has exited.
    Waits,
}

impl Turns {
    /// Starts with the turn of the first process. Returns `None` if the system does not allow the threads for it.
    pub(super) fn start(process: libc::pid_t, cpus: Vec<libc::cpu_set_t>) -> Option<Self> {
        let turns = Self {
            processes: vec![Process::new(process)],
            current: 0,
            is_over: false,
            is_interrupted: false,
            waits_since: None,
            cpus,
            moved: Instant::now(),
            keeper: Keeper::start()?,
            watchdog: Watchdog::start()?,
        };
        turns.schedule_current(PRIORITY);
        Some(turns)
    }

    /// Adds the stop of a thread, which goes on.
    pub(super) fn add(&mut self, thread: libc::pid_t, stop: Stop) {
        // The process went on after a fork, and its child must not run before it waits
        self.find_processes();
        let position = |id| self.processes.iter().position(|process| process.id == id);
        let index = position(thread).or_else(|| position(process_of(thread)?));
        let Some(index) = index else {
            // Its parent has exited
            if let Some(process) = process_of(thread) {
                self.add_process(process);
            }
            return;
        };
        let process = &mut self.processes[index];
        process.has_forked = matches!(stop, Stop::Fork { .. });
        process.has_vforked = stop == Stop::Fork { is_vfork: true };
        if stop == Stop::EndOfSlice {
            process.last = Some(thread);
            self.is_over |= index == self.current;
        }
    }

    /// Lets the current process run until it waits, or the next one if it waits for another process. Returns `false` if
    /// none is ready.
    pub(super) fn give(&mut self) -> bool {
        self.find_processes();
        let is_over = mem::take(&mut self.is_over);
        let state = match self.processes.get(self.current) {
            Some(_) if mem::take(&mut self.is_interrupted) => State::Ready,
            process => process.map_or(State::Waits, Process::state),
        };
        match state {
            State::Ready if !is_over => self.waits_since = None,
            // If this thread slept, it would not queue behind the process
            State::Disk if self.is_patient() => self.move_on(),
            State::Ready | State::Disk | State::Waits => {
                let Some(next) = self.next() else { return false };
                self.waits_since = None;
                // Its threads keep their order
                if next != self.current {
                    self.schedule_current(LOWEST);
                    self.current = next;
                    self.schedule_current(PRIORITY);
                }
            }
        }
        self.is_interrupted = self.watchdog.queue();
        true
    }

    fn is_patient(&mut self) -> bool {
        self.waits_since.get_or_insert_with(Instant::now).elapsed() < PATIENCE
    }

    /// Moves all to the next CPU, if they have been on this one for a while.
    fn move_on(&mut self) {
        if self.waits_since.is_none_or(|since| since.max(self.moved).elapsed() < STAY) {
            return;
        }
        self.cpus.rotate_right(1);
        let threads = self.processes.iter().filter_map(|process| threads(process.id)).flatten();
        self.keeper.move_to(&self.cpus[0], threads);
        self.moved = Instant::now();
    }

    /// Returns the first process after the current one that is ready, in the end the current one.
    fn next(&self) -> Option<usize> {
        let count = self.processes.len();
        let mut indexes = (1..=count).map(|step| (self.current + step) % count);
        indexes.find(|index| self.processes[*index].state() == State::Ready)
    }

    /// Finds the processes that the known ones have started. They have the priority of the current one until now.
    fn find_processes(&mut self) {
        if !self.processes.iter().any(|process| process.has_forked) {
            return;
        }
        let known: Vec<_> = self.processes.iter().map(|process| process.id).collect();
        let mut all = Vec::new();
        for process in self.processes.iter_mut().filter(|process| process.has_forked) {
            let children = children_of(process.id).into_iter();
            let new: Vec<_> = children.filter(|child| !known.contains(child)).collect();
            process.has_forked = new.is_empty();
            all.extend(new);
        }
        for child in all {
            self.add_process(child);
        }
    }

    /// Adds a process, which waits for its turn, and removes those that have exited.
    fn add_process(&mut self, id: libc::pid_t) {
        let process = Process::new(id);
        process.schedule(LOWEST);
        let current = self.processes.get(self.current).map(|process| process.id);
        let is_current = |process: &Process| Some(process.id) == current;
        self.processes.retain(|process| is_current(process) || process.exists());
        self.current = self.processes.iter().position(is_current).unwrap_or_default();
        self.processes.push(process);
    }

    fn schedule_current(&self, priority: libc::c_int) {
        if let Some(process) = self.processes.get(self.current) {
            process.schedule(priority);
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.schedule_current(LOWEST);
    }
}

impl Process {
    fn new(id: libc::pid_t) -> Self {
        Self { id, has_forked: false, has_vforked: false, last: None }
    }

    /// Gives all threads this real-time priority, if they have one.
    fn schedule(&self, priority: libc::c_int) {
        let mut threads = threads(self.id).unwrap_or_default();
        threads.sort_by_key(|thread| Some(*thread) == self.last);
        for thread in threads {
            if is_ordered(thread) {
                schedule(thread, libc::SCHED_FIFO, priority);
            }
        }
    }

    fn exists(&self) -> bool {
        kernel_files::read(format!("/proc/{}/stat", self.id)).is_ok()
    }

    fn state(&self) -> State {
        /// Place of the number of threads, counted from the state.
        const THREADS: usize = 17;
        let Ok(stat) = kernel_files::read(format!("/proc/{}/stat", self.id)) else {
            return State::Waits;
        };
        let mut states = vec![State::parse(&stat)];
        let number = stat_values(&stat).and_then(|mut values| values.nth(THREADS));
        if number != Some("1") {
            let threads = threads(self.id).unwrap_or_default().into_iter();
            let files = threads.map(|thread| format!("/proc/{}/task/{thread}/stat", self.id));
            states = files.flat_map(kernel_files::read).map(|stat| State::parse(&stat)).collect();
        }
        let is_any = |state| states.contains(&state);
        match () {
            () if is_any(State::Ready) => State::Ready,
            () if is_any(State::Disk) && !self.has_vforked => State::Disk,
            () => State::Waits,
        }
    }
}

impl State {
    /// Parses the file `stat` of a process or a thread.
    fn parse(stat: &str) -> Self {
        match stat_values(stat).and_then(|mut values| values.next()) {
            Some("R") => Self::Ready,
            Some("D") => Self::Disk,
            _ => Self::Waits,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn states_of_processes() {
        for (stat, expected) in [
            ("7 (a) b) R 1 7 7", State::Ready),
            ("7 (R) D 1 7 7", State::Disk),
            ("7 (D) S 1 7 7", State::Waits),
            ("7 (D) Z 1 7 7", State::Waits),
            ("", State::Waits),
        ] {
            assert_eq!(State::parse(stat), expected, "{stat}");
        }
        let own = std::process::id().cast_signed();
        assert_eq!(Process::new(own).state(), State::Ready);
        assert!(Process::new(own).exists() && !Process::new(libc::pid_t::MAX).exists());
    }

    #[test]
    fn processes_take_turns_in_the_order_in_which_they_were_found() {
        let own = std::process::id().cast_signed();
        let mut turns = Turns::start(own, Vec::new()).unwrap();
        turns.add(own, Stop::Fork { is_vfork: true });
        assert!(turns.processes[0].has_forked && turns.processes[0].has_vforked);
        let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
        turns.add(own, Stop::EndOfSlice);
        assert!(!turns.processes[0].has_forked && turns.is_over);
        let id = child.id().cast_signed();
        assert!(turns.processes.iter().any(|process| process.id == id));
        child.kill().unwrap();
        child.wait().unwrap();
        turns.processes.truncate(1);
        // Without a child, the turn is that of the same process
        turns.add_process(libc::pid_t::MAX);
        turns.processes.push(Process::new(own));
        assert!(turns.give());
        assert_eq!((turns.current, turns.is_over), (2, false));
        // It goes on until it waits
        assert!(turns.give());
        assert_eq!(turns.current, 2);
    }
}
