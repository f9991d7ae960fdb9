//! Groups of binary benchmarks that a function fills.

use iai_callgrind_plan::Config;

use super::{BinaryBenchmark, Run};
use crate::config::Sandbox;

/// Group of binary benchmarks that a function fills.
///
/// ```
/// # use iai_callgrind::{binary_benchmark_group, main};
/// use iai_callgrind::{Bench, BinaryBenchmark, BinaryBenchmarkGroup, Command};
///
/// binary_benchmark_group!(
///     name = listing;
///     benchmarks = |group: &mut BinaryBenchmarkGroup| {
///         group.binary_benchmark(
///             BinaryBenchmark::new("ls").bench(Bench::new("all").command(Command::new("ls").arg("-a"))),
///         );
///     }
/// );
///
/// main!(binary_benchmark_groups = listing);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BinaryBenchmarkGroup {
    /// Program of the runs without their own.
    pub(crate) program: Option<String>,
    pub(crate) config: Config,
    pub(crate) benchmarks: Vec<BinaryBenchmark>,
}

impl BinaryBenchmarkGroup {
    /// Adds a benchmark.
    pub fn binary_benchmark<T: Into<BinaryBenchmark>>(&mut self, benchmark: T) -> &mut Self {
        self.benchmarks.push(benchmark.into());
        self
    }

    /// Adds several benchmarks.
    pub fn binary_benchmarks<I, T>(&mut self, benchmarks: T) -> &mut Self
    where
        I: Into<BinaryBenchmark>,
        T: IntoIterator<Item = I>,
    {
        self.benchmarks.extend(benchmarks.into_iter().map(Into::into));
        self
    }

    /// Adds runs of a command. Their titles consist of the group's name and the ids of the runs.
    pub fn bench<T: Into<Run>>(&mut self, run: T) -> &mut Self {
        self.benchmarks.push(run.into().into_benchmark(self.program.as_deref()));
        self
    }

    /// Sets the [`Sandbox`] of the group's benchmarks and hooks, or switches it on and off with a `bool`.
    /// The default is `true`.
    pub fn sandbox<T: Into<Sandbox>>(&mut self, sandbox: T) -> &mut Self {
        let sandbox = sandbox.into();
        self.config.sandbox = Some(sandbox.is_enabled);
        self.config.fixtures.extend(sandbox.into_fixtures());
        self
    }
}
