//! The same functions as benchmarks of tango-bench.

use tango_bench::{IntoBenchmarks, benchmark_fn, tango_benchmarks};

fn all() -> impl IntoBenchmarks {
    workloads::ALL.map(|(name, workload)| benchmark_fn(name, move |bencher| bencher.iter(workload)))
}

tango_benchmarks!(all());
