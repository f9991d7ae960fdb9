//! The interface of Criterion 0.3 and earlier for several functions or inputs, which many older files use.

use std::fmt::{Debug, Display};
use std::time::Duration;

use crate::measurement::WallTime;
use crate::{Bencher, BenchmarkId, Criterion, PlotConfiguration, SamplingMode, Throughput};

/// Function of a benchmark with its name.
type Routine<I, M> = (String, Box<dyn FnMut(&mut Bencher<'_, M>, &I)>);

/// Throughput with an input.
type ThroughputOf<T> = Box<dyn Fn(&T) -> Throughput>;

/// Declares the settings that have no effect on counts.
macro_rules! settings_without_effect {
    () => {
        settings_without_effect! {
            sample_size(usize);
            warm_up_time(Duration);
            measurement_time(Duration);
            nresamples(usize);
            noise_threshold(f64);
            confidence_level(f64);
            significance_level(f64);
            plot_config(PlotConfiguration);
            sampling_mode(SamplingMode);
        }
    };
    ($($name:ident($type:ty);)+) => {$(
        /// Has no effect on counts.
        #[must_use]
        pub fn $name(self, _: $type) -> Self {
            self
        }
    )+};
}

/// Functions that are benchmarked without an input.
pub struct Benchmark<M = WallTime> {
    routines: Vec<Routine<(), M>>,
    throughput: Option<Throughput>,
}

/// Functions that are benchmarked with each of several inputs.
pub struct ParameterizedBenchmark<T: Debug, M = WallTime> {
    parameters: Vec<T>,
    routines: Vec<Routine<T, M>>,
    throughput: Option<ThroughputOf<T>>,
}

/// Function with a name for [`Criterion::bench_functions`].
pub struct Fun<I: Debug, M = WallTime> {
    routine: Routine<I, M>,
}

/// Definition of benchmarks for [`Criterion::bench`].
pub trait BenchmarkDefinition<M = WallTime> {
    /// Runs the benchmarks in a group.
    #[doc(hidden)]
    fn __run(self, group: &str, criterion: &mut Criterion<M>);
}

impl<M> Benchmark<M> {
    /// Starts with a function.
    pub fn new<S: Into<String>, F: FnMut(&mut Bencher<'_, M>) + 'static>(id: S, f: F) -> Self {
        Self { routines: Vec::new(), throughput: None }.with_function(id, f)
    }

    /// Adds a function.
    #[must_use]
    pub fn with_function<S: Into<String>, F: FnMut(&mut Bencher<'_, M>) + 'static>(
        mut self,
        id: S,
        mut f: F,
    ) -> Self {
        self.routines.push((id.into(), Box::new(move |bencher, ()| f(bencher))));
        self
    }

    /// Sets the bytes or elements that the functions process.
    #[must_use]
    pub fn throughput(self, throughput: Throughput) -> Self {
        Self { throughput: Some(throughput), ..self }
    }

    settings_without_effect!();
}

impl<T: Debug, M> ParameterizedBenchmark<T, M> {
    /// Starts with a function and its inputs.
    pub fn new<S, F, I>(id: S, f: F, parameters: I) -> Self
    where
        S: Into<String>,
        F: FnMut(&mut Bencher<'_, M>, &T) + 'static,
        I: IntoIterator<Item = T>,
    {
        let parameters = parameters.into_iter().collect();
        Self { parameters, routines: Vec::new(), throughput: None }.with_function(id, f)
    }

    /// Adds a function.
    #[must_use]
    pub fn with_function<S: Into<String>, F: FnMut(&mut Bencher<'_, M>, &T) + 'static>(
        mut self,
        id: S,
        f: F,
    ) -> Self {
        self.routines.push((id.into(), Box::new(f)));
        self
    }

    /// Sets the bytes or elements that the functions process with an input.
    #[must_use]
    pub fn throughput<F: Fn(&T) -> Throughput + 'static>(self, throughput: F) -> Self {
        Self { throughput: Some(Box::new(throughput)), ..self }
    }

    settings_without_effect!();
}

impl<I: Debug, M> Fun<I, M> {
    /// Names a function.
    pub fn new<F: FnMut(&mut Bencher<'_, M>, &I) + 'static>(name: &str, f: F) -> Self {
        Self { routine: (name.to_owned(), Box::new(f)) }
    }
}

impl<M> BenchmarkDefinition<M> for Benchmark<M> {
    fn __run(self, group: &str, criterion: &mut Criterion<M>) {
        let mut group = criterion.benchmark_group(group);
        for (name, mut routine) in self.routines {
            if let Some(throughput) = self.throughput {
                group.throughput(throughput);
            }
            group.bench_function(name, |bencher| routine(bencher, &()));
        }
    }
}

impl<T: Debug, M> BenchmarkDefinition<M> for ParameterizedBenchmark<T, M> {
    fn __run(self, group: &str, criterion: &mut Criterion<M>) {
        let mut group = criterion.benchmark_group(group);
        for (name, mut routine) in self.routines {
            for parameter in &self.parameters {
                if let Some(throughput) = &self.throughput {
                    group.throughput(throughput(parameter));
                }
                let id = BenchmarkId::new(&*name, Shown(parameter));
                group.bench_with_input(id, parameter, &mut routine);
            }
        }
    }
}

/// Shows a parameter as Criterion 0.3 does.
struct Shown<'a, T>(&'a T);

impl<T: Debug> Display for Shown<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<M> Criterion<M> {
    /// Runs the benchmarks of a definition in a group.
    pub fn bench<B: BenchmarkDefinition<M>>(&mut self, group_id: &str, benchmark: B) -> &mut Self {
        benchmark.__run(group_id, self);
        self
    }

    /// Runs functions with the same input.
    pub fn bench_functions<I: Debug + 'static>(
        &mut self,
        id: &str,
        funs: Vec<Fun<I, M>>,
        input: I,
    ) -> &mut Self {
        let mut group = self.benchmark_group(id);
        for Fun { routine: (name, mut routine) } in funs {
            group.bench_with_input(BenchmarkId::new(name, Shown(&input)), &input, &mut routine);
        }
        group.finish();
        self
    }

    /// Runs a function with each of several inputs.
    pub fn bench_function_over_inputs<I, F>(&mut self, id: &str, mut f: F, inputs: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: Debug + 'static,
        F: FnMut(&mut Bencher<'_, M>, &I::Item) + 'static,
    {
        let mut group = self.benchmark_group(id);
        for input in inputs {
            group.bench_with_input(BenchmarkId::from_parameter(Shown(&input)), &input, &mut f);
        }
        group.finish();
        self
    }
}
