//! The code blocks of Criterion's book, each in a module.
//!
//! The code is the book's. What it leaves open (`...`) is filled in. Blocks that are no whole code in the book have a
//! comment with what is mended. Blocks that repeat a part of another one are left out, and these: the Migrating from libtest
//! page's first one is for libtest, those of the Bencher Compatibility Layer are for `bencher`, that of Custom Test
//! Framework needs a nightly compiler, and that of Iai is in `migrated.rs`.

#![allow(
    dead_code,
    deprecated,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]

use criterion::criterion_main;

mod getting_started {
    use criterion::{Criterion, black_box, criterion_group, criterion_main};

    #[inline]
    fn fibonacci(n: u64) -> u64 {
        match n {
            0 => 1,
            1 => 1,
            n => fibonacci(n - 1) + fibonacci(n - 2),
        }
    }

    pub fn criterion_benchmark(c: &mut Criterion) {
        c.bench_function("fib 20", |b| b.iter(|| fibonacci(black_box(20))));
    }

    criterion_group!(benches, criterion_benchmark);
    criterion_main!(benches);
}

mod one_input {
    use criterion::BenchmarkId;
    use criterion::Criterion;
    use criterion::{criterion_group, criterion_main};

    fn do_something(size: usize) {
        std::hint::black_box(vec![0_u8; size]);
    }

    fn from_elem(c: &mut Criterion) {
        let size: usize = 1024;

        c.bench_with_input(BenchmarkId::new("input_example", size), &size, |b, &s| {
            b.iter(|| do_something(s));
        });
    }

    criterion_group!(benches, from_elem);
    criterion_main!(benches);
}

mod range_of_values {
    use std::iter;

    use criterion::BenchmarkId;
    use criterion::Criterion;
    use criterion::Throughput;
    use criterion::{criterion_group, criterion_main};

    fn from_elem(c: &mut Criterion) {
        static KB: usize = 1024;

        let mut group = c.benchmark_group("from_elem");
        for size in [KB, 2 * KB, 4 * KB, 8 * KB, 16 * KB].iter() {
            group.throughput(Throughput::Bytes(*size as u64));
            group.bench_with_input(BenchmarkId::from_parameter(size), size, |b, &size| {
                b.iter(|| iter::repeat(0u8).take(size).collect::<Vec<_>>());
            });
        }
        group.finish();
    }

    criterion_group!(benches, from_elem);
    criterion_main!(benches);
}

// A parenthesis is missing at the end of `bench_function`
mod sample_count {
    use criterion::*;

    fn my_function() {
        std::hint::black_box(());
    }

    fn bench(c: &mut Criterion) {
        let mut group = c.benchmark_group("sample-size-example");
        // Configure Criterion.rs to detect smaller differences and increase sample size to improve
        // precision and counteract the resulting noise.
        group.significance_level(0.1).sample_size(500);
        group.bench_function("my-function", |b| b.iter(|| my_function()));
        group.finish();
    }

    criterion_group! {
        name = benches;
        // This can be any expression that returns a `Criterion` object.
        config = Criterion::default().significance_level(0.1).sample_size(500);
        targets = bench
    }
    criterion_main!(benches);
}

// A parenthesis is missing at the end of `bench_function`. The elements are bytes, `elems` is `elements`, and the
// parameters of the closure have the other order
mod throughput {
    use criterion::*;

    type Element = u8;

    fn decode(bytes: &[u8]) {
        std::hint::black_box(bytes.to_vec());
    }

    fn encode(elements: &[Element]) {
        std::hint::black_box(elements.to_vec());
    }

    fn bench(c: &mut Criterion) {
        let bytes: &[u8] = &[7; 100];

        let mut group = c.benchmark_group("throughput-example");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("decode", |b| b.iter(|| decode(bytes)));
        group.finish();
    }

    fn bench_inputs(c: &mut Criterion) {
        let elements_1: &[u8] = &[1; 10];
        let elements_2: &[u8] = &[2; 20];

        let mut group = c.benchmark_group("throughput-example");
        for (i, elements) in [elements_1, elements_2].iter().enumerate() {
            group.throughput(Throughput::Elements(elements.len() as u64));
            group.bench_with_input(format!("Encode {}", i), elements, |b, elems| {
                b.iter(|| encode(elems))
            });
        }
        group.finish();
    }

