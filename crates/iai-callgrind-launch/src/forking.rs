//! Runs the cases of a launch in children of fork servers.
//!
//! A case can end its server. Then another server starts without this case. If several cases ran at
//! that time, each runs alone to find the culprit. Cases with more threads than the server's
//! processes can have run again in another server.

use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use iai_callgrind_process::FIRST_ID;
use iai_callgrind_tools::valgrind::ThreadLimit;
use iai_callgrind_tools::valgrind::log::ReadLogs;

use crate::cases::{CaseEnd, CaseEvent, Killed, LaunchCases, NotReached};
use crate::error::{LaunchError, Result};
use crate::namespaces::{Namespaces, files_of_launch};
use crate::server::Server;
use crate::turns::{LostCase, ServerRun, Turns};

/// Receives events. Returns `false` to stop the run.
type Receiver<'a> = &'a mut (dyn FnMut(CaseEvent) -> bool + Send);

/// The outcome of the cases for the children of a fork server.
pub(crate) enum Forked {
    /// All are finished, except for those that run `alone`.
    Complete { alone: Vec<usize> },
    /// The server ended with this status before it ran a case.
    ServerEnded(Option<ExitStatus>),
}

/// Runs all cases in children of a fork server.
pub(crate) fn execute_forked(cases: &LaunchCases<'_>, send: Receiver<'_>) -> Result<Forked> {
    let mut forking = Forking::new(cases, send);
    while let Some(batch) = forking.next_batch() {
        if let Some(end) = forking.run(&batch)? {
            return Ok(end);
        }
    }
    let alone = if forking.events.is_continued { forking.alone } else { Vec::new() };
    Ok(Forked::Complete { alone })
}

/// Cases that one server runs.
struct Batch {
    cases: Vec<usize>,
    /// Maximum number of parallel cases.
    jobs: usize,
}

/// The end of a server before all of its cases were finished.
struct Lost<'a> {
    batch: &'a Batch,
    run: ServerRun,
    cases: Vec<LostCase>,
    /// The directory of the tool's files about the server.
    files: PathBuf,
}

/// The cases that have not ended yet.
struct Forking<'a, 'c> {
    cases: &'a LaunchCases<'c>,
    events: Events<'a>,
    waiting: Vec<usize>,
    /// The cases of which one ended its server.
    suspects: Vec<usize>,
    /// The cases that can't be forked.
    alone: Vec<usize>,
    fixed_ids: bool,
}

impl<'a, 'c> Forking<'a, 'c> {
    fn new(cases: &'a LaunchCases<'c>, send: Receiver<'a>) -> Self {
        Self {
            cases,
            events: Events::new(cases.staging, send),
            waiting: (0..cases.starts.len()).collect(),
            suspects: Vec::new(),
            alone: Vec::new(),
            fixed_ids: cases.fixed_ids,
        }
    }

    /// Returns the cases for the next server: a suspect, or all others.
    fn next_batch(&mut self) -> Option<Batch> {
        if !self.events.is_continued {
            return None;
        }
        if let Some(suspect) = self.suspects.pop() {
            return Some(Batch { cases: vec![suspect], jobs: 1 });
        }
        let mut cases = std::mem::take(&mut self.waiting);
        // A walk comes to them in this order
        cases.sort_unstable();
        (!cases.is_empty()).then_some(Batch { cases, jobs: self.cases.jobs })
    }

    /// Runs cases in a server. Returns an outcome if no other server can run the rest.
    fn run(&mut self, batch: &Batch) -> Result<Option<Forked>> {
        let (server, files) = self.start(batch)?;
        let mut send = |event| self.events.send(event);
        let mut run = Turns::new(server, self.cases, &mut send).run(&batch.cases, batch.jobs)?;
        self.waiting.append(&mut run.to_repeat);
        self.alone.append(&mut run.alone);
        if !self.events.crowded.is_empty() {
            self.events.threads = ThreadLimit::Default;
            self.waiting.append(&mut self.events.crowded);
        }
        let lost = run.lost.take();
        if run.is_not_isolated {
            log::info!("processes have the ids of the system, because a server can't enter others");
            self.fixed_ids = false;
            if lost.is_none() {
                self.waiting.extend(&batch.cases[run.passed..]);
            }
        }
        let Some(cases) = lost else { return Ok(None) };
        self.find_culprit(Lost { batch, run, cases, files })
    }

    /// Starts a server, whose children have namespaces of processes if the system allows them.
    /// Returns the server and the directory of the tool's files.
    fn start(&mut self, batch: &Batch) -> Result<(Server, PathBuf)> {
        if self.fixed_ids {
            let jobs = batch.jobs.min(batch.cases.len());
            let namespaces = Namespaces::create(self.cases.staging, jobs);
            // It can be the last one that the system allows, too
            match namespaces.map(|namespaces| self.start_in(Some(namespaces))) {
                Some(Ok(started)) => return Ok(started),
                Some(Err(error)) => log::info!("a server can't start in its namespaces: {error}"),
                None => {}
            }
            self.fixed_ids = false;
        }
        self.start_in(None)
    }

