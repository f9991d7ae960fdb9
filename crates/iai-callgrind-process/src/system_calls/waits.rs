//! Waits and timers of processes with a virtual clock.
//!
//! The kernel waits, and the clock advances when a wait is over: to its end if that has passed by
//! the system's clock and the thread did not return before. A thread waits until a time of the
//! virtual clock. In the memory of the process, the runner replaces it with the same time of the
//! system's clock, until the thread waits.

#![expect(
    clippy::cast_possible_truncation,
    reason = "the lower halves of registers, and times of less than 500 years"
)]

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use iai_callgrind_plan::virtual_clock::{DATE, SECOND, UPTIME};

use super::clock::{Clock, Clocks, nanoseconds, number, real_now};
use super::request::{Answer, Request, process_file, words};
use crate::clock;
use crate::real_time::process_of;

/// Waits that are longer have no end.
const LONGEST: u64 = 100 * 365 * 86_400 * SECOND;

/// The flag of an operation on a futex whose time is one of the clock of the date.
const FUTEX_CLOCK_REALTIME: u64 = 256;

/// The bits of an operation on a futex without those of the flags.
pub(super) const FUTEX_COMMAND: u64 = 0x7f;

/// Operations on a futex: one that waits for at most a time, and one until a time by the clock of the date.
const FUTEX_WAIT: u64 = libc::FUTEX_WAIT as u64;
const FUTEX_LOCK_PI: u64 = libc::FUTEX_LOCK_PI as u64;

/// The waits and timers of the threads of a clock.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// By thread.
    waiting: HashMap<libc::pid_t, Wait>,
    timers: HashMap<Timer, Alarm>,
    sleeping: Vec<Sleep>,
}

/// A wait for at most a time.
#[derive(Debug)]
struct Wait {
    /// Times of the system's clock and of the virtual one at the start.
    real: u64,
    start: u64,
    length: u64,
    /// Nothing but a signal ends the wait before.
    is_sleep: bool,
    replaced: Option<Replaced>,
}

/// A time in the memory of a process that is replaced by one of the system's clock.
#[derive(Debug)]
struct Replaced {
    memory: File,
    address: u64,
    time: [u8; TIME],
    real: [u8; TIME],
    /// Time of the next check of the thread, by the system's clock.
    look: u64,
}

/// Nanoseconds until a thread reaches its wait.
const PATIENCE: u64 = SECOND / 1000;

/// Length of a time in memory: seconds and nanoseconds or microseconds.
const TIME: usize = 16;

/// A sleep until a time. The call is answered when it is over.
#[derive(Debug)]
struct Sleep {
    id: u64,
    thread: libc::pid_t,
    arguments: [u64; 6],
    /// End by the system's clock, and by the virtual one.
    real_end: u64,
    end: u64,
    /// A signal has ended it.
    is_interrupted: bool,
}

/// A timer of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Timer {
    /// Of the whole process.
    Real {
        process: libc::pid_t,
    },
    Numbered {
        process: libc::pid_t,
        number: u64,
    },
    File {
        process: libc::pid_t,
        descriptor: u64,
    },
}

/// The next time of a timer.
#[derive(Debug)]
struct Alarm {
    real: u64,
    time: u64,
    /// Time between two; zero after the last one.
    interval: u64,
}

impl Waits {
    /// Returns the latest end of a wait or a timer that has passed by the clock of the system.
    pub(super) fn reached(&mut self, real: u64) -> u64 {
        let mut latest = 0;
        self.waiting.retain(|_, wait| {
            let is_over = real.saturating_sub(wait.real) >= wait.length;
            if is_over {
                latest = latest.max(wait.start + wait.length);
            }
            !is_over || wait.replaced.is_some()
        });
        self.timers.retain(|_, alarm| {
            if real < alarm.real {
                return true;
            }
            let more =
                (real - alarm.real).checked_div(alarm.interval).unwrap_or(0) * alarm.interval;
            latest = latest.max(alarm.time + more);
            alarm.real += more + alarm.interval;
            alarm.time += more + alarm.interval;
            alarm.interval != 0
        });
        latest
    }
}

impl Clocks {
    /// Returns the time until a sleep is over, a thread has reached its wait, or the next check for
    /// a lag.
    pub(super) fn next_end(&mut self) -> Option<Duration> {
        let ends = self.all().flat_map(|Clock { waits, lag, .. }| {
            let replaced = waits.waiting.values().filter_map(|wait| wait.replaced.as_ref());
            let sleeps = waits.sleeping.iter().map(|sleep| sleep.real_end);
            sleeps.chain(replaced.map(|replaced| replaced.look)).chain([lag.look])
        });
        ends.min().map(|end| Duration::from_nanos(end.saturating_sub(real_now())))
    }

