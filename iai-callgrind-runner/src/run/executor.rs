//! Runs the cases of a launch in processes of the benchmark executable.

use std::sync::Mutex;
use std::thread;

use super::cases::{CaseEvent, Executor, LaunchCases, LaunchEnd};
use super::server::{Server, capture_number};
use crate::error::Result;

/// Runs cases under Valgrind.
pub(crate) struct ValgrindExecutor;

impl Executor for ValgrindExecutor {
    fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> Result<LaunchEnd> {
        if cases.own_process {
            return execute_separately(cases, send);
        }
        let LaunchCases { commands, starts, places, jobs, timeout, .. } = cases;
        for command in commands {
            let mut server = Server::start(command, timeout)?;
            let complete = server.run(starts, places, jobs, &mut *send);
            let status = server.end();
            if complete.is_none() {
                return Ok(LaunchEnd::ServerEnded(status));
            }
        }
        Ok(LaunchEnd::Complete)
    }
}

/// Runs each case in the process that Valgrind starts.
fn execute_separately(
    cases: LaunchCases<'_>,
    send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
) -> Result<LaunchEnd> {
    let LaunchCases { commands, starts, places, jobs, timeout, .. } = cases;
    let waiting = Mutex::new(commands.into_iter().zip(starts).enumerate());
    let send = Mutex::new(send);
    // A poisoned lock means a panic of another worker, which ends the run
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
    let send = |event| send.lock().is_ok_and(|mut send| send(event));
    let worker = || {
        while let Some((case, (command, start))) = next() {
            let enter = match places.create(case, capture_number(case)) {
                Ok(enter) => enter,
                Err(error) => {
                    if send(CaseEvent::Failed(case, error)) {
                        continue;
                    }
                    break;
                }
            };
            let server = Server::start(command, timeout)?;
            if !send(CaseEvent::Started(case)) {
                break;
            }
            let Some(ended) = server.run_itself(case, enter, *start) else {
                return Ok(LaunchEnd::ServerEnded(None));
            };
            send(CaseEvent::Ended(ended));
        }
        Ok(LaunchEnd::Complete)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        let ends = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let ends = ends.collect::<Result<Vec<_>>>()?;
        let failed = ends.into_iter().find(|end| matches!(end, LaunchEnd::ServerEnded(_)));
        Ok(failed.unwrap_or(LaunchEnd::Complete))
    })
}