    criterion_group!(benches, bench, bench_inputs);
    criterion_main!(benches);
}

// A benchmark with an input is one of `bench_with_input`, and the input is a number
mod axis_scaling {
    use criterion::*;

    fn do_a_thing(x: u64) {
        std::hint::black_box(x);
    }

    fn bench(c: &mut Criterion) {
        let plot_config = PlotConfiguration::default().summary_scale(AxisScale::Logarithmic);

        let mut group = c.benchmark_group("log_scale_example");
        group.plot_config(plot_config);

        for i in [1u64, 10u64, 100u64, 1000u64, 10000u64, 100000u64, 1000000u64].iter() {
            group.bench_with_input(BenchmarkId::from_parameter(i), i, |b, i| {
                b.iter(|| do_a_thing(*i))
            });
        }

        group.finish();
    }

    criterion_group!(benches, bench);
    criterion_main!(benches);
}

// A parenthesis is missing at the end of `bench_function`
mod sampling_mode {
    use criterion::*;
    use std::time::Duration;

    fn my_function() {
        ::std::thread::sleep(Duration::from_millis(10))
    }

    fn bench(c: &mut Criterion) {
        let mut group = c.benchmark_group("flat-sampling-example");
        group.sampling_mode(SamplingMode::Flat);
        group.bench_function("my-function", |b| b.iter(|| my_function()));
        group.finish();
    }

    criterion_group!(benches, bench);
    criterion_main!(benches);
}

mod comparing_functions {
    use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

    fn fibonacci_slow(n: u64) -> u64 {
        match n {
            0 => 1,
            1 => 1,
            n => fibonacci_slow(n - 1) + fibonacci_slow(n - 2),
        }
    }

    fn fibonacci_fast(n: u64) -> u64 {
        let mut a = 0;
        let mut b = 1;

        match n {
            0 => b,
            _ => {
                for _ in 0..n {
                    let c = a + b;
                    a = b;
                    b = c;
                }
                b
            }
        }
    }

    fn bench_fibs(c: &mut Criterion) {
        let mut group = c.benchmark_group("Fibonacci");
        for i in [20u64, 21u64].iter() {
            group.bench_with_input(BenchmarkId::new("Recursive", i), i, |b, i| {
                b.iter(|| fibonacci_slow(*i))
            });
            group.bench_with_input(BenchmarkId::new("Iterative", i), i, |b, i| {
                b.iter(|| fibonacci_fast(*i))
            });
        }
        group.finish();
    }

    criterion_group!(benches, bench_fibs);
    criterion_main!(benches);
}

// A trait `MeasuredValue` does not exist in any version of Criterion from 0.3 on, neither does `From<u64>` for `f64`
mod custom_measurements {
    use criterion::measurement::{Measurement, ValueFormatter};
    use criterion::{Criterion, Throughput, criterion_group};
    use std::time::{Duration, Instant};

    const NANOS_PER_SEC: u64 = 1_000_000_000;

    struct HalfSecFormatter;

    impl ValueFormatter for HalfSecFormatter {
        fn format_value(&self, value: f64) -> String {
            // The value will be in nanoseconds so we have to convert to half-seconds.
            format!("{} s/2", value * 2f64 * 10f64.powi(-9))
        }

        fn scale_values(&self, ns: f64, values: &mut [f64]) -> &'static str {
            let _ = ns;
            for val in values {
                *val *= 2f64 * 10f64.powi(-9);
            }
            "s/2"
        }

