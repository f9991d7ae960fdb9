//! Runs the cases of a launch in processes of the benchmark executable.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use iai_callgrind_process::spawn_scoped;
use iai_callgrind_tools::valgrind::ThreadLimit;

use crate::alone::AloneCase;
use crate::captured::capture_number;
use crate::cases::{CaseEvent, Executor, LaunchCases, LaunchEnd, NotReached};
use crate::error::Result;
use crate::forking::{Forked, execute_forked};
use crate::namespaces::{Isolated, of_single};
use crate::server::Server;
use crate::turns::Turns;

/// Runs cases under Valgrind.
pub struct ValgrindExecutor;

impl Executor for ValgrindExecutor {
    fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
    ) -> Result<LaunchEnd> {
        if cases.own_process {
            return execute_separately(&cases, (0..cases.starts.len()).collect(), send);
        }
        match execute_forked(&cases, send)? {
            Forked::Complete { alone } if alone.is_empty() => Ok(LaunchEnd::Complete),
            Forked::Complete { alone } => execute_separately(&cases, alone, send),
            Forked::ServerEnded(status) => Ok(LaunchEnd::ServerEnded(status)),
        }
    }
}

/// Runs each of these cases in the process that Valgrind starts.
fn execute_separately(
    cases: &LaunchCases<'_>,
    indexes: Vec<usize>,
    send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
) -> Result<LaunchEnd> {
    let LaunchCases { command, starts, places, staging, jobs, .. } = *cases;
    let jobs = jobs.min(indexes.len());
    // The first case that no walk reaches within the limit
    let blocked = AtomicUsize::new(usize::MAX);
    let waiting = Mutex::new(indexes.into_iter());
    let send = Mutex::new(send);
    let next = || waiting.lock().unwrap().next();
    let send = |event| send.lock().unwrap()(event);
    let worker = || {
        while let Some(case) = next() {
            if case > blocked.load(Ordering::Relaxed) {
                send(CaseEvent::NotReached { case, reason: NotReached::Behind });
                continue;
            }
            let enter = match places.create(case) {
                Ok(enter) => enter,
                Err(error) => {
                    if send(CaseEvent::Failed(case, error)) {
                        continue;
                    }
                    break;
                }
            };
            let (namespace, files) = of_single(cases.fixed_ids, staging, capture_number(case))?;
            let mut command = command(ThreadLimit::Default, &files)?;
            let server = Server::start_in(&mut command, cases, namespace.as_ref())?;
            if !send(CaseEvent::Started(case)) {
                break;
            }
            let alone = AloneCase { case, enter, start: starts[case], in_parallel: jobs > 1 };
            let mut send = |event| send(event);
            let turns = Turns::new(server, cases, &mut send);
            let Some(mut ended) = turns.run_itself(alone) else {
                return Ok(LaunchEnd::ServerEnded(None));
            };
            if let (CaseEvent::Ended(end), Some(namespace)) = (&mut ended, &namespace) {
                end.isolated = Some(Isolated::of_single(namespace, files));
            }
            if let CaseEvent::NotReached { reason: reason @ NotReached::Exceeded(_), .. } =
                &mut ended
            {
                // This walk also passes the code before an earlier case
                if blocked.fetch_min(case, Ordering::Relaxed) < case {
                    *reason = NotReached::Behind;
                }
            }
            send(ended);
        }
        Ok(LaunchEnd::Complete)
    };
    thread::scope(|scope| {
        let workers = (0..jobs).map(|_| spawn_scoped(scope, worker));
        let workers = workers.collect::<Result<Vec<_>, _>>()?;
        let ends = workers.into_iter().map(|worker| worker.join().unwrap());
        let ends = ends.collect::<Result<Vec<_>>>()?;
        let failed = ends.into_iter().find(|end| matches!(end, LaunchEnd::ServerEnded(_)));
        Ok(failed.unwrap_or(LaunchEnd::Complete))
    })
}
