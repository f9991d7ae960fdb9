//! The progress line on a terminal, and notes about benchmarks that take long.

use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use iai_callgrind_base::console::one_line;
use iai_callgrind_process::spawn;
use indicatif::{ProgressBar, ProgressStyle};

use super::event::Event;
use super::note::Note;
use super::slow::SlowBenchmarks;

/// The time between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// The time between two notes about the progress where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a run. It is invisible if the standard error is not a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    active: Arc<Active>,
    watcher: Option<JoinHandle<()>>,
}

/// The active benchmarks, `None` at the end of the run, and a condition that signals changes.
struct Active(Mutex<Option<SlowBenchmarks>>, Condvar);

impl Progress {
    /// Shows the progress of this many measurements.
    pub(super) fn new(measurements: usize) -> Self {
        let bar = ProgressBar::new(measurements as u64);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg} {elapsed}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.set_message("starting Valgrind");
        let (ticking, suspended) = (bar.clone(), bar.clone());
        iai_callgrind_base::note::suspend_with(Some(Box::new(move |print| {
            suspended.suspend(print);
        })));
        let active = Arc::new(Active(Mutex::new(Some(SlowBenchmarks::default())), Condvar::new()));
        let shared = Arc::clone(&active);
        // The bar's own thread would panic if it can't start
        let watcher = spawn(move || shared.watch(&ticking)).ok();
        Self { bar, active, watcher }
    }

    /// Updates the line, and passes on other events while it is hidden.
    pub(super) fn receive(&self, event: &Event<'_>, pass: impl FnOnce()) {
        match event {
            Event::Started { id, benchmark } => {
                let title = benchmark.title_in_text();
                self.bar.set_message(one_line(&title).into_owned());
                self.active.change(|active| active.start(*id, title, Instant::now()));
            }
            Event::SlowCode { finished, next, location } => {
                self.bar.set_message(one_line(location).into_owned());
                self.active.change(|active| {
                    active.pass(finished, *next, (*location).to_owned(), Instant::now());
                });
            }
            Event::Ended { id } => {
                self.bar.inc(1);
                self.active.change(|active| active.end(*id));
            }
            Event::Timing { benchmark, spent } => {
                let title = benchmark.title_in_text();
                self.bar.set_message(one_line(&title).into_owned());
                let spent = spent.as_secs();
                // A benchmark can need more time than it has
                self.bar.set_length(self.bar.length().unwrap_or_default().max(spent));
                self.bar.set_position(spent);
            }
            Event::Selected { .. }
            | Event::Finished(_)
            | Event::Timed { .. }
            | Event::SameCode { .. }
            | Event::Failed { .. }
            | Event::HookFailed(_) => {
                self.bar.suspend(pass);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.active.0.lock().unwrap() = None;
        self.active.1.notify_all();
        let _ = self.watcher.take().map(JoinHandle::join);
        iai_callgrind_base::note::suspend_with(None);
        self.bar.finish_and_clear();
    }
}

impl Active {
    fn change(&self, change: impl FnOnce(&mut SlowBenchmarks)) {
        self.0.lock().unwrap().as_mut().map(change);
        self.1.notify_all();
    }

    /// Turns the spinner, and prints notes about slow benchmarks, until the end of the run.
    fn watch(&self, bar: &ProgressBar) {
        let started = Instant::now();
        let mut next_line = started + INTERVAL;
        let mut active = self.0.lock().unwrap();
        while let Some(benchmarks) = active.as_mut() {
            let now = Instant::now();
            benchmarks.each_due(now, |note| note.print());
            if bar.is_hidden() && now >= next_line {
                next_line = now + INTERVAL;
                let (done, all) = (bar.position(), bar.length().unwrap_or_default());
                Note::Progress { done, all, elapsed: now - started }.print();
            }
            let next = if bar.is_hidden() { next_line } else { now + TICK };
            let next = benchmarks.next_note().map_or(next, |note| note.min(next));
            bar.tick();
            let waited = self.1.wait_timeout(active, next.saturating_duration_since(now));
            active = waited.unwrap().0;
        }
    }
}