        fn scale_throughputs(
            &self,
            _typical: f64,
            throughput: &Throughput,
            values: &mut [f64],
        ) -> &'static str {
            match *throughput {
                Throughput::Bytes(bytes) => {
                    // Convert nanoseconds/iteration to bytes/half-second.
                    for val in values {
                        *val = (bytes as f64) / (*val * 2f64 * 10f64.powi(-9))
                    }
                    "b/s/2"
                }
                _ => "elem/s/2",
            }
        }

        fn scale_for_machines(&self, values: &mut [f64]) -> &'static str {
            // Convert values in nanoseconds to half-seconds.
            for val in values {
                *val *= 2f64 * 10f64.powi(-9);
            }
            "s/2"
        }
    }

    /// Silly "measurement" that is really just wall-clock time reported in half-seconds.
    struct HalfSeconds;

    impl Measurement for HalfSeconds {
        type Intermediate = Instant;
        type Value = Duration;

        fn start(&self) -> Self::Intermediate {
            Instant::now()
        }
        fn end(&self, i: Self::Intermediate) -> Self::Value {
            i.elapsed()
        }
        fn add(&self, v1: &Self::Value, v2: &Self::Value) -> Self::Value {
            *v1 + *v2
        }
        fn zero(&self) -> Self::Value {
            Duration::from_secs(0)
        }
        fn to_f64(&self, val: &Self::Value) -> f64 {
            let nanos = val.as_secs() * NANOS_PER_SEC + u64::from(val.subsec_nanos());
            nanos as f64
        }
        fn formatter(&self) -> &dyn ValueFormatter {
            &HalfSecFormatter
        }
    }

    fn fibonacci_cycles(criterion: &mut Criterion<HalfSeconds>) {
        // Use the criterion struct as normal here.
        criterion.bench_function("cycles", |b| b.iter(|| ()));
    }

    fn alternate_measurement() -> Criterion<HalfSeconds> {
        Criterion::default().with_measurement(HalfSeconds)
    }

    criterion_group! {
        name = benches;
        config = alternate_measurement();
        targets = fibonacci_cycles
    }
}

mod profiling {
    use criterion::profiler::Profiler;
    use criterion::{Criterion, criterion_group};
    use std::path::Path;

    struct MyCustomProfiler;

    impl Profiler for MyCustomProfiler {
        fn start_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path) {
            let _ = (benchmark_id, benchmark_dir);
        }
        fn stop_profiling(&mut self, benchmark_id: &str, benchmark_dir: &Path) {
            let _ = (benchmark_id, benchmark_dir);
        }
    }

    fn fibonacci_profiled(criterion: &mut Criterion) {
        // Use the criterion struct as normal here.
        criterion.bench_function("profiled", |b| b.iter(|| ()));
    }

    fn profiled() -> Criterion {
        Criterion::default().with_profiler(MyCustomProfiler)
    }

    criterion_group! {
        name = benches;
        config = profiled();
        targets = fibonacci_profiled
    }
}

mod async_functions {
    use criterion::BenchmarkId;
    use criterion::Criterion;
    use criterion::{criterion_group, criterion_main};

    use criterion::async_executor::FuturesExecutor;

    // Here we have an async function to benchmark
    async fn do_something(size: usize) {
        std::hint::black_box(vec![0_u8; size]);
    }

    fn from_elem(c: &mut Criterion) {
        let size: usize = 1024;

        c.bench_with_input(BenchmarkId::new("async_example", size), &size, |b, &s| {
            // Insert a call to `to_async` to convert the bencher to async mode.
            // The timing loops are the same as with the normal bencher.
            b.to_async(FuturesExecutor).iter(|| do_something(s));
        });
    }

    criterion_group!(benches, from_elem);
    criterion_main!(benches);
}

// The inputs are references
mod small_functions {
    use criterion::{Criterion, criterion_group};

    fn compare_small(c: &mut Criterion) {
        use criterion::black_box;

        let mut group = c.benchmark_group("small");
        group.bench_with_input("unlooped", &10, |b, i| b.iter(|| i + 10));
        group.bench_with_input("looped", &10, |b, i| {
            b.iter(|| {
                for _ in 0..10000 {
                    black_box(i + 10);
                }
            })
        });
        group.finish();
    }

    criterion_group!(benches, compare_small);
}

criterion_main!(
    getting_started::benches,
    one_input::benches,
    range_of_values::benches,
    sample_count::benches,
    throughput::benches,
    axis_scaling::benches,
    sampling_mode::benches,
    comparing_functions::benches,
    custom_measurements::benches,
    profiling::benches,
    async_functions::benches,
    small_functions::benches,
);
