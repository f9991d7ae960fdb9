//! The virtual clock of the processes of a command, and of benchmark functions that make system
//! calls themselves.
//!
//! As in the harness, a reading takes a moment, and a wait that times out takes its timeout.
//! Nothing else takes time. The processes of a command share one clock. A benchmark function has
//! the harness's clock, which is in the memory of its process.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the lower halves of registers, and times of less than 500 years"
)]

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iai_callgrind_plan::virtual_clock::{
    ADDRESS, SECOND, STEP, fraction, is_of_cpu, packed, start_of, unpacked,
};

use super::ProcessClock;
use super::lag::{Lag, Processes};
use super::request::{Answer, Request, words};
use super::waits::Waits;
use crate::clock::monotonic;
use crate::real_time::process_of;

/// Time that a reading of a command takes, in nanoseconds: about as long as a stop. So a loop until
/// a time of the clock takes as long as by the system's clock.
const STEP_OF_STOP: u64 = 10_000;

/// Number of the last clock that all systems have.
const LAST_CLOCK: u32 = 11;

/// Nanoseconds of a tick, in which `times` counts.
const TICK: u64 = SECOND / 100;

/// Nanoseconds between two changes of the coarse clocks.
const COARSE: u64 = SECOND / 250;

/// The largest resident set of each process, in KiB.
const RESIDENT: u64 = 16 * 1024;

/// The clocks of the processes that a responder answers.
#[derive(Debug)]
pub(super) enum Clocks {
    /// The system's.
    System,
    /// A clock that all processes share.
    Command(Box<Clock>),
    /// Clocks of the processes with a benchmark function, by their ids.
    Functions(HashMap<libc::pid_t, Clock>),
}

/// A virtual clock.
#[derive(Debug)]
pub(super) struct Clock {
    time: Time,
    pub(super) waits: Waits,
    pub(super) lag: Lag,
}

/// Address of the time since the start, in nanoseconds.
#[derive(Debug)]
enum Time {
    Here(u64),
    /// In the memory of a process.
    There {
        memory: File,
        address: u64,
        /// Address of the byte that is set when the clock catches up.
        leapt: u64,
    },
}

impl Clocks {
    /// Returns the clocks that start now.
    pub(super) fn new(clock: ProcessClock) -> Self {
        match clock {
            ProcessClock::System => Self::System,
            ProcessClock::Command { seed } => {
                let time = fraction(seed);
                Self::Command(Box::new(Clock::new(Time::Here(time), time, Processes::default())))
            }
            ProcessClock::Functions => Self::Functions(HashMap::new()),
        }
    }

    /// Returns the clock of the process that makes this call.
    pub(super) fn of(&mut self, request: &Request<'_>) -> Option<&mut Clock> {
        match self {
            Self::System => None,
            Self::Command(clock) => Some(clock),
            Self::Functions(clocks) => {
                let thread = request.thread;
                let is_process = clocks.contains_key(&thread);
                clocks.get_mut(&if is_process { thread } else { process_of(thread)? })
            }
        }
    }