    /// Ends a sleep that is over. Returns its call. `is_valid` returns `true` while a call waits.
    pub(super) fn end_sleep(&mut self, is_valid: impl Fn(u64) -> bool) -> Option<u64> {
        let now = real_now();
        self.all().find_map(|clock| {
            let sleeping = &mut clock.waits.sleeping;
            let over = sleeping.iter().position(|sleep| sleep.real_end <= now)?;
            let Sleep { id, end, is_interrupted, .. } = sleeping.swap_remove(over);
            if !is_interrupted && is_valid(id) {
                clock.reach(end);
            }
            Some(id)
        })
    }

    /// Restores the times of the virtual clock whose threads wait: the kernel has read the system's
    /// times.
    pub(super) fn restore_times(&mut self) {
        let now = real_now();
        for (thread, wait) in self.all().flat_map(|clock| &mut clock.waits.waiting) {
            if let Some(replaced) = wait.replaced.as_mut().filter(|it| it.look <= now) {
                replaced.look = now + PATIENCE;
                if is_waiting(*thread) {
                    wait.replaced.take().iter().for_each(Replaced::restore);
                }
            }
        }
    }

    /// Ends the wait of the thread that makes this call. Returns the answer to a sleep that
    /// continues after a signal.
    pub(super) fn end_wait(&mut self, request: &Request<'_>) -> Option<Answer> {
        let mut answer = None;
        for clock in self.all() {
            if let Some(wait) = clock.waits.waiting.remove(&request.thread) {
                clock.end_wait(&wait);
            }
            let sleeping = &mut clock.waits.sleeping;
            let is_own = |sleep: &Sleep| sleep.thread == request.thread;
            if let Some(index) = sleeping.iter().position(is_own) {
                sleeping[index].is_interrupted = true;
                // Some signal handlers restart the call, which then needs the system's clock again
                if request.call == libc::SYS_clock_nanosleep {
                    let is_same = sleeping.swap_remove(index).arguments == request.arguments;
                    answer = is_same.then_some(Answer::Error(libc::EINTR));
                }
            }
        }
        answer
    }

    /// Notes a wait for at most a time in nanoseconds.
    fn wait(&mut self, request: &Request<'_>, length: Option<u64>, is_sleep: bool) -> Answer {
        if let (Some(length), Some(clock)) = (length, self.of(request)) {
            clock.wait(request.thread, length, is_sleep);
        }
        Answer::Continue
    }

    /// Notes a wait of this many milliseconds, without a limit if it is negative.
    pub(super) fn wait_milliseconds(&mut self, request: &Request<'_>, index: usize) -> Answer {
        let length = u64::try_from(request.arguments[index] as i32).ok();
        self.wait(request, length.map(|length| length * (SECOND / 1000)), false)
    }

    /// Notes a wait for the time at this argument, which has nanoseconds.
    pub(super) fn wait_time(&mut self, request: &Request<'_>, index: usize) -> Answer {
        self.wait(request, request.read_time(request.arguments[index], 1), false)
    }

