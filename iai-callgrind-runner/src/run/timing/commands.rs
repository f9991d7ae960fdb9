//! Times commands: each sample is a run between its setup and its teardown, in its own directory.

use std::time::Duration;

use iai_callgrind_plan::protocol::{BatchTime, Batches};
use iai_callgrind_process::interrupted;
use iai_callgrind_timing::{TimeOptions, Turn};

use super::CaseTimes;
use super::copies::ProgramCopy;
use crate::error::{Error, Result};
use crate::run::command::CommandRun;

/// A command on the sides that have it.
pub(super) struct TimedCommand<'a> {
    /// The index of the benchmark on the first side.
    pub(super) index: usize,
    pub(super) sides: Vec<CommandSide<'a>>,
}

/// A command on a side.
pub(super) struct CommandSide<'a> {
    pub(super) run: CommandRun<'a>,
    /// The copy of its program, if cargo has built it.
    pub(super) copy: Option<ProgramCopy>,
}

/// Times these commands in rounds, and adds to their times. `progress` is called with the index of
/// a benchmark and the duration of each round.
///
/// # Errors
///
/// Returns an error if the run is interrupted, or if a program can't be copied. A failure of a
/// command is in its result.
pub(super) fn time_commands(
    commands: &[TimedCommand<'_>],
    times: &mut [CaseTimes],
    options: TimeOptions,
    progress: &mut dyn FnMut(usize, Duration),
) -> Result<()> {
    while times.iter().any(|times| times.is_unfinished(&options)) {
        for (command, times) in commands.iter().zip(&mut *times) {
            if !times.is_unfinished(&options) {
                continue;
            }
            ProgramCopy::renew(command.sides.iter().filter_map(|side| side.copy.as_ref()))?;
            let sides = command.sides.len();
            let mut sample = |side: usize, _| command.sides[side].sample();
            let mut turn = Turn { sides, sample: &mut sample, cpu: None };
            let spent = turn.time(options.slice(), times);
            times.look(&options);
            progress(command.index, spent);
            if let Some(signal) = interrupted() {
                return Err(Error::Interrupted { signal });
            }
        }
    }
    Ok(())
}

impl CommandSide<'_> {
    /// Runs the command once.
    fn sample(&self) -> Result<BatchTime> {
        let Some(time) = self.run.run().command?.time else { unreachable!("it runs natively") };
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (wall, cpu) = (nanoseconds(time.wall), nanoseconds(time.cpu));
        let calls = Batches::CALL.calls;
        // They use all CPUs, because they may start threads
        Ok(BatchTime { calls, wall, cpu, has_threads: true, measures_itself: false })
    }
}
