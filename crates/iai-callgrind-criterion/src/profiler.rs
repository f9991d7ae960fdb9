//! Profilers in the process of the benchmarks. Counts do not use them: callgrind profiles each benchmark.

use std::path::Path;
#[cfg(feature = "profilers")]
use std::path::PathBuf;

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

/// Profiles a benchmark until it is dropped.
#[cfg(feature = "profilers")]
pub(crate) struct Profile<'a> {
    profiler: &'a mut dyn Profiler,
    id: &'a str,
    directory: PathBuf,
}

/// Starts to profile a benchmark with this name.
#[cfg(feature = "profilers")]
pub(crate) fn profile<'a>(profiler: &'a mut dyn Profiler, id: &'a str) -> Profile<'a> {
    let executable = std::env::current_exe().unwrap_or_default();
    // target/release/deps/name
    let directory = directory(executable.ancestors().nth(3).unwrap_or(Path::new("")), id);
    profiler.start_profiling(id, &directory);
    Profile { profiler, id, directory }
}

#[cfg(feature = "profilers")]
impl Drop for Profile<'_> {
    fn drop(&mut self) {
        self.profiler.stop_profiling(self.id, &self.directory);
    }
}

/// Returns the directory for the files of a profiler, in the directory of all builds.
#[cfg(feature = "profilers")]
fn directory(target: &Path, id: &str) -> PathBuf {
    let name = |part: &str| part.replace(['?', '"', '\\', '*', '<', '>', ':', '|', '^'], "_");
    let parts = id.split('/').filter(|part| !["", ".", ".."].contains(part));
    target.join("criterion").join(parts.map(name).collect::<PathBuf>()).join("profile")
}

#[cfg(all(test, feature = "profilers"))]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_the_directory_of_the_builds() {
        for (id, expected) in [
            ("fibonacci/recursive/20", "target/criterion/fibonacci/recursive/20/profile"),
            ("a::b?", "target/criterion/a__b_/profile"),
            ("../../x", "target/criterion/x/profile"),
        ] {
            assert_eq!(directory(Path::new("target"), id), Path::new(expected));
        }
    }
}
