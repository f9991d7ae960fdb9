//! Test mode for commands: each once and natively, as `cargo test --benches` wants it. Functions run in the
//! benchmark executable itself.

use std::path::PathBuf;
use std::time::Instant;

use super::command::{Turn, Workshop};
use super::hooks::Hooks;
use super::sandbox::{Place, new_directory};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::options::PlaceOptions;
use crate::process::TemporaryDirectory;
use crate::process::interrupted;

/// What came of a test.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tested {
    /// How many passed.
    pub(crate) passed: usize,
    /// How many failed.
    pub(crate) failed: usize,
    /// How much of what runs around them failed.
    pub(crate) hooks_failed: usize,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// Runs the commands and, around them, what the file and the groups have to run. Tells each as it ends.
pub(crate) fn test(
    benchmarks: &[Benchmark],
    hooks: &Hooks,
    tell: &mut dyn FnMut(&Benchmark, &Result<()>),
    tell_hook: &mut dyn FnMut(&Error),
) -> Result<Tested> {
    let start = Instant::now();
    let staging = TemporaryDirectory::create(new_directory)?;
    let mut test = Test { hooks, tested: Tested::default(), staging: staging.path().to_owned() };
    let commands: Vec<_> = benchmarks.iter().filter(|it| it.hook.is_none()).collect();
    let is_ready = commands.is_empty() || test.passed(&hooks.set_up(None, None), tell_hook);
    for group in commands.chunk_by(|left, right| left.group == right.group) {
        let number = Some(group[0].group);
        let place = hooks.place(group[0].group);
        let set_up = place.and_then(|place| {
            hooks.set_up(number, place.as_ref().map(|(place, _)| place)).map(|()| place)
        });
        let (place, set_up) = match set_up {
            Ok(place) => (place, Ok(())),
            Err(error) => (None, Err(error)),
        };
        let is_ready = is_ready && test.passed(&set_up, tell_hook);
        for &benchmark in group {
            if interrupted().is_some() {
                return Ok(test.tested);
            }
            let result = test.run(benchmark, place.as_ref(), is_ready);
            if let Err(Error::Interrupted { .. }) = result {
                return Ok(test.tested);
            }
            test.tested.passed += usize::from(result.is_ok());
            test.tested.failed += usize::from(result.is_err());
            tell(benchmark, &result);
        }
        if is_ready {
            let torn_down = hooks.tear_down(number, place.as_ref().map(|(place, _)| place));
            test.passed(&torn_down, tell_hook);
        }
    }
    if is_ready && !commands.is_empty() {
        test.passed(&hooks.tear_down(None, None), tell_hook);
    }
    test.tested.seconds = start.elapsed().as_secs_f64();
    Ok(test.tested)
}

struct Test<'a> {
    hooks: &'a Hooks,
    tested: Tested,
    staging: PathBuf,
}

impl Test<'_> {
    fn passed(&mut self, hook: &Result<()>, tell: &mut dyn FnMut(&Error)) -> bool {
        if let Err(error) = hook {
            self.tested.hooks_failed += 1;
            tell(error);
        }
        hook.is_ok()
    }

    fn run(
        &self,
        benchmark: &Benchmark,
        place: Option<&(Place, &PlaceOptions)>,
        is_ready: bool,
    ) -> Result<()> {
        let Some(case) = benchmark.command().filter(|_| is_ready) else {
            let what = "it did not run, because what runs before it failed";
            return Err(Error::Case(what.to_owned()));
        };
        let workshop = Workshop {
            benchmarks: &[],
            hooks: self.hooks,
            launcher: None,
            staging: &self.staging,
            template: place.map(|(place, options)| (place, *options)),
            keeps_sandboxes: false,
        };
        let workshop = &workshop;
        let turn =
            Turn { workshop, benchmark, case, tool: 0, seed: 0, number: 0, measured: Vec::new() };
        turn.run().outcome.map(drop)
    }
}
