//! Runs the cases of a launch in processes of the benchmark executable.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use iai_callgrind_process::spawn_scoped;
use iai_callgrind_tools::valgrind::ThreadLimit;
use iai_callgrind_tools::valgrind::log::ReadLogs;

use crate::captured::{Captured, capture_number};
use crate::cases::{CaseEnd, CaseEvent, Executor, Killed, LaunchCases, LaunchEnd, NotReached};
use crate::error::{LaunchError, Result};
use crate::namespaces::{Isolated, Namespaces, files_of_launch, of_single};
use crate::server::{AloneCase, LostCase, Server};

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

/// The end of the cases that were to run in children of a fork server.
enum Forked {
    /// All came to their end, except for those that run `alone`.
    Complete { alone: Vec<usize> },
    /// The server ended with this status before it ran a case.
    ServerEnded(Option<ExitStatus>),
}

/// Runs all cases in children of a fork server.
///
/// A case can end the server. It starts again then, without this case. If several ran at that time, each runs alone
/// to find the one. Cases that start more threads than the server's processes can have run again in another server.
fn execute_forked(
    cases: &LaunchCases<'_>,
    send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
) -> Result<Forked> {
    let LaunchCases { starts, places, staging, jobs, .. } = *cases;
    let fixed_ids = Cell::new(cases.fixed_ids);
    let mut waiting: Vec<_> = (0..starts.len()).collect();
    let (mut suspects, mut known) = (Vec::new(), HashSet::new());
    let mut all_alone = Vec::new();
    let is_continued = Cell::new(true);
    let (threads, crowded) = (Cell::new(ThreadLimit::Small), RefCell::new(Vec::new()));
    let logs = RefCell::new(ReadLogs::default());
    let lacks_threads = |files: &Path| {
        threads.get() == ThreadLimit::Small
            && (!crowded.borrow().is_empty() || logs.borrow_mut().have_too_many_threads(files))
    };
    let mut send = |event| {
        match &event {
            CaseEvent::Ended(end) if is_failed(end) && lacks_threads(end.files(staging)) => {
                crowded.borrow_mut().push(end.case);
                return is_continued.get();
            }
            _ => {}
        }
        // A case that runs again has been reported
        let is_new = !matches!(event, CaseEvent::Started(case) if !known.insert(case));
        is_continued.set(is_continued.get() && (!is_new || send(event)));
        is_continued.get()
    };
    while is_continued.get() && !(waiting.is_empty() && suspects.is_empty()) {
        // A walk comes to them in this order
        waiting.sort_unstable();
        let (batch, jobs) = match suspects.pop() {
            Some(suspect) => (vec![suspect], 1),
            None => (std::mem::take(&mut waiting), jobs),
        };
        let namespaces = || Namespaces::create(staging, jobs.min(batch.len()));
        let namespaces = fixed_ids.get().then(namespaces).flatten();
        let (mut server, files) = start(cases, threads.get(), namespaces)?;
        let run = server.run(&batch, starts, places, jobs, &mut send)?;
        let status = server.end();
        waiting.extend(run.to_repeat);
        all_alone.extend(run.alone);
        if !crowded.borrow().is_empty() {
            threads.set(ThreadLimit::Default);
            waiting.append(&mut crowded.borrow_mut());
        }
        if run.is_not_isolated {
            log::info!("processes have the ids of the system, because a server can't enter others");
            fixed_ids.set(false);
            if run.lost.is_none() {
                waiting.extend(&batch[run.passed..]);
            }
        }
        let Some(lost) = run.lost else { continue };
        let is_exceeded = run.blocked.is_some() || lost.iter().any(|lost| lost.exceeded.is_some());
        let mut isolated = lost.iter().filter_map(|lost| lost.isolated.as_ref());
        let is_crowded =
            lacks_threads(&files) || isolated.any(|isolated| lacks_threads(&isolated.files));
        if !is_exceeded && is_crowded {
            threads.set(ThreadLimit::Default);
            waiting.extend(lost.iter().map(|lost| lost.case));
            waiting.extend(&batch[run.passed..]);
            continue;
        }
        if run.passed == 0 && run.blocked.is_none() {
            if run.is_foreign {
                return Err(LaunchError::ForeignMessage.into());
            }
            return Ok(Forked::ServerEnded(status));
        }
        // The server can have ended because of itself, or of the one before
        let has_started = |lost: &LostCase| lost.pid.is_some() || batch.len() == 1;
        let is_known =
            jobs == 1 && run.blocked.is_none() && matches!(&*lost, [one] if has_started(one));
        let culprit = status.filter(|_| is_known).map(|status| {
            if run.is_foreign { Killed::ForForeignMessage } else { Killed::WithServer { status } }
        });
        for lost in lost {
            let case = lost.case;
            match lost.end(status.unwrap_or_default(), culprit.clone()) {
                Some(end) => _ = send(CaseEvent::Ended(end)),
                None => suspects.push(case),
            }
        }
        let rest = &batch[run.passed..];
        match run.blocked {
            // The others were waiting for one that started
            None => waiting.extend(rest),
            // Another walk would not get further
            Some(exceeded) => {
                let reasons = iter::once(NotReached::Exceeded(exceeded))
                    .chain(iter::repeat_with(|| NotReached::Behind));
                for (&case, reason) in rest.iter().zip(reasons) {
                    send(CaseEvent::NotReached { case, reason });
                }
            }
        }
    }
    if !is_continued.get() {
        all_alone.clear();
    }
    Ok(Forked::Complete { alone: all_alone })
}

/// Starts a fork server whose children have these namespaces, if there are some. Returns it with the directory of the tool's
/// files.
fn start(
    cases: &LaunchCases<'_>,
    threads: ThreadLimit,
    namespaces: Option<Namespaces>,
) -> Result<(Server, PathBuf)> {
    let LaunchCases { command, staging, limit, foreign_ids, isolation, .. } = *cases;
    let files = match &namespaces {
        Some(_) => files_of_launch(staging)?,
        None => staging.to_owned(),
    };
    let mut command = command(threads, &files)?;
    let server = Server::start(&mut command, limit, foreign_ids, isolation, namespaces)?;
    Ok((server, files))
}

/// Returns `true` if the case failed by itself.
fn is_failed(end: &CaseEnd) -> bool {
    end.killed.is_none() && !end.status.success()
}

/// Runs each of these cases in the process that Valgrind starts.
fn execute_separately(
    cases: &LaunchCases<'_>,
    indexes: Vec<usize>,
    send: &mut (dyn FnMut(CaseEvent) -> bool + Send),
) -> Result<LaunchEnd> {
    let LaunchCases {
        command, starts, places, staging, jobs, limit, foreign_ids, isolation, ..
    } = *cases;
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
            let server =
                Server::start_in(&mut command, limit, foreign_ids, isolation, namespace.as_ref())?;
            if !send(CaseEvent::Started(case)) {
                break;
            }
            let reached = Captured::of_case(staging, case).file("stdout");
            let alone =
                AloneCase { case, enter, start: starts[case], in_parallel: jobs > 1, reached };
            let Some(mut ended) = server.run_itself(alone, &mut |event| send(event)) else {
                return Ok(LaunchEnd::ServerEnded(None));
            };
            if let (CaseEvent::Ended(end), Some(namespace)) = (&mut ended, &namespace) {
                end.isolated = Some(Isolated::of_single(namespace, files));
            }
            if let CaseEvent::NotReached { reason: reason @ NotReached::Exceeded(_), .. } =
                &mut ended
            {
                // The code before an earlier case was on the way of this walk too
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
