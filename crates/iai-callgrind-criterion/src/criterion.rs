//! The object that benchmark functions get.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::thread;
use std::time::Duration;

use iai_callgrind_harness::__private::{Reached, note_panic, reach, unraw};
use iai_callgrind_plan::Config;

use crate::arguments;
use crate::id::IntoBenchmarkId;
use crate::measurement::WallTime;
#[cfg(feature = "profilers")]
use crate::profiler::{Profiler, profile};
use crate::{Bencher, BenchmarkId, PlottingBackend, Throughput};

// The code of a file's own `main` can print before it comes to the benchmarks
#[used]
#[cfg(unix)]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static INITIALIZER: extern "C" fn() = iai_callgrind_harness::__private::claim_pipes;

/// Runs benchmarks.
///
/// Settings about time, statistics and plots are accepted and have no effect on counts.
pub struct Criterion<M = WallTime> {
    /// Name of the group of the benchmarks that are in no [`BenchmarkGroup`](crate::BenchmarkGroup).
    group: &'static str,
    measurement: PhantomData<M>,
    #[cfg(feature = "profilers")]
    profiler: Option<Box<dyn Profiler>>,
}

impl<M> fmt::Debug for Criterion<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Criterion").field("group", &self.group).finish_non_exhaustive()
    }
}

impl Default for Criterion<WallTime> {
    fn default() -> Self {
        arguments::begin_walk();
        Self {
            group: "benches",
            measurement: PhantomData,
            #[cfg(feature = "profilers")]
            profiler: None,
        }
    }
}

/// A panic of `main` is an error of the file.
impl<M> Drop for Criterion<M> {
    fn drop(&mut self) {
        if thread::panicking() {
            note_panic();
        }
    }
}

/// Declares the methods that have no effect on counts.
macro_rules! without_effect {
    ($($(#[doc = $text:literal])* $name:ident($($type:ty),*);)+) => {$(
        $(#[doc = $text])*
        ///
        /// Without effect on counts.
        #[must_use]
        pub fn $name(self, $(_: $type),*) -> Self {
            self
        }
    )+};
}

impl<M> Criterion<M> {
    /// Sets the name of the group of the benchmarks that are in no [`BenchmarkGroup`](crate::BenchmarkGroup).
    #[doc(hidden)]
    #[must_use]
    pub fn __in_group(mut self, group: &'static str) -> Self {
        self.group = unraw(group);
        self
    }

    /// Runs a benchmark that is in no group.
    pub fn bench_function<F: FnMut(&mut Bencher<'_, M>)>(&mut self, id: &str, f: F) -> &mut Self {
        self.reach(self.group, &id.into_benchmark_id(), id, None, f);
        self
    }

    /// Runs a benchmark with an input that is in no group.
    pub fn bench_with_input<F: FnMut(&mut Bencher<'_, M>, &I), I: ?Sized>(
        &mut self,
        id: BenchmarkId,
        input: &I,
        mut f: F,
    ) -> &mut Self {
        self.reach(self.group, &id, &id.text(), None, |bencher| f(bencher, input));
        self
    }

    /// Measures something else than time. Without effect: counts are those of the tools. The type can implement the trait of
    /// the real Criterion.
    #[must_use]
    #[cfg_attr(not(feature = "profilers"), expect(unused_mut, reason = "the profiler is moved"))]
    pub fn with_measurement<M2>(mut self, _: M2) -> Criterion<M2> {
        Criterion {
            group: self.group,
            measurement: PhantomData,
            #[cfg(feature = "profilers")]
            profiler: self.profiler.take(),
        }
    }

    /// Profiles the benchmarks with `--profile-time`. Counts do not use the profiler.
    #[cfg(feature = "profilers")]
    #[must_use]
    pub fn with_profiler<P: Profiler + 'static>(mut self, profiler: P) -> Self {
        self.profiler = Some(Box::new(profiler));
        self
    }

    /// Profiles the benchmarks. Without effect: that needs the feature `profilers`. The type can implement the trait of the real
    /// Criterion.
    #[cfg(not(feature = "profilers"))]
    #[must_use]
    pub fn with_profiler<P: 'static>(self, _: P) -> Self {
        arguments::note_unused_profiler();
        self
    }

    /// Selects benchmarks. Without effect: the command line selects them.
    #[must_use]
    pub fn with_filter<S: Into<String>>(self, _: S) -> Self {
        self
    }

    /// Ends the run. Without effect: the runner prints the summary.
    pub fn final_summary(&self) {}

    without_effect! {
        /// Reads the command line, which `main` has read.
        configure_from_args();
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
        /// Draws plots.
        with_plots();
        /// Draws no plots.
        without_plots();
        /// Sets the program that draws plots.
        plotting_backend(PlottingBackend);
        /// Saves a baseline. Here the command line does.
        save_baseline(String);
        /// Compares with a baseline. Here the command line does.
        retain_baseline(String, bool);
        /// Colours the output.
        with_output_color(bool);
        /// Sets the directory of the results.
        output_directory(&Path);
        /// Only profiles the benchmarks.
        profile_time(Option<Duration>);
    }

    /// Reaches a benchmark of the walk through the file.
    pub(crate) fn reach(
        &mut self,
        group: &str,
        id: &BenchmarkId,
        external_id: &str,
        throughput: Option<Throughput>,
        mut f: impl FnMut(&mut Bencher<'_, M>),
    ) {
        let config = Config { throughput, ..Config::default() };
        let (function, size, curve) = (&*id.text(), id.size(), id.curve());
        let reached =
            Reached { group, function, external_id, is_selected: None, size, curve, config };
        #[cfg(feature = "profilers")]
        let profiler = &mut self.profiler;
        reach(reached, &mut |region| {
            #[cfg(feature = "profilers")]
            let _profile = profiler
                .as_mut()
                .filter(|_| region.is_repeated())
                .map(|it| profile(&mut **it, external_id));
            Bencher::run(region, &mut f);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_named_without_the_prefix_of_keywords() {
        let group = |name| Criterion::default().__in_group(name).group;
        assert_eq!([group("r#match"), group("benches")], ["match", "benches"]);
    }
}
