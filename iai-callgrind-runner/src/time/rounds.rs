//! Rounds: in each, a new process of every side times all cases.

use std::process::Command;
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{BatchTime, Batches, Start};

use super::server::{TimeServer, TimedStart};
use super::statistics::{Estimate, LEAST_PAIRS, median_of};
use crate::error::{Error, Result};
use crate::process::{Limit, interrupted};

/// Time between two readings of the clock, at least. Reading the clock takes less than a thousandth of it.
const BATCH: Duration = Duration::from_micros(50);

/// Number of the batches of a sample.
const BATCHES: u8 = 11;

/// The longest sample, with the setup of its inputs, that has several batches or calls.
const LONGEST_SAMPLE: Duration = Duration::from_millis(40);

/// The longest batch before which another one warms up.
const LONGEST_WARM_UP: Duration = Duration::from_millis(20);

/// The most calls in a batch.
const MOST_CALLS: u16 = 30_000;

/// Number of times that the budget may be spent until there are enough pairs for an interval.
const LONGEST: u32 = 4;

/// The time of a case in one round.
const SLICE: Duration = Duration::from_millis(200);

/// The time for a benchmark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeOptions {
    /// The time for each benchmark, on all sides together.
    pub(crate) budget: Duration,
    /// The benchmark is done when the interval of the ratio is within this much, as a part of one, to both sides.
    pub(crate) precision: Option<f64>,
}

/// A side of the comparison: an executable.
pub(crate) struct Side<'a> {
    /// Returns a command that starts it.
    pub(crate) command: &'a dyn Fn() -> Result<Command>,
    /// The directory for the output of its cases, which has the links to their directories.
    pub(crate) staging: &'a str,
    /// Makes the directory of the case with this index. Returns `true` if it has one of its own.
    pub(crate) make_place: &'a dyn Fn(usize) -> Result<bool>,
    /// Work that is added to each batch, in hundredths of a percent of its time.
    pub(crate) extra: u16,
}

/// A benchmark with its case on each side.
#[derive(Debug)]
pub(crate) struct TimedCase {
    /// The start on each side that has it, the new side first.
    pub(crate) starts: Vec<Start>,
    /// Number of the files of its output, and of the link to its directory.
    pub(crate) number: u32,
}

/// The time of a call on one side, in nanoseconds: the median of the samples of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SideTime {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

/// The times of a case in the processes of a round.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// The time on each side.
    pub(crate) sides: Vec<SideTime>,
    /// The logarithms of the ratios of the first to the second side, if there are two.
    pub(crate) ratio: Option<SideTime>,
}

/// Everything that was measured of a case.
#[derive(Debug, Default)]
pub(crate) struct CaseTimes {
    pub(crate) pairs: Vec<Pair>,
    /// Number of samples on each side.
    pub(crate) samples: usize,
    /// Number of calls in a batch.
    pub(crate) calls: u16,
    /// The case starts threads, which use all CPUs.
    pub(crate) has_threads: bool,
    /// The routine measures itself, and all of it was timed.
    pub(crate) measures_itself: bool,
    /// The reason why it has no more pairs, and the side.
    pub(crate) failure: Option<(usize, Error)>,
    spent: Duration,
    /// The duration of the last turn of all sides.
    last_turn: Duration,
    batches: Option<(u8, bool)>,
}

/// Times cases on all sides.
pub(crate) struct Timer<'a> {
    /// The new side, and the old one if there is one.
    pub(crate) sides: Vec<Side<'a>>,
    pub(crate) cases: &'a [TimedCase],
    pub(crate) options: TimeOptions,
    pub(crate) limit: Option<Limit>,
}

