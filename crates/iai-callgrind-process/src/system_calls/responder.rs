//! The thread that answers the processes of a command, or those of functions.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iai_callgrind_plan::protocol::UNSTOPPED;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use super::filter::{Condition, Filter, Rule};
use super::request::{Answer, Listener, Request};
use super::rows::{Row, State};
use super::{ProcessClock, StoppedCalls, ThreadOrder};
use crate::descriptors;
use crate::note::{Unordered, note_unordered};
use crate::real_time::{self, Answer as Grant, RealTime, Stop, THIS_THREAD, is_only_cpu};

/// The system calls that start a thread or a process.
const FORKS: &[libc::c_long] = &[
    libc::SYS_clone,
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

/// Returns `true` if the kernel allows a filter to the current thread, which keeps it: one that allows everything.
pub(super) fn can_filter() -> bool {
    let listener = Filter::new(&[]).install(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
    let listener = listener.and_then(|number| RawFd::try_from(number).ok());
    // SAFETY: the descriptor has no other owner.
    listener.map(|listener| unsafe { OwnedFd::from_raw_fd(listener) }).is_some()
}

/// Stops the processes of the command at these system calls, and at the calls where it gets a fixed
/// order.
pub(super) fn filter(
    command: &mut Command,
    calls: StoppedCalls,
    clock: ProcessClock,
    order: ThreadOrder,
    sender: &UnixStream,
) {
    let sender = sender.as_raw_fd();
    let stop = |call, conditions| Rule { call, conditions, decision: libc::SECCOMP_RET_USER_NOTIF };
    let of_harness = Rule {
        call: libc::SYS_openat,
        conditions: [Some(Condition::lower_is(3, UNSTOPPED)), None],
        decision: libc::SECCOMP_RET_ALLOW,
    };
    let mut rules = vec![of_harness, stop(libc::SYS_rt_sigtimedwait, [None; 2])];
    match order {
        ThreadOrder::None => {}
        ThreadOrder::OnRequest => {
            rules.push(stop(libc::SYS_sched_setscheduler, [None; 2]));
            rules.extend(FORKS.iter().map(|call| stop(*call, without_thread(*call))));
        }
        ThreadOrder::FromFirstFork => rules.extend(FORKS.iter().map(|call| stop(*call, [None; 2]))),
    }
    rules.extend(rows(calls, clock).map(|row| stop(row.call, row.conditions)));
    let mut filter = Filter::new(&rules);
    let install = move || {
        // The kernel answers with a descriptor, which exec closes
        let listener = filter.install(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
        if let Some(listener) = listener.and_then(|number| RawFd::try_from(number).ok()) {
            descriptors::send(sender, listener);
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls, which are allowed between fork and exec.
    unsafe { command.pre_exec(install) };
}

/// Returns the conditions that a call starts a process. Threads of functions have their order before they start.
fn without_thread(call: libc::c_long) -> [Option<Condition>; 2] {
    let mask = libc::CLONE_THREAD.unsigned_abs();
    [(call == libc::SYS_clone).then_some(Condition::Bits { index: 0, mask, value: 0 }), None]
}

/// Returns the rows of these calls.
fn rows(calls: StoppedCalls, clock: ProcessClock) -> impl Iterator<Item = &'static Row> {
    clock.rows().into_iter().flatten().chain(calls.rows())
}

/// Answers the processes that the filter stops.
pub(super) struct Responder {
    listener: Listener,
    rows: Vec<&'static Row>,
    state: State,
    order: ThreadOrder,
    real_time: RealTime,
}

/// The reason why a responder goes on.
#[derive(PartialEq, Eq)]
enum Woken {
    Stopped,
    /// A process had its turn.
    Turn,
    Time,
    End,
}

impl Responder {
    pub(super) fn new(
        listener: OwnedFd,
        calls: StoppedCalls,
        clock: ProcessClock,
        order: ThreadOrder,
    ) -> Self {
        let (listener, real_time) = (Listener::new(listener), RealTime::default());
        let (rows, state) = (rows(calls, clock).collect(), State::new(calls, clock));
        Self { listener, rows, state, order, real_time }
    }

    /// Returns a flag that is set when a virtual clock catches up.
    pub(super) fn clock_leapt(&self) -> Arc<AtomicBool> {
        self.state.clocks.has_leapt()
    }

    /// Answers until the last process has exited, or the other end of the connection is closed.
    pub(super) fn run(mut self, stopped: &UnixStream) {
        // Answers at once on a busy machine. The order of the threads does not depend on it
        real_time::give_to(THIS_THREAD);
        loop {
            while let Some(grant) = self.next_grant() {
                self.give_order(&grant);
            }
            self.end_waits();
            match self.wait(stopped) {
                Woken::Stopped => {}
                Woken::Turn => continue,
                Woken::Time => {
                    self.look_for_lags();
                    continue;
                }
                Woken::End => return,
            }
            let request = match self.listener.receive() {
                Ok(Some(request)) => request,
                Ok(None) => continue,
                Err(_) => return,
            };
            if awaits_order(self.order, &request) {
                self.real_time.add(request.id, request.thread, stop(&request));
                continue;
            }
            let answer = self.state.answer(&self.rows, &request);
            self.real_time.queue(request.thread, stop(&request));
            self.listener.send(request.id, answer);
        }
    }

    /// Waits until a process is stopped, a sleep is over or, while a process waits for its order, for a moment. Before, all
    /// processes have their turns.
    fn wait(&mut self, stopped: &UnixStream) -> Woken {
        if self.real_time.are_turns_taken() {
            match self.poll(stopped, Some(Timespec::default())) {
                Woken::Time if self.real_time.give_turn() => return Woken::Turn,
                Woken::Time => {}
                woken => return woken,
            }
        }
        let moment = self.real_time.is_busy().then_some(real_time::INTERVAL);
        let patience = moment.into_iter().chain(self.state.clocks.next_end()).min();
        self.poll(stopped, patience.and_then(|patience| Timespec::try_from(patience).ok()))
    }

    /// Waits until a process is stopped, or for this time.
    fn poll(&self, stopped: &UnixStream, patience: Option<Timespec>) -> Woken {
        let mut descriptors =
            [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match retry_on_intr(|| poll(&mut descriptors, patience.as_ref())) {
            Ok(0) => Woken::Time,
            Ok(_) if descriptors[0].revents().contains(PollFlags::IN) => Woken::Stopped,
            _ => Woken::End,
        }
    }

    /// Answers the sleeps that are over.
    fn end_waits(&mut self) {
        let Self { listener, state, .. } = self;
        state.clocks.restore_times();
        while let Some(sleep) = state.clocks.end_sleep(|request| listener.is_valid(request)) {
            listener.send(sleep, Answer::Result(0));
        }
    }

    /// Checks for processes that wait for another event than a time.
    fn look_for_lags(&mut self) {
        let Self { listener, state, real_time, .. } = self;
        let is_served = || {
            let mut stopped = [PollFd::new(listener, PollFlags::IN)];
            let is_stopped = retry_on_intr(|| poll(&mut stopped, Some(&Timespec::default())));
            !real_time.is_awaited() && is_stopped == Ok(0)
        };
        state.clocks.look(is_served);
    }

    /// Returns the answer to a process that waited for its order, if there is one.
    fn next_grant(&mut self) -> Option<Grant> {
        let Self { listener, real_time, .. } = self;
        real_time.answer(|request| listener.is_valid(request))
    }

    /// Continues a process with a fixed order, or without one if it may not have it.
    fn give_order(&mut self, grant: &Grant) {
        let is_command = self.order == ThreadOrder::FromFirstFork;
        if is_command {
            // Those that it starts have it too
            self.order = ThreadOrder::None;
            if grant.is_granted && !real_time::give_to(grant.process) {
                note_unordered(Unordered::NoRight);
            } else if grant.is_granted {
                self.real_time.queue(grant.process, grant.stop);
            }
        }
        if !grant.is_granted {
            note_unordered(if is_only_cpu() { Unordered::OnlyCpu } else { Unordered::Kept });
        }
        let is_refused = !is_command && !grant.is_granted;
        let answer = if is_refused { Answer::Error(libc::EPERM) } else { Answer::Continue };
        self.listener.send(grant.request, answer);
    }
}

/// Returns what a process was stopped for.
fn stop(request: &Request<'_>) -> Stop {
    let has = |flag: libc::c_int| request.arguments[0] & u64::from(flag.unsigned_abs()) != 0;
    match request.call {
        libc::SYS_rt_sigtimedwait => Stop::EndOfSlice,
        // Valgrind does not make the newer call, whose flags are in memory
        libc::SYS_clone if !has(libc::CLONE_THREAD) => {
            Stop::Fork { is_vfork: has(libc::CLONE_VFORK) }
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork => Stop::Fork { is_vfork: false },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork => Stop::Fork { is_vfork: true },
        _ => Stop::Other,
    }
}

/// Returns `true` if a process is about to get a fixed order.
fn awaits_order(order: ThreadOrder, request: &Request<'_>) -> bool {
    match order {
        ThreadOrder::None => false,
        ThreadOrder::OnRequest => {
            let is_real_time = [libc::SCHED_FIFO, libc::SCHED_RR]
                .map(|policy| u64::from(policy.unsigned_abs()))
                .contains(&(request.arguments[1] & u64::from(u32::MAX)));
            request.call == libc::SYS_sched_setscheduler && is_real_time
        }
        ThreadOrder::FromFirstFork => FORKS.contains(&request.call),
    }
}