    /// Notes a wait for the time at this argument, which has microseconds.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn wait_timeval(&mut self, request: &Request<'_>, index: usize) -> Answer {
        self.wait(request, request.read_time(request.arguments[index], 1000), false)
    }

    /// Notes a sleep.
    pub(super) fn nanosleep(&mut self, request: &Request<'_>) -> Answer {
        self.wait(request, request.read_time(request.arguments[0], 1), true)
    }

    /// Notes a sleep, or answers one until a time when it is over.
    pub(super) fn clock_nanosleep(&mut self, request: &Request<'_>) -> Answer {
        let [clock, flags, address, ..] = request.arguments;
        let Some(clock) = number(clock).filter(|clock| !is_of_cpu(*clock)) else {
            return Answer::Continue;
        };
        let time = request.read_time(address, 1);
        if flags as i32 != libc::TIMER_ABSTIME {
            return self.wait(request, time, true);
        }
        let Some((time, own)) = time.zip(self.of(request)) else { return Answer::Continue };
        match own.end(clock, time) {
            Some(End { is_virtual: true, remaining, start, .. }) => {
                let (real_end, end) = (real_now() + remaining, start + remaining);
                let Request { id, thread, arguments, .. } = *request;
                own.waits.sleeping.push(Sleep {
                    id,
                    thread,
                    arguments,
                    real_end,
                    end,
                    is_interrupted: false,
                });
                Answer::Later
            }
            Some(End { remaining, .. }) => self.wait(request, Some(remaining), true),
            None => Answer::Continue,
        }
    }

    /// Notes a wait for a futex. Some operations have a time until which they wait.
    pub(super) fn futex(&mut self, request: &Request<'_>) -> Answer {
        let [_, operation, _, address, ..] = request.arguments;
        let clock = if operation & FUTEX_CLOCK_REALTIME != 0 {
            libc::CLOCK_REALTIME
        } else {
            libc::CLOCK_MONOTONIC
        };
        match operation & FUTEX_COMMAND {
            FUTEX_WAIT => self.wait_time(request, 3),
            FUTEX_LOCK_PI => self.wait_until(request, libc::CLOCK_REALTIME, address),
            _ => self.wait_until(request, clock, address),
        }
    }

    /// Notes a wait for several futexes until a time.
    pub(super) fn futex_waitv(&mut self, request: &Request<'_>) -> Answer {
        let [_, _, _, address, clock, _] = request.arguments;
        let Some(clock) = number(clock) else { return Answer::Continue };
        self.wait_until(request, clock, address)
    }

    /// Notes a wait until the time at an address, by the system's clock.
    pub(super) fn wait_until(
        &mut self,
        request: &Request<'_>,
        clock: libc::clockid_t,
        address: u64,
    ) -> Answer {
        if let (Some(time), Some(own)) = (request.read_time(address, 1), self.of(request)) {
            if let Some(end) = own.end(clock, time) {
                let replaced = end.replace(request, address);
                let End { now: real, start, remaining: length, .. } = end;
                let wait = Wait { real, start, length, is_sleep: false, replaced };
                own.waits.waiting.insert(request.thread, wait);
            }
        }
        Answer::Continue
    }

    /// Notes a wait until the date at this argument.
    pub(super) fn wait_until_date(&mut self, request: &Request<'_>, index: usize) -> Answer {
        self.wait_until(request, libc::CLOCK_REALTIME, request.arguments[index])
    }

    /// Notes a wait for a signal. Valgrind asks for one at the end of each time slice.
    pub(super) fn sigtimedwait(&mut self, request: &Request<'_>) -> Answer {
        let is_command = matches!(self, Self::Command(_));
        if is_command { self.wait_time(request, 2) } else { Answer::Continue }
    }

    /// Notes a timer of a process in seconds.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn alarm(&mut self, request: &Request<'_>) -> Answer {
        let seconds = u64::from(request.arguments[0] as u32);
        self.set_timer(request, |process| Timer::Real { process }, seconds * SECOND, 0);
        Answer::Continue
    }

    /// Notes a timer of a process.
    pub(super) fn setitimer(&mut self, request: &Request<'_>) -> Answer {
        let new = request.arguments[1];
        let times = [new, new + TIME as u64].map(|address| request.read_time(address, 1000));
        if let [Some(interval), Some(first)] = times {
            self.set_timer(request, |process| Timer::Real { process }, first, interval);
        }
        Answer::Continue
    }

    /// Notes a timer with a number.
    pub(super) fn timer_settime(&mut self, request: &Request<'_>) -> Answer {
        let number = request.arguments[0];
        self.set_itimerspec(request, |process| Timer::Numbered { process, number })
    }

    /// Notes a timer with a descriptor.
    pub(super) fn timerfd_settime(&mut self, request: &Request<'_>) -> Answer {
        let descriptor = request.arguments[0];
        self.set_itimerspec(request, |process| Timer::File { process, descriptor })
    }

    fn set_itimerspec(
        &mut self,
        request: &Request<'_>,
        timer: impl FnOnce(libc::pid_t) -> Timer,
    ) -> Answer {
        let [_, flags, new, ..] = request.arguments;
        let address = new + TIME as u64;
        let [Some(interval), Some(first)] =
            [new, address].map(|address| request.read_time(address, 1))
        else {
            return Answer::Continue;
        };
        if flags & libc::TIMER_ABSTIME as u64 == 0 || first == 0 {
            self.set_timer(request, timer, first, interval);
            return Answer::Continue;
        }
        if first < UPTIME / 2 * SECOND {
            // A time of the CPU, or one that has passed long ago
            return Answer::Continue;
        }
        // Only clocks of the date reach it
        let is_date = first >= DATE / 2 * SECOND;
        let clock = if is_date { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
        let Some(end) = self.of(request).and_then(|own| own.end(clock, first)) else {
            return Answer::Continue;
        };
        self.set_timer(request, timer, end.remaining.max(1), interval);
        let replaced = end.replace(request, address);
        if let (Some(own), Some(_)) = (self.of(request), &replaced) {
            // The call itself takes no time
            let wait = Wait { real: end.now, start: 0, length: 0, is_sleep: false, replaced };
            own.waits.waiting.insert(request.thread, wait);
        }
        Answer::Continue
    }

    /// Notes a timer that first fires after so many nanoseconds. Zero disables it.
    fn set_timer(
        &mut self,
        request: &Request<'_>,
        timer: impl FnOnce(libc::pid_t) -> Timer,
        first: u64,
        interval: u64,
    ) {
        let (Some(process), Some(clock)) = (process_of(request.thread), self.of(request)) else {
            return;
        };
        let Some(now) = clock.now() else { return };
        let timer = timer(process);
        clock.waits.timers.remove(&timer);
        if (1..LONGEST).contains(&first) {
            let alarm = Alarm { real: real_now() + first, time: now + first, interval };
            clock.waits.timers.insert(timer, alarm);
        }
    }
}