impl Timer<'_> {
    /// Times all cases in rounds. `progress` is called after each case in a round, with its index and the time
    /// that it took.
    ///
    /// # Errors
    ///
    /// Returns an error if an executable can't start, or if the run is interrupted. A case that fails has its failure.
    pub(crate) fn run(&self, progress: &mut dyn FnMut(usize, Duration)) -> Result<Vec<CaseTimes>> {
        let mut times: Vec<_> = self.cases.iter().map(|_| CaseTimes::default()).collect();
        let longest = self.options.budget / 8;
        let mut slice = SLICE.min(longest);
        while times.iter().any(|times| times.is_unfinished(&self.options)) {
            let start = Instant::now();
            let in_cases = self.round(slice, &mut times, progress)?;
            // The start of the processes, and the code between the benchmarks, take no more time than the benchmarks
            let between = start.elapsed().saturating_sub(in_cases);
            let number = u32::try_from(self.cases.len()).unwrap_or(u32::MAX).max(1);
            slice = SLICE.max(between / number).min(longest);
        }
        Ok(times)
    }

    /// Has a new process of each side time all cases. Returns the time that the cases took.
    fn round(
        &self,
        slice: Duration,
        times: &mut [CaseTimes],
        progress: &mut dyn FnMut(usize, Duration),
    ) -> Result<Duration> {
        let cpu = random_cpu();
        let mut servers = self.servers()?;
        let mut in_cases = Duration::ZERO;
        for index in 0..self.cases.len() {
            let times = &mut times[index];
            if !times.is_unfinished(&self.options) {
                continue;
            }
            let start = Instant::now();
            let end = start + slice;
            let ended =
                self.turn(index, &mut servers, cpu).and_then(|mut turn| turn.time(end, times));
            if let Err((side, error)) = ended {
                if interrupted().is_some() {
                    return Err(error);
                }
                times.failure = Some((side, error));
                // It may have ended the servers, and a walk does not go back
                servers = self.servers()?;
            }
            let spent = start.elapsed();
            times.spent += spent;
            in_cases += spent;
            progress(index, spent);
        }
        Ok(in_cases)
    }

    fn servers(&self) -> Result<Vec<TimeServer>> {
        let start =
            |side: &Side<'_>| TimeServer::start(&mut (side.command)()?, side.staging, self.limit);
        self.sides.iter().map(start).collect()
    }

    /// Returns the turn of the case with this index. An error comes with its side.
    fn turn<'a>(
        &self,
        index: usize,
        servers: &'a mut [TimeServer],
        cpu: Option<u16>,
    ) -> Result<Turn<'a>, (usize, Error)> {
        let TimedCase { starts, number } = &self.cases[index];
        let mut on_sides = Vec::new();
        for (side, (start, server)) in starts.iter().zip(servers).enumerate() {
            let enter = (self.sides[side].make_place)(index).map_err(|error| (side, error))?;
            let extra = self.sides[side].extra;
            on_sides.push((server, TimedStart { start: *start, number: *number, enter, extra }));
        }
        Ok(Turn { on_sides, cpu })
    }
}

/// The turn of a case in a round: the process of each side with its start there.
struct Turn<'a> {
    on_sides: Vec<(&'a mut TimeServer, TimedStart)>,
    /// The CPU to run on.
    cpu: Option<u16>,
}

impl Turn<'_> {
    /// Times the case until this time, or once if that takes longer.
    fn time(&mut self, end: Instant, times: &mut CaseTimes) -> Result<(), (usize, Error)> {
        if times.batches.is_none() {
            self.calibrate(times)?;
        }
        let mut samples: Vec<Vec<SideTime>> = self.on_sides.iter().map(|_| Vec::new()).collect();
        let mut ratios = Vec::new();
        loop {
            let start = Instant::now();
            let block = self.block(times)?;
            times.last_turn = start.elapsed();
            if let [new, old] = &*block {
                ratios.push(SideTime::of(&[*new, *old], |part| (part[0] / part[1]).ln()));
            }
            for (samples, time) in samples.iter_mut().zip(block) {
                samples.push(time);
            }
            if Instant::now() + times.last_turn > end {
                break;
            }
        }
        times.samples += samples[0].len();
        let median = |times: &Vec<SideTime>| SideTime::of(times, |part| median_of(part.to_vec()));
        let sides = samples.iter().map(median).collect();
        times.pairs.push(Pair { sides, ratio: (!ratios.is_empty()).then(|| median(&ratios)) });
        Ok(())
    }

    /// Times the case on each side, in an order of chance, and once more in the other order unless it takes long. The mean of
    /// both does not contain what changes evenly in the meantime.
    fn block(&mut self, times: &CaseTimes) -> Result<Vec<SideTime>, (usize, Error)> {
        let mut order: Vec<_> = (0..self.on_sides.len()).collect();
        fastrand::shuffle(&mut order);
        let start = Instant::now();
        let mut block = vec![Vec::new(); order.len()];
        let batches = times.batches(fastrand::u8(..), self.cpu);
        let mut sample = |side: usize| {
            block[side].push(SideTime::from(self.sample(side, batches)?));
            Ok(())
        };
        order.iter().try_for_each(|side| sample(*side))?;
        if order.len() > 1 && start.elapsed() < LONGEST_SAMPLE * 4 {
            order.iter().rev().try_for_each(|side| sample(*side))?;
        }
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        Ok(block.iter().map(|times| SideTime::of(times, mean)).collect())
    }

    fn sample(&mut self, side: usize, batches: Batches) -> Result<BatchTime, (usize, Error)> {
        let (server, start) = &mut self.on_sides[side];
        server.sample(*start, batches).map_err(|error| (side, error))
    }

    /// Finds out how many calls take as long as a batch, on the side where they take less time.
    fn calibrate(&mut self, times: &mut CaseTimes) -> Result<(), (usize, Error)> {
        times.calls = 1;
        loop {
            let batches = Batches { number: 1, warm_up: true, ..times.batches(0, None) };
            let (mut longest, mut shortest) = (Duration::ZERO, Duration::MAX);
            let mut calls = times.calls;
            for side in 0..self.on_sides.len() {
                let start = Instant::now();
                let batch = self.sample(side, batches)?;
                longest = longest.max(start.elapsed());
                shortest = shortest.min(Duration::from_nanos(batch.wall));
                calls = calls.min(batch.calls);
                times.has_threads |= batch.has_threads;
                times.measures_itself |= batch.measures_itself;
            }
            let is_limited = calls < times.calls || times.calls == MOST_CALLS;
            times.calls = calls.max(1);
            if shortest >= BATCH || longest >= LONGEST_SAMPLE || is_limited {
                let batch = longest / 2;
                let is_short = batch * u32::from(BATCHES) <= LONGEST_SAMPLE;
                times.batches =
                    Some((if is_short { BATCHES } else { 1 }, batch <= LONGEST_WARM_UP));
                return Ok(());
            }
            // A tenth more, because the next one may take less
            let factor = 1.1 * BATCH.div_duration_f64(shortest.max(Duration::from_nanos(1)));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it saturates"
            )]
            let wanted = (f64::from(times.calls) * factor.clamp(1.5, 20.0)).ceil() as u16;
            times.calls = wanted.clamp(times.calls + 1, MOST_CALLS);
        }
    }
}

