//! Profilers, as far as files name them. Counts do not use them: callgrind profiles each benchmark.

use std::path::Path;

/// A profiler that runs in the process of the benchmarks.
pub trait Profiler {
    /// Starts before a benchmark.
    fn start_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path);

    /// Stops after a benchmark.
    fn stop_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path);
}

/// A profiler outside of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExternalProfiler;

impl Profiler for ExternalProfiler {
    fn start_profiling(&mut self, _: &str, _: &Path) {}

    fn stop_profiling(&mut self, _: &str, _: &Path) {}
}
