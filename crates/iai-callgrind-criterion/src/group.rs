//! Groups of benchmarks.

use std::time::Duration;

use crate::id::IntoBenchmarkId;
use crate::measurement::WallTime;
use crate::{Bencher, Criterion, PlotConfiguration, SamplingMode, Throughput};

/// Benchmarks with a common name, which is the name of their group in the results.
#[derive(Debug)]
pub struct BenchmarkGroup<'a, M = WallTime> {
    criterion: &'a mut Criterion<M>,
    name: String,
    throughput: Option<Throughput>,
}

/// Declares the methods that have no effect on counts.
macro_rules! without_effect {
    ($($(#[doc = $text:literal])* $name:ident($type:ty);)+) => {$(
        $(#[doc = $text])*
        ///
        /// Without effect on counts.
        pub fn $name(&mut self, _: $type) -> &mut Self {
            self
        }
    )+};
}

impl<M> Criterion<M> {
    /// Starts a group of benchmarks.
    ///
    /// # Panics
    ///
    /// Panics if the name is empty.
    pub fn benchmark_group<S: Into<String>>(&mut self, group_name: S) -> BenchmarkGroup<'_, M> {
        let name = group_name.into();
        assert!(!name.is_empty(), "the name of a group must not be empty");
        BenchmarkGroup { criterion: self, name, throughput: None }
    }
}

impl<M> BenchmarkGroup<'_, M> {
    /// Runs a benchmark.
    pub fn bench_function<ID: IntoBenchmarkId, F: FnMut(&mut Bencher<'_, M>)>(
        &mut self,
        id: ID,
        f: F,
    ) -> &mut Self {
        let id = id.into_benchmark_id();
        let text = id.text();
        let external_id =
            if text.is_empty() { self.name.clone() } else { format!("{}/{text}", self.name) };
        self.criterion.reach(&self.name, &id, &external_id, self.throughput, f);
        self
    }

    /// Runs a benchmark with an input.
    pub fn bench_with_input<ID: IntoBenchmarkId, F: FnMut(&mut Bencher<'_, M>, &I), I: ?Sized>(
        &mut self,
        id: ID,
        input: &I,
        mut f: F,
    ) -> &mut Self {
        self.bench_function(id, |bencher| f(bencher, input))
    }

    /// Sets the bytes or elements that the following benchmarks process.
    pub fn throughput(&mut self, throughput: Throughput) -> &mut Self {
        self.throughput = Some(throughput);
        self
    }

    /// Ends the group.
    pub fn finish(self) {}

    without_effect! {
        /// Sets the number of samples.
        sample_size(usize);
        /// Sets the time before the first sample.
        warm_up_time(Duration);
        /// Sets the time for all samples.
        measurement_time(Duration);
        /// Sets the number of resamples.
        nresamples(usize);
        /// Sets the relative difference that is taken for noise.
        noise_threshold(f64);
        /// Sets the confidence level of intervals.
        confidence_level(f64);
        /// Sets the significance level of tests.
        significance_level(f64);
        /// Configures the plot of the group.
        plot_config(PlotConfiguration);
        /// Sets the distribution of the samples.
        sampling_mode(SamplingMode);
    }
}
