//! The same functions as benchmarks of Criterion.

use criterion::{Criterion, criterion_group, criterion_main};

fn all(criterion: &mut Criterion) {
    for (name, workload) in workloads::ALL {
        criterion.bench_function(name, |bencher| bencher.iter(workload));
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
