//! The line on a terminal that shows what runs. It is on stderr; there is none when that is a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::benchmark::Benchmark;

/// The progress of a run.
pub(crate) struct Progress(ProgressBar);

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
        Self(bar)
    }

    /// This benchmark has started.
    pub(crate) fn started(&self, benchmark: &Benchmark) {
        self.0.set_message(benchmark.to_string());
    }

    /// A benchmark has ended.
    pub(crate) fn ended(&self) {
        self.0.inc(1);
    }

    /// Hides the line while something else prints.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