/// The end of a wait until a time.
struct End {
    /// The clock of the system that all processes share.
    now: u64,
    /// The time is one of the virtual clock.
    is_virtual: bool,
    /// The virtual clock.
    start: u64,
    remaining: u64,
    /// The times of the wait's clock.
    time: u64,
    real: u64,
}

impl End {
    /// Replaces the virtual clock's time at an address with the system's.
    fn replace(&self, request: &Request<'_>, address: u64) -> Option<Replaced> {
        if !self.is_virtual {
            return None;
        }
        let bytes = |time: u64| -> Option<[u8; TIME]> {
            words(&[time / SECOND, time % SECOND]).try_into().ok()
        };
        let memory = request.memory()?;
        let (time, real) = (bytes(self.time)?, bytes(self.real)?);
        memory.write_all_at(&real, address).ok()?;
        Some(Replaced { memory, address, time, real, look: self.now + PATIENCE })
    }
}

impl Replaced {
    /// Restores the time of the virtual clock, unless the program has written another one.
    fn restore(&self) {
        let mut bytes = [0; TIME];
        let is_read = self.memory.read_exact_at(&mut bytes, self.address).is_ok();
        if is_read && bytes == self.real {
            let _ = self.memory.write_all_at(&self.time, self.address);
        }
    }
}

impl Clock {
    fn wait(&mut self, thread: libc::pid_t, length: u64, is_sleep: bool) {
        let (real, replaced) = (real_now(), None);
        if let Some(start) = self.now().filter(|_| length < LONGEST) {
            let wait = Wait { real, start, length, is_sleep, replaced };
            self.waits.waiting.insert(thread, wait);
        }
    }

    /// Ends a wait of a thread that makes its next call.
    fn end_wait(&mut self, wait: &Wait) {
        let Wait { real, start, length, is_sleep, replaced } = wait;
        replaced.iter().for_each(Replaced::restore);
        let passed = real_now().saturating_sub(*real);
        if passed >= *length || *is_sleep {
            self.reach(start + passed.min(*length));
        }
    }

    /// Returns the end of a wait until a time of this clock, `None` if it is too far away.
    ///
    /// A time that is nearer to the system's clock is one of the system's: it was in the memory of
    /// the process when the thread last waited.
    fn end(&mut self, clock: libc::clockid_t, time: u64) -> Option<End> {
        let (now, start) = (real_now(), self.now()?);
        let own = nanoseconds(clock, start);
        let real = clock::read(clock).as_nanos() as u64;
        let is_virtual = time.abs_diff(own) <= time.abs_diff(real);
        let remaining = time.saturating_sub(if is_virtual { own } else { real });
        let end = End { now, is_virtual, start, remaining, time, real: real + remaining };
        (remaining < LONGEST).then_some(end)
    }
}

/// Returns `true` for the clocks of the time in which a CPU runs a process or a thread.
fn is_of_cpu(clock: libc::clockid_t) -> bool {
    [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID].contains(&clock)
}

/// Returns `true` if a thread waits, has exited, or does not exist any more.
pub(super) fn is_waiting(thread: libc::pid_t) -> bool {
    let state = fs::read_to_string(process_file(thread, "stat")).unwrap_or_default();
    // The state follows the name of the program, which is in parentheses and can contain others
    state
        .rsplit_once(')')
        .is_none_or(|(_, rest)| [" S", " Z", " X"].iter().any(|state| rest.starts_with(state)))
}