    /// Returns the clocks of all processes.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Clock> {
        let (command, functions) = match self {
            Self::System => (None, None),
            Self::Command(clock) => (Some(&mut **clock), None),
            Self::Functions(clocks) => (None, Some(clocks)),
        };
        command.into_iter().chain(functions.into_iter().flat_map(HashMap::values_mut))
    }

    /// Returns a flag that is set when the clock of a command catches up. The harness has its own.
    pub(super) fn has_leapt(&self) -> Arc<AtomicBool> {
        match self {
            Self::Command(clock) => Arc::clone(&clock.lag.has_leapt),
            Self::System | Self::Functions(_) => Arc::default(),
        }
    }

    /// Returns the hundredths of a second since the start of the machine by the clock of a command. The file with them is
    /// the same for all functions.
    pub(super) fn uptime(&mut self) -> Option<u64> {
        let Self::Command(clock) = self else { return None };
        Some(nanoseconds(libc::CLOCK_BOOTTIME, clock.now()?) / TICK)
    }

    /// Answers `clock_gettime`.
    pub(super) fn gettime(&mut self, request: &Request<'_>) -> Answer {
        let [clock, address, leapt, ..] = request.arguments;
        if clock == ADDRESS {
            return self.add_function(request, address, leapt).into();
        }
        let Some(clock) = number(clock).or_else(|| cpu_clock(clock)) else {
            return Answer::Continue;
        };
        self.read(request)
            .and_then(|time| request.write_time(address, nanoseconds(clock, time)))
            .into()
    }

    /// Registers the clock of a function at an address in the memory of its process, or resets its
    /// lag.
    fn add_function(&mut self, request: &Request<'_>, address: u64, leapt: u64) -> Option<i64> {
        let Self::Functions(clocks) = self else { return None };
        let process = process_of(request.thread)?;
        let memory = request.memory()?;
        clocks.retain(|_, clock| clock.time.get().is_some());
        if let Some(clock) = clocks.get_mut(&process) {
            clock.lag.forgive(clock.time.get()?);
            return Some(0);
        }
        let time = Time::There { memory, address, leapt };
        let now = time.get()?;
        clocks.insert(process, Clock::new(time, now, Processes::of(process)));
        Some(0)
    }

    /// Answers `gettimeofday`.
    pub(super) fn gettimeofday(&mut self, request: &Request<'_>) -> Answer {
        let [address, zone, ..] = request.arguments;
        if address == 0 {
            return Answer::Continue;
        }
        let answer = self.read(request).and_then(|time| {
            let time = nanoseconds(libc::CLOCK_REALTIME, time);
            request.write(address, &words(&[time / SECOND, time % SECOND / 1000]))?;
            // UTC, as the kernel answers unless a time zone was set
            if zone == 0 { Some(0) } else { request.write(zone, &words(&[0])) }
        });
        answer.map(|_| 0).into()
    }

    /// Answers `time`.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn time(&mut self, request: &Request<'_>) -> Answer {
        let [address, ..] = request.arguments;
        let answer = self.read(request).and_then(|time| {
            let seconds = nanoseconds(libc::CLOCK_REALTIME, time) / SECOND;
            if address != 0 {
                request.write(address, &words(&[seconds]))?;
            }
            i64::try_from(seconds).ok()
        });
        answer.into()
    }

    /// Answers `times`: all time is the process's.
    pub(super) fn times(&mut self, request: &Request<'_>) -> Answer {
        let [address, ..] = request.arguments;
        let answer = self.read(request).and_then(|time| {
            if address != 0 {
                request.write(address, &words(&[time / TICK, 0, 0, 0]))?;
            }
            i64::try_from(nanoseconds(libc::CLOCK_MONOTONIC, time) / TICK).ok()
        });
        answer.into()
    }

    /// Answers `getrusage`: all time is the process's, and nothing else was counted.
    pub(super) fn getrusage(&mut self, request: &Request<'_>) -> Answer {
        let [who, address, ..] = request.arguments;
        let answer = self.read(request).and_then(|time| {
            let is_of_children = who as i32 == libc::RUSAGE_CHILDREN;
            let time = if is_of_children { 0 } else { time };
            let mut usage = [0; size_of::<libc::rusage>() / size_of::<u64>()];
            usage[..5].copy_from_slice(&[time / SECOND, time % SECOND / 1000, 0, 0, RESIDENT]);
            request.write(address, &words(&usage))
        });
        answer.map(|_| 0).into()
    }

    /// Answers `clock_getres` as a kernel with 250 ticks in a second.
    pub(super) fn getres(&mut self, request: &Request<'_>) -> Answer {
        let [clock, address, ..] = request.arguments;
        let (Some(clock), Some(_)) = (number(clock), self.of(request)) else {
            return Answer::Continue;
        };
        let is_coarse =
            [libc::CLOCK_REALTIME_COARSE, libc::CLOCK_MONOTONIC_COARSE].contains(&clock);
        let resolution = if is_coarse { COARSE } else { 1 };
        if address == 0 {
            Answer::Result(0)
        } else {
            request.write_time(address, resolution).into()
        }
    }

    /// Adds the process of a thread that makes a call to the processes of a command. For a
    /// function, these are the processes that it starts.
    pub(super) fn add(&mut self, thread: libc::pid_t) {
        if let Self::Command(clock) = self {
            clock.lag.add(thread);
        }
    }

    /// Looks for lags. `is_served` returns `false` while a process waits for the runner.
    pub(super) fn look(&mut self, is_served: impl Fn() -> bool) {
        let real = real_now();
        if let Self::Functions(clocks) = self {
            clocks.retain(|_, clock| clock.time.get().is_some());
        }
        for clock in self.all() {
            if let Some(time) = clock.time.get() {
                clock.lag.look(time, real, &is_served);
            }
        }
    }

    /// Returns the time since the start, by the clock of the process that makes this call.
    fn read(&mut self, request: &Request<'_>) -> Option<u64> {
        self.of(request)?.read()
    }
}

