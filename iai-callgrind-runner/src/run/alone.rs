//! Cases that run in a process of their own from its start on, each under a Valgrind of its own.

use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use iai_callgrind_plan::protocol::Start;

use super::server::{Complete, Event, Server};
use crate::error::Result;

/// Runs these cases, each by the command at its place, `jobs` at once, and tells each event. Each may
/// take as long as the limit. No more of them start once `tell` says false.
pub(super) fn run_alone(
    commands: Vec<Command>,
    cases: &[Start],
    (jobs, limit): (usize, Option<Duration>),
    tell: impl FnMut(Event) -> bool + Send,
) -> Result<Complete> {
    let waiting = Mutex::new(commands.into_iter().zip(cases).enumerate());
    let tell = Mutex::new(tell);
    // A thread that panics ends the run by itself
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
    let tell = |event| tell.lock().is_ok_and(|mut tell| tell(event));
    let worker = || {
        while let Some((case, (command, start))) = next() {
            let server = Server::start(command, limit)?;
            if !tell(Event::Started(case)) {
                break;
            }
            let Some(ended) = server.run_itself(case, *start) else {
                return Ok(Complete::No(None));
            };
            tell(Event::Ended(ended));
        }
        Ok(Complete::Yes)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        let ends = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let ends = ends.collect::<Result<Vec<_>>>()?;
        let failed = ends.into_iter().find(|end| matches!(end, Complete::No(_)));
        Ok(failed.unwrap_or(Complete::Yes))
    })
}
