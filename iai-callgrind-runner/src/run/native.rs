//! Runs functions natively, each in its own process and directory: test mode of files with such a
//! function.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use iai_callgrind_launch::{Captured, Place, Stage, check_directory};
use iai_callgrind_plan::protocol::{Hook, NativeCase, Start};
use iai_callgrind_process::{ProcessError, RunningProcess};
use iai_callgrind_results::RunId;
use iai_callgrind_tools::tool::Measurement;

use super::context::RunContext;
use super::launch::OutcomeReceiver;
use super::note::BenchmarkNote;
use super::results::Results;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::run::Outcome;

/// Runs functions natively.
pub(super) struct NativeFunctions<'a> {
    pub(super) context: &'a RunContext<'a>,
    /// The directory of captured output.
    pub(super) staging: &'a Path,
}

impl NativeFunctions<'_> {
    /// Runs the functions of a stage, each once, until the run must stop.
    pub(super) fn run(&self, stage: &Stage<'_>, results: &mut Results<'_>) {
        let cases = stage.launches.iter().flat_map(|launch| &launch.cases);
        for (number, id) in cases.enumerate() {
            if results.is_over() {
                return;
            }
            results.start(*id);
            results.record(*id, self.run_function(*id, number));
        }
    }

    fn run_function(&self, id: RunId, number: usize) -> Outcome {
        let RunContext { benchmarks, settings, hooks, .. } = self.context;
        let benchmark = &benchmarks[id.benchmark];
        let Some(start) = benchmark.start(settings.samples.seed(id.sample)) else {
            unreachable!("only functions are in launches")
        };
        let options = &benchmark.options.place;
        let mut place = Place::create(options, &hooks.package, None, &benchmark.name())?;
        let directory = place.current_dir();
        let outcome = check_directory(&directory)
            .map_err(Error::from)
            .and_then(|()| self.run_process(start, &directory, number));
        if let Some(path) = settings.keep_sandbox.then(|| place.keep()).flatten() {
            BenchmarkNote::Sandbox { owner: &benchmark.name(), path }.print();
        }
        outcome
    }

    /// Runs the executable with only this case.
    fn run_process(&self, start: Start, directory: &Path, number: usize) -> Outcome {
        let captured = Captured::of_case(self.staging, number);
        let mut command = Command::new(self.context.hooks.executable()?);
        command
            .env(NativeCase::VARIABLE, NativeCase::from(start).to_string())
            .env(Hook::DIRECTORY, directory)
            .stdin(Stdio::null())
            .stdout(create(&captured.file("stdout"))?)
            .stderr(create(&captured.file("stderr"))?);
        let mut process = RunningProcess::start(&mut command)?;
        let status = process.wait(self.context.settings.timeout).map_err(|error| match error {
            ProcessError::Exceeded(exceeded) => {
                Error::from(exceeded).with_output(captured.sections())
            }
            error => error.into(),
        })?;
        if !status.success() {
            let failure = Error::from(Failure::Ended { status });
            return Err(failure.with_output(captured.sections()));
        }
        let output = captured.shown(self.context.settings.shown)?;
        Ok(Measurement { output, ..Measurement::default() })
    }
}

fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(Error::io("create", path))
}
