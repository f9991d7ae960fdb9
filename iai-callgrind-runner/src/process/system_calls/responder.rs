//! The thread that answers the processes of a command.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use iai_callgrind_plan::protocol::UNSTOPPED;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use super::filter::{Filter, Rule};
use super::request::{Answer, Listener, Request};
use super::rows::{Row, State};
use super::{StoppedCalls, ThreadOrder};
use crate::note::{Unordered, note_unordered};
use crate::process::descriptors;
use crate::process::real_time::{self, Answer as Turn, RealTime, is_only_cpu};

/// The thread of a system call that the kernel gives the number of a thread.
const THIS_THREAD: libc::pid_t = 0;

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

/// Stops the processes of the command at these system calls, and at those where it gets a fixed order.
pub(super) fn filter(
    command: &mut Command,
    calls: StoppedCalls,
    order: ThreadOrder,
    sender: &UnixStream,
) {
    let sender = sender.as_raw_fd();
    let stop = |call, argument| Rule { call, argument, decision: libc::SECCOMP_RET_USER_NOTIF };
    let of_harness = Rule {
        call: libc::SYS_openat,
        argument: Some((3, UNSTOPPED)),
        decision: libc::SECCOMP_RET_ALLOW,
    };
    let mut rules = vec![of_harness, stop(libc::SYS_rt_sigtimedwait, None)];
    match order {
        ThreadOrder::None => {}
        ThreadOrder::OnRequest => rules.push(stop(libc::SYS_sched_setscheduler, None)),
        ThreadOrder::FromFirstFork => rules.extend(FORKS.iter().map(|call| stop(*call, None))),
    }
    rules.extend(calls.rows().map(|row| stop(row.call, row.argument)));
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
    Time,
    End,
}

impl Responder {
    pub(super) fn new(listener: OwnedFd, calls: StoppedCalls, order: ThreadOrder) -> Self {
        let (listener, real_time) = (Listener::new(listener), RealTime::default());
        let rows = calls.rows().collect();
        Self { listener, rows, state: State::new(calls), order, real_time }
    }

    /// Answers until the last process has exited, or the other end of the connection is closed.
    pub(super) fn run(mut self, stopped: &UnixStream) {
        // Answers at once on a busy machine. The order of the threads does not depend on it
        real_time::give_to(THIS_THREAD);
        loop {
            while let Some(turn) = self.next_turn() {
                self.give_order(&turn);
            }
            match self.wait(stopped) {
                Woken::Stopped => {}
                Woken::Time => continue,
                Woken::End => return,
            }
            let request = match self.listener.receive() {
                Ok(Some(request)) => request,
                Ok(None) => continue,
                Err(_) => return,
            };
            if awaits_order(self.order, &request) {
                self.real_time.add(request.id, request.thread);
                continue;
            }
            let answer = self.state.answer(&self.rows, &request);
            self.listener.send(request.id, answer);
        }
    }

    /// Waits until a process is stopped or, while one waits for its order, for a moment.
    fn wait(&self, stopped: &UnixStream) -> Woken {
        let mut descriptors =
            [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        let interval = Timespec::try_from(real_time::INTERVAL).ok();
        let patience = interval.as_ref().filter(|_| self.real_time.is_busy());
        match retry_on_intr(|| poll(&mut descriptors, patience)) {
            Ok(0) => Woken::Time,
            Ok(_) if descriptors[0].revents().contains(PollFlags::IN) => Woken::Stopped,
            _ => Woken::End,
        }
    }

    /// Returns the answer to a process that waited for its order, if there is one by now.
    fn next_turn(&mut self) -> Option<Turn> {
        let Self { listener, real_time, .. } = self;
        real_time.answer(|request| listener.is_valid(request))
    }

    /// Lets a process go on with a fixed order, or without one if it may not have it.
    fn give_order(&mut self, turn: &Turn) {
        let is_command = self.order == ThreadOrder::FromFirstFork;
        if is_command {
            // Those that it starts have it too
            self.order = ThreadOrder::None;
            if turn.is_granted && !real_time::give_to(turn.process) {
                note_unordered(Unordered::NoRight);
            }
        }
        if !turn.is_granted {
            note_unordered(if is_only_cpu() { Unordered::OnlyCpu } else { Unordered::Kept });
        }
        let is_refused = !is_command && !turn.is_granted;
        let answer = if is_refused { Answer::Error(libc::EPERM) } else { Answer::Continue };
        self.listener.send(turn.request, answer);
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
