//! Runs the commands of a stage, one after the other or in parallel.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use iai_callgrind_launch::{CaseEvent, Place, Stage};
use iai_callgrind_plan::HookKind;
use iai_callgrind_process::spawn_scoped;
use iai_callgrind_results::{Benchmark, RunId};

use super::command::{CommandOutcomes, CommandRun};
use super::context::RunContext;
use super::launch::OutcomeReceiver;
use super::note::BenchmarkNote;
use super::results::Results;
use crate::error::Result;

/// An event of a worker, about a command by its index.
type Event = CaseEvent<(usize, Box<CommandOutcomes>)>;

/// Runs the commands of a stage until the run must stop. Their output goes to `staging`, and their sandboxes start as copies of
/// the `template`.
///
/// # Errors
///
/// Returns an error if no thread can start.
pub(super) fn run(
    run: &RunContext<'_>,
    staging: &Path,
    template: Option<&Place<'_>>,
    stage: &Stage<'_>,
    results: &mut Results<'_>,
) -> Result<()> {
    let RunContext { benchmarks, settings, .. } = run;
    let jobs = settings.command_jobs().of(stage.commands.len(), stage.max_parallel);
    let runs = stage.commands.iter().enumerate().filter_map(|(number, &id)| {
        let measured = measured_hooks(benchmarks, id.benchmark);
        let run = CommandRun::new(run, staging, id.benchmark)?;
        Some(CommandRun { template, id, number, in_parallel: jobs > 1, measured, ..run })
    });
    let runs: Vec<_> = runs.collect();
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let sender = sender.clone();
            let (runs, next, is_stopped) = (&runs, &next, &is_stopped);
            spawn_scoped(scope, move || work(runs, next, is_stopped, &sender))?;
        }
        drop(sender);
        for event in events {
            match event {
                CaseEvent::Started(index) => results.start(runs[index].id),
                CaseEvent::Ended((index, outcomes)) => {
                    record(&runs[index], *outcomes, results);
                    is_stopped.store(results.is_over(), Ordering::Relaxed);
                }
                _ => {}
            }
        }
        Ok(())
    })
}

fn work(
    runs: &[CommandRun<'_>],
    next: &AtomicUsize,
    is_stopped: &AtomicBool,
    events: &mpsc::Sender<Event>,
) {
    while !is_stopped.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(run) = runs.get(index) else { return };
        // The receiver lives as long as the workers
        let _ = events.send(CaseEvent::Started(index));
        let _ = events.send(CaseEvent::Ended((index, Box::new(run.run()))));
    }
}

/// Returns the measured setup and teardown of a group if this is its first command.
fn measured_hooks(benchmarks: &[Benchmark], command: usize) -> Vec<(HookKind, usize)> {
    let group = benchmarks[command].group;
    let of_group = benchmarks.iter().enumerate().filter(|(_, other)| other.group == group);
    let first = of_group.clone().find(|(_, other)| other.hook.is_none()).map(|(index, _)| index);
    let hooks = of_group.filter_map(|(index, other)| Some((other.hook?, index)));
    let around = hooks.filter(|(kind, _)| matches!(kind, HookKind::Setup | HookKind::Teardown));
    around.filter(|_| first == Some(command)).collect()
}

/// Records the outcomes of a command and of the hooks that were measured with it.
fn record(run: &CommandRun<'_>, outcomes: CommandOutcomes, results: &mut Results<'_>) {
    let CommandOutcomes { command, hooks, kept } = outcomes;
    if let Some(path) = &kept {
        BenchmarkNote::Sandbox { owner: &run.benchmark.name(), path }.print();
    }
    results.record(run.id, command);
    for (benchmark, outcome) in hooks {
        results.record(RunId { benchmark, ..run.id }, outcome);
    }
}