    /// Starts a server, with namespaces if they are given.
    fn start_in(&self, namespaces: Option<Namespaces>) -> Result<(Server, PathBuf)> {
        let LaunchCases { command, staging, .. } = *self.cases;
        let files = match &namespaces {
            Some(_) => files_of_launch(staging)?,
            None => staging.to_owned(),
        };
        let start = |namespaces| {
            Server::start(&mut command(self.events.threads, &files)?, self.cases, namespaces)
        };
        let mut server = start(namespaces)?;
        // For a child with the same id, Valgrind would not open another log
        let is_same = server.process.id() == FIRST_ID;
        if let Some(namespaces) = server.namespaces.take_if(|_| is_same) {
            server.process.kill();
            let other = start(Some(namespaces));
            // Its id was taken until now
            server.end();
            server = other?;
        }
        Ok((server, files))
    }

    /// Decides which cases ended with their server, and which run again.
    fn find_culprit(&mut self, lost: Lost<'_>) -> Result<Option<Forked>> {
        if self.is_crowded(&lost) {
            self.events.threads = ThreadLimit::Default;
            self.waiting.extend(lost.cases.iter().map(|lost| lost.case));
            self.waiting.extend(&lost.batch.cases[lost.run.passed..]);
            return Ok(None);
        }
        if lost.run.passed == 0 && lost.run.blocked.is_none() {
            if lost.run.is_foreign {
                return Err(LaunchError::ForeignMessage.into());
            }
            return Ok(Some(Forked::ServerEnded(lost.run.status)));
        }
        let culprit = lost.culprit();
        let Lost { batch, run, cases, .. } = lost;
        for lost in cases {
            let case = lost.case;
            match lost.end(run.status.unwrap_or_default(), culprit.clone()) {
                Some(end) => _ = self.events.send(CaseEvent::Ended(end)),
                None => self.suspects.push(case),
            }
        }
        let rest = &batch.cases[run.passed..];
        let Some(exceeded) = run.blocked else {
            // They were waiting for one that started
            self.waiting.extend(rest);
            return Ok(None);
        };
        // Another walk would not get further
        let reasons = iter::once(NotReached::Exceeded(exceeded))
            .chain(iter::repeat_with(|| NotReached::Behind));
        for (&case, reason) in rest.iter().zip(reasons) {
            self.events.send(CaseEvent::NotReached { case, reason });
        }
        Ok(None)
    }

    /// Returns `true` if the server ended because its processes can have too few threads.
    fn is_crowded(&mut self, lost: &Lost<'_>) -> bool {
        let is_exceeded =
            lost.run.blocked.is_some() || lost.cases.iter().any(|lost| lost.exceeded.is_some());
        let isolated = lost.cases.iter().filter_map(|lost| lost.isolated.as_ref());
        let mut files = iter::once(&lost.files).chain(isolated.map(|isolated| &isolated.files));
        !is_exceeded && files.any(|files| self.events.lacks_threads(files))
    }
}

impl Lost<'_> {
    /// Returns why the only running case was killed, if it certainly ended the server. The server
    /// can also have ended because of itself, or of the case before.
    fn culprit(&self) -> Option<Killed> {
        let has_started = |lost: &LostCase| lost.pid.is_some() || self.batch.cases.len() == 1;
        let is_known = self.batch.jobs == 1
            && self.run.blocked.is_none()
            && matches!(&*self.cases, [one] if has_started(one));
        let status = self.run.status.filter(|_| is_known)?;
        Some(if self.run.is_foreign {
            Killed::ForForeignMessage
        } else {
            Killed::WithServer { status }
        })
    }
}

/// Forwards the events of cases. Cases that run again are reported once.
struct Events<'a> {
    staging: &'a Path,
    send: Receiver<'a>,
    is_continued: bool,
    /// The cases that have started.
    known: HashSet<usize>,
    threads: ThreadLimit,
    /// The cases that need more threads.
    crowded: Vec<usize>,
    logs: ReadLogs,
}

impl<'a> Events<'a> {
    fn new(staging: &'a Path, send: Receiver<'a>) -> Self {
        Self {
            staging,
            send,
            is_continued: true,
            known: HashSet::new(),
            threads: ThreadLimit::Small,
            crowded: Vec::new(),
            logs: ReadLogs::default(),
        }
    }

    /// Sends an event unless the case runs again. Returns `false` to stop the run.
    fn send(&mut self, event: CaseEvent) -> bool {
        let is_new = match &event {
            CaseEvent::Ended(end)
                if is_failed(end) && self.lacks_threads(end.files(self.staging)) =>
            {
                self.crowded.push(end.case);
                false
            }
            CaseEvent::Started(case) => self.known.insert(*case),
            _ => true,
        };
        self.is_continued = self.is_continued && (!is_new || (self.send)(event));
        self.is_continued
    }

    /// Returns `true` if a case needs more threads than its server's processes have, by the tool's files in this directory.
    fn lacks_threads(&mut self, files: &Path) -> bool {
        self.threads == ThreadLimit::Small
            && (!self.crowded.is_empty() || self.logs.have_too_many_threads(files))
    }
}

/// Returns `true` if the case failed by itself.
fn is_failed(end: &CaseEnd) -> bool {
    end.killed.is_none() && !end.status.success()
}
