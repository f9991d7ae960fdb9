//! The turn of a case: samples of all sides, one after the other.

use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::{BatchTime, Batches};

use super::case::{CaseTimes, Pair, SideTime};

/// Time between two readings of the clock, at least. Reading the clock takes less than a thousandth of it.
const BATCH: Duration = Duration::from_micros(50);

/// Number of the batches of a sample.
const BATCHES: u8 = 11;

/// The longest sample, with the setup of its inputs, that has several batches or calls.
const LONGEST_SAMPLE: Duration = Duration::from_millis(40);

/// Longest batch that needs a warm-up batch.
const LONGEST_WARM_UP: Duration = Duration::from_millis(20);

/// The longest probe that is taken again.
const LONGEST_PROBE: Duration = Duration::from_millis(200);

/// Number of probes that must agree that a case takes long.
const PROBES: u8 = 4;

/// The most calls in a batch.
const MOST_CALLS: u16 = 30_000;

/// Takes a sample of a case on the side with this index. It fails with an error of the caller.
pub type TakeSample<'a, E> = dyn FnMut(usize, Batches) -> Result<BatchTime, E> + 'a;

/// The turn of a case in a round.
pub struct Turn<'a, E> {
    /// Number of sides that have the case.
    pub sides: usize,
    /// Takes a sample on one of them.
    pub sample: &'a mut TakeSample<'a, E>,
    /// The CPU to run on.
    pub cpu: Option<u16>,
}

impl<E> Turn<'_, E> {
    /// Takes samples for this long, or once if that takes longer. Returns the time that it took. An error, which comes with its
    /// side, is the end of the case.
    pub fn time(&mut self, slice: Duration, times: &mut CaseTimes<E>) -> Duration {
        let start = Instant::now();
        times.failure = self.take(start + slice, times).err();
        let spent = start.elapsed();
        times.spent += spent;
        spent
    }

    /// Takes samples until this time.
    fn take(&mut self, end: Instant, times: &mut CaseTimes<E>) -> Result<(), (usize, E)> {
        if times.batches.is_none() {
            self.calibrate(times)?;
        }
        let mut samples: Vec<Vec<SideTime>> = (0..self.sides).map(|_| Vec::new()).collect();
        let mut ratios = Vec::new();
        loop {
            let start = Instant::now();
            let block = self.block(times)?;
            times.last_block = start.elapsed();
            if let [new, old] = &*block {
                ratios.push(SideTime::of(&[*new, *old], |part| (part[0] / part[1]).ln()));
            }
            for (samples, time) in samples.iter_mut().zip(block) {
                samples.push(time);
            }
            if Instant::now() + times.last_block > end {
                break;
            }
        }
        times.processes += 1;
        times.samples += samples[0].len();
        log::debug!("samples of a pair in nanoseconds: {samples:?}");
        let sides = samples.iter().map(|times| SideTime::median(times)).collect();
        times
            .pairs
            .push(Pair { sides, ratio: (!ratios.is_empty()).then(|| SideTime::median(&ratios)) });
        Ok(())
    }

    /// Times the case on each side in random order, and once more in the reverse order unless it takes long. The mean of both
    /// cancels an even drift of the machine.
    fn block(&mut self, times: &CaseTimes<E>) -> Result<Vec<SideTime>, (usize, E)> {
        let mut order: Vec<_> = (0..self.sides).collect();
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

    fn sample(&mut self, side: usize, batches: Batches) -> Result<BatchTime, (usize, E)> {
        (self.sample)(side, batches).map_err(|error| (side, error))
    }

    /// Finds out how many calls take as long as a batch, on the side where they take less time.
    fn calibrate(&mut self, times: &mut CaseTimes<E>) -> Result<(), (usize, E)> {
        times.calls = 1;
        loop {
            let probe = self.probe_again(times)?;
            let is_limited = probe.calls < times.calls || times.calls == MOST_CALLS;
            times.calls = probe.calls.max(1);
            if probe.is_long() || is_limited {
                let batch = probe.sample / 2;
                let is_short = batch * u32::from(BATCHES) <= LONGEST_SAMPLE;
                times.batches =
                    Some((if is_short { BATCHES } else { 1 }, batch <= LONGEST_WARM_UP));
                return Ok(());
            }
            // A tenth more, because the next one may take less
            let shortest = probe.batch.max(Duration::from_nanos(1));
            let factor = 1.1 * BATCH.div_duration_f64(shortest);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it saturates"
            )]
            let wanted = (f64::from(times.calls) * factor.clamp(1.5, 20.0)).ceil() as u16;
            times.calls = wanted.clamp(times.calls + 1, MOST_CALLS);
        }
    }

    /// Probes the case until it takes a short time, or several times: other work of the machine can only add time.
    fn probe_again(&mut self, times: &mut CaseTimes<E>) -> Result<Probe, (usize, E)> {
        let mut least = self.probe(times)?;
        for _ in 1..PROBES {
            if !least.is_long() || least.sample >= LONGEST_PROBE {
                break;
            }
            let probe = self.probe(times)?;
            least.batch = least.batch.min(probe.batch);
            least.sample = least.sample.min(probe.sample);
        }
        Ok(least)
    }

    /// Takes a sample with one batch on each side.
    fn probe(&mut self, times: &mut CaseTimes<E>) -> Result<Probe, (usize, E)> {
        let batches = Batches { number: 1, warm_up: true, ..times.batches(0, None) };
        let mut probe = Probe { batch: Duration::MAX, sample: Duration::ZERO, calls: times.calls };
        for side in 0..self.sides {
            let start = Instant::now();
            let batch = self.sample(side, batches)?;
            probe.sample = probe.sample.max(start.elapsed());
            probe.batch = probe.batch.min(Duration::from_nanos(batch.wall));
            probe.calls = probe.calls.min(batch.calls);
            times.has_threads |= batch.has_threads;
            times.measures_itself |= batch.measures_itself;
        }
        Ok(probe)
    }
}

/// Samples with one batch on each side.
struct Probe {
    /// The shorter batch.
    batch: Duration,
    /// The longer sample, with the setup of its inputs.
    sample: Duration,
    /// Number of calls in the batch.
    calls: u16,
}

impl Probe {
    /// Returns `true` if more calls are of no use.
    fn is_long(&self) -> bool {
        self.batch >= BATCH || self.sample >= LONGEST_SAMPLE
    }
}
