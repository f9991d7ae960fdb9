//! A child that times its case, or repeats its calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use iai_callgrind_plan::protocol::{BatchTime, Batches, Message, ServerCommand};

use super::{Place, case_function};
use crate::platform;
use crate::region::Region;
use crate::timing::{Timing, with_layout};

impl Place<'_> {
    /// Times a case in this process; `None` if it panics.
    pub(super) fn time(&mut self, command: &ServerCommand) -> Option<BatchTime> {
        let batches = Batches::of_seed(command.seed.unwrap_or(0));
        batches.cpu.into_iter().for_each(platform::run_on);
        let mut timing = Timing::new(batches).without_readings();
        let mut run_batches = || {
            let mut measures_itself = false;
            while timing.is_unfinished() {
                measures_itself = self.run_batch(command, &mut timing);
            }
            measures_itself
        };
        let run = AssertUnwindSafe(|| with_layout(batches.layout, &mut run_batches));
        let measures_itself = catch_unwind(run).ok()?;
        Some(timing.shortest(has_threads(), measures_itself))
    }

    /// Repeats the calls of a case in this process, for as many nanoseconds as the command has in place of a seed. Returns the
    /// message of this process, which has the id `pid`; `None` if the case panics.
    pub(super) fn repeat(&mut self, command: &ServerCommand, pid: i32) -> Option<Message> {
        let mut timing = Timing::repeating(Duration::from_nanos(command.seed.unwrap_or(0)));
        catch_unwind(AssertUnwindSafe(|| {
            // A front end repeats the calls itself if it can make several
            while timing.repetition().is_some_and(|repetition| !repetition.is_over()) {
                self.run_batch(command, &mut timing);
            }
        }))
        .ok()?;
        let (calls, wall) = timing.repetition()?.result();
        Some(Message::Repeated {
            pid,
            calls,
            wall: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        })
    }

    /// Runs a batch of calls. Returns `true` if the routine measures itself.
    fn run_batch(&mut self, command: &ServerCommand, timing: &mut Timing) -> bool {
        match self {
            Place::Benchmark(_, run) => Region::run_batch(timing, None, run),
            Place::Start | Place::End(_) => {
                let code = case_function(command.entry);
                let item = usize::try_from(command.item).unwrap_or(0);
                Region::run_batch(timing, Some((code, item)), |region| code(region, item))
            }
        }
    }
}

/// Returns `true` if this process has started threads. It is not known where the surroundings are not fixed.
fn has_threads() -> bool {
    #[cfg(fixed_surroundings)]
    return crate::surroundings::has_native_threads();
    #[cfg(not(fixed_surroundings))]
    false
}