impl Clock {
    fn new(time: Time, now: u64, processes: Processes) -> Self {
        Self { time, waits: Waits::default(), lag: Lag::new(now, real_now(), processes) }
    }

    /// Returns the time since the start after another reading.
    fn read(&mut self) -> Option<u64> {
        let step = match self.time {
            Time::Here(_) => STEP_OF_STOP,
            Time::There { .. } => STEP,
        };
        let time = self.now()? + step;
        let later = self.lag.make_up(time);
        if let (true, Time::There { memory, leapt, .. }) = (later > time, &self.time) {
            memory.write_all_at(&[1], *leapt).ok()?;
        }
        self.time.set(later)?;
        Some(later)
    }

    /// Returns the time since the start, including the finished waits.
    pub(super) fn now(&mut self) -> Option<u64> {
        let reached = self.waits.reached(real_now());
        Some(self.time.get()?.max(reached))
    }

    /// Advances the clock to this time since the start, unless it shows a later one.
    pub(super) fn reach(&mut self, time: u64) {
        if self.time.get().is_some_and(|now| now < time) {
            let _ = self.time.set(time);
        }
    }
}

impl Time {
    /// Returns the time, `None` if the process has exited or runs another program.
    fn get(&self) -> Option<u64> {
        match self {
            Self::Here(time) => Some(*time),
            Self::There { memory, address, .. } => {
                let mut bytes = [0; size_of::<u64>()];
                memory.read_exact_at(&mut bytes, *address).ok()?;
                Some(unpacked(u64::from_ne_bytes(bytes)))
            }
        }
    }

    fn set(&mut self, now: u64) -> Option<()> {
        match self {
            Self::Here(time) => *time = now,
            Self::There { memory, address, .. } => {
                memory.write_all_at(&packed(now).to_ne_bytes(), *address).ok()?;
            }
        }
        Some(())
    }
}

/// Returns the nanoseconds of a clock at this time since the start.
pub(super) fn nanoseconds(clock: libc::clockid_t, time: u64) -> u64 {
    start_of(clock) * SECOND + time
}

/// Returns the nanoseconds of the system's clock that all processes share.
pub(super) fn real_now() -> u64 {
    monotonic().as_nanos() as u64
}

/// Returns the number of the CPU's clock if the argument is that of one process or thread. The CPU times of all are the
/// same.
fn cpu_clock(argument: u64) -> Option<libc::clockid_t> {
    is_of_cpu(argument as i32).then_some(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Returns the number of a clock that is virtual. Clocks of other processes and of devices have negative ones.
pub(super) fn number(argument: u64) -> Option<libc::clockid_t> {
    let clock = argument as u32;
    (clock <= LAST_CLOCK).then_some(clock as i32)
}