impl CaseTimes {
    /// Returns the ratio of the sides by this part of the time; `None` without pairs.
    pub(crate) fn ratio(&self, part: fn(&SideTime) -> f64) -> Option<Estimate> {
        let pairs = self.pairs.iter().filter_map(|pair| pair.ratio.as_ref().map(part));
        let logarithms: Vec<_> = pairs.filter(|ratio| ratio.is_finite()).collect();
        (!logarithms.is_empty()).then(|| Estimate::of_pairs(&logarithms))
    }

    /// Returns the time of a call on a side, in nanoseconds, as a ratio to one nanosecond; `None` without pairs.
    pub(crate) fn time(&self, side: usize, part: fn(&SideTime) -> f64) -> Option<Estimate> {
        let times = self.pairs.iter().filter_map(|pair| pair.sides.get(side).map(part));
        let logarithms: Vec<_> = times.map(f64::ln).filter(|time| time.is_finite()).collect();
        (!logarithms.is_empty()).then(|| Estimate::of_pairs(&logarithms))
    }

    /// Returns `true` if another round is of use and within the budget.
    fn is_unfinished(&self, options: &TimeOptions) -> bool {
        let is_precise = || {
            let precision = options.precision?;
            let ratio = self.ratio(|time| time.wall).or_else(|| self.time(0, |time| time.wall))?;
            let (low, high) = ratio.interval?;
            Some(high / ratio.value - 1.0 <= precision && 1.0 - low / ratio.value <= precision)
        };
        // An interval is worth more time
        let most = if self.pairs.len() < LEAST_PAIRS { LONGEST } else { 1 };
        let is_within =
            self.pairs.is_empty() || self.spent + self.last_turn <= options.budget * most;
        let is_enough = self.pairs.len() >= LEAST_PAIRS + 2 && is_precise() == Some(true);
        self.failure.is_none() && is_within && !is_enough
    }

    fn batches(&self, layout: u8, cpu: Option<u16>) -> Batches {
        let (number, warm_up) = self.batches.unwrap_or((1, false));
        let cpu = cpu.filter(|_| !self.has_threads);
        Batches { calls: self.calls.max(1), extra: 0, number, warm_up, layout, cpu }
    }
}

impl SideTime {
    /// Combines times, each part by itself.
    fn of(times: &[Self], combine: impl Fn(&[f64]) -> f64) -> Self {
        let part = |part: fn(&Self) -> f64| combine(&times.iter().map(part).collect::<Vec<_>>());
        Self { wall: part(|time| time.wall), cpu: part(|time| time.cpu) }
    }
}

impl From<BatchTime> for SideTime {
    fn from(batch: BatchTime) -> Self {
        let calls = f64::from(batch.calls.max(1));
        Self { wall: batch.wall as f64 / calls, cpu: batch.cpu as f64 / calls }
    }
}

/// Returns one of the CPUs that this process may use.
fn random_cpu() -> Option<u16> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: zeros are an empty set, which the call fills.
        let set = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            if libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) != 0 {
                return None;
            }
            set
        };
        let number = u16::try_from(libc::CPU_SETSIZE).unwrap_or(u16::MAX);
        // SAFETY: the numbers are within the set.
        let is_usable = |cpu: &u16| unsafe { libc::CPU_ISSET(usize::from(*cpu), &set) };
        let cpus: Vec<_> = (0..number).filter(is_usable).collect();
        fastrand::choice(cpus)
    }
    #[cfg(not(target_os = "linux"))]
    None
}
