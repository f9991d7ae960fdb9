// A file of Criterion, which `test_mode.rs` includes.

use std::cell::Cell;
use std::future::Future;
use std::time::Duration;

use iai_callgrind_criterion as criterion;

use criterion::async_executor::AsyncExecutor;
use criterion::{
    BatchSize, Benchmark, Criterion, Fun, ParameterizedBenchmark, Throughput, criterion_group,
    criterion_main,
};

thread_local! {
    static IS_IN_RUNTIME: Cell<bool> = const { Cell::new(false) };
}

/// A runtime whose calls cannot be nested.
#[derive(Clone, Copy)]
struct Runtime;

impl AsyncExecutor for Runtime {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        assert!(!IS_IN_RUNTIME.replace(true), "a call of the runtime in another one");
        let value = futures_executor::block_on(future);
        IS_IN_RUNTIME.set(false);
        value
    }
}

/// A value that needs the runtime.
struct Connection;

impl Connection {
    fn new() -> Self {
        assert!(IS_IN_RUNTIME.get(), "no runtime");
        Self
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        assert!(IS_IN_RUNTIME.get(), "no runtime at a drop");
    }
}

fn in_runtime(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("in runtime");
    let connect = || {
        let connection = Connection::new();
        async { connection }
    };
    group.bench_function("iter", |b| b.to_async(Runtime).iter(connect));
    group.bench_function("drop", |b| b.to_async(Runtime).iter_with_large_drop(connect));
    group.bench_function("custom", |b| {
        b.to_async(Runtime).iter_custom(|_| {
            let connection = Connection::new();
            async move {
                drop(connection);
                Duration::ZERO
            }
        });
    });
    let size = BatchSize::SmallInput;
    group.bench_function("batched", |b| {
        b.to_async(Runtime).iter_batched(
            Connection::new,
            |it| async { (it, Connection::new()) },
            size,
        );
    });
    group.bench_function("reference", |b| {
        b.to_async(Runtime).iter_batched_ref(Connection::new, |_| connect(), size);
    });
}

/// A measurement and a profiler that implement the traits of the real Criterion, or none.
struct Cycles;

fn foreign_types(criterion: &mut Criterion<Cycles>) {
    criterion.bench_function("cycles", |b| b.iter_custom(|iterations| iterations + 1));
}

fn with_time(criterion: &mut Criterion) {
    // The sum has the type that a routine returns
    criterion.bench_function("sum", |b| {
        b.iter_custom(|iterations| (0..iterations).map(|_| Duration::ZERO).sum());
    });
}

fn old_interface(criterion: &mut Criterion) {
    criterion.bench(
        "functions",
        Benchmark::new("first", |b| b.iter(|| 1))
            .with_function("second", |b| b.iter(|| 2))
            .throughput(Throughput::Elements(2))
            .sample_size(10),
    );
    criterion.bench(
        "parameters",
        ParameterizedBenchmark::new("sum", |b, n| b.iter(|| (0..*n).sum::<u32>()), vec![1, 10])
            .throughput(|n| Throughput::Elements(u64::from(*n))),
    );
    let funs = vec![
        Fun::new("one", |b, n: &u32| b.iter(|| n + 1)),
        Fun::new("two", |b, n| b.iter(|| n + 2)),
    ];
    criterion.bench_functions("funs", funs, 7);
    criterion.bench_function_over_inputs("inputs", |b, n| b.iter(|| n + 1), vec![1, 2]);
}

criterion_group!(
    name = measured;
    config = Criterion::default().with_measurement(Cycles).with_profiler(Cycles);
    targets = foreign_types
);
criterion_group!(benches, in_runtime, with_time, old_interface);
criterion_main!(measured, benches);
