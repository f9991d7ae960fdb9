//! Runs the commands of a stage, one after the other or several at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use iai_callgrind_plan::HookKind;

use super::command::{Finished, Turn, Workshop};
use super::order::InOrder;
use super::schedule::LaunchCase;
use crate::benchmark::Benchmark;
use crate::report::progress::Progress;

/// What a worker tells.
enum Event {
    Started(usize),
    Finished(usize, Box<Finished>),
}

/// Runs these commands, each as often as there are seeds, `jobs` at once. Breaks if the run shall end.
pub(super) fn run(
    workshop: &Workshop<'_>,
    commands: &[LaunchCase],
    (seeds, jobs): (usize, usize),
    progress: &Progress,
    outcomes: &mut InOrder<'_>,
) -> ControlFlow<()> {
    let turns = turns(workshop, commands, seeds);
    let (next, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(turns.len()) {
            let sender = sender.clone();
            let (turns, next, ends) = (&turns, &next, &ends);
            scope.spawn(move || work(turns, next, ends, &sender));
        }
        drop(sender);
        let mut flow = ControlFlow::Continue(());
        for event in events {
            match event {
                Event::Started(index) => {
                    progress.started(index, turns[index].benchmark.title_in_text());
                }
                Event::Finished(index, finished) if flow.is_continue() => {
                    flow = pass_on(&turns[index], commands, *finished, seeds, progress, outcomes);
                    ends.store(flow.is_break(), Ordering::Relaxed);
                }
                Event::Finished(..) => {}
            }
        }
        flow
    })
}

fn work(turns: &[Turn<'_>], next: &AtomicUsize, ends: &AtomicBool, events: &mpsc::Sender<Event>) {
    while !ends.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(turn) = turns.get(index) else { return };
        // The receiver lives as long as the workers
        let _ = events.send(Event::Started(index));
        let _ = events.send(Event::Finished(index, Box::new(turn.run())));
    }
}

/// One for each command and seed.
fn turns<'a>(workshop: &'a Workshop<'a>, commands: &[LaunchCase], seeds: usize) -> Vec<Turn<'a>> {
    let mut turns = Vec::new();
    for command in commands {
        let benchmark = &workshop.benchmarks[command.benchmark];
        let Some(case) = benchmark.command() else { continue };
        for seed in 0..seeds {
            turns.push(Turn {
                workshop,
                benchmark,
                case,
                tool: command.tool,
                seed,
                number: turns.len(),
                measured: measured_hooks(workshop.benchmarks, command.benchmark),
            });
        }
    }
    turns
}

/// The set-up and the tear-down of a group that are benchmarks, if this is the group's first command.
fn measured_hooks(benchmarks: &[Benchmark], command: usize) -> Vec<(HookKind, usize)> {
    let group = benchmarks[command].group;
    let of_group = benchmarks.iter().enumerate().filter(|(_, it)| it.group == group);
    let first = of_group.clone().find(|(_, it)| it.hook.is_none()).map(|(index, _)| index);
    let hooks = of_group.filter_map(|(index, it)| Some((it.hook?, index)));
    let around = hooks.filter(|(kind, _)| matches!(kind, HookKind::Setup | HookKind::Teardown));
    around.filter(|_| first == Some(command)).collect()
}

fn pass_on(
    turn: &Turn<'_>,
    commands: &[LaunchCase],
    finished: Finished,
    seeds: usize,
    progress: &Progress,
    outcomes: &mut InOrder<'_>,
) -> ControlFlow<()> {
    let part = turn.tool * seeds + turn.seed;
    let command = commands[turn.number / seeds].benchmark;
    if let Some(kept) = finished.kept {
        let name = turn.benchmark.name();
        progress.suspend(|| eprintln!("note: the sandbox of {name} is {}", kept.display()));
    }
    for (index, outcome) in [(command, finished.outcome)].into_iter().chain(finished.hooks) {
        progress.suspend(|| outcomes.push(index, part, outcome))?;
        progress.ended(turn.number);
    }
    ControlFlow::Continue(())
}
