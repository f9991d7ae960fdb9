//! The line on a terminal that shows what runs; there is none when the standard error is a pipe. And, there
//! too, notices of what takes long.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::slow::Slow;

/// The progress of a run.
pub(crate) struct Progress {
    bar: ProgressBar,
    running: Arc<Running>,
    watcher: Option<JoinHandle<()>>,
}

/// What runs; none when the run has ended. The condition tells of changes.
struct Running(Mutex<Option<Slow>>, Condvar);

impl Progress {
    /// The progress of this many benchmarks.
    pub(crate) fn new(benchmarks: usize) -> Self {
        let bar = ProgressBar::new(benchmarks as u64);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg} {elapsed}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.set_message("starting Valgrind");
        bar.enable_steady_tick(Duration::from_millis(100));
        let running = Arc::new(Running(Mutex::new(Some(Slow::default())), Condvar::new()));
        let watcher = {
            let (running, bar) = (Arc::clone(&running), bar.clone());
            thread::spawn(move || running.watch(&bar))
        };
        Self { bar, running, watcher: Some(watcher) }
    }

    /// A benchmark with this title has started. What runs at the same time has other numbers.
    pub(crate) fn started(&self, number: usize, title: String) {
        self.bar.set_message(title.clone());
        self.running.change(|running| running.started(number, title, Instant::now()));
    }

    /// The benchmark with this number has ended.
    pub(crate) fn ended(&self, number: usize) {
        self.bar.inc(1);
        self.running.change(|running| running.ended(number));
    }

    /// Hides the line while something else prints.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.running.lock() = None;
        self.running.1.notify_all();
        let _ = self.watcher.take().map(JoinHandle::join);
        self.bar.finish_and_clear();
    }
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, Option<Slow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Slow)) {
        self.lock().as_mut().map(change);
        self.1.notify_all();
    }

    /// Tells what takes long, until the run has ended.
    fn watch(&self, bar: &ProgressBar) {
        let mut running = self.lock();
        while let Some(slow) = running.as_mut() {
            let now = Instant::now();
            for notice in slow.notices(now) {
                bar.suspend(|| eprintln!("{notice}"));
            }
            let left =
                slow.next().map_or(Duration::MAX, |next| next.saturating_duration_since(now));
            let waited = self.1.wait_timeout(running, left);
            running = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
