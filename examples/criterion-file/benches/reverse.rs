//! A file of Criterion, without a change.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use criterion_file::reverse_words;

fn reverse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reverse");
    for words in [10, 100] {
        let text = vec!["word"; words].join(" ");
        group.bench_with_input(BenchmarkId::from_parameter(words), &text, |bencher, text| {
            bencher.iter(|| reverse_words(text));
        });
    }
    group.finish();
}

criterion_group!(benches, reverse);
criterion_main!(benches);
