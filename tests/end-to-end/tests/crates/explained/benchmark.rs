//! Benchmarks of the library.

use explained::{Shape, Square, Triangle};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

const TEXT: &str = "the quick brown fox, jumps over, the lazy dog, and The cat and, the fox";

#[library_benchmark]
#[bench::short(TEXT)]
fn most_frequent(text: &str) -> Vec<(String, usize)> {
    explained::most_frequent(text)
}

#[library_benchmark]
#[bench::short(TEXT)]
fn checksums(text: &str) -> u32 {
    explained::checksums(text)
}

fn shapes() -> Vec<Box<dyn Shape>> {
    (1..20).flat_map(|n| [Box::new(Square(n)) as Box<dyn Shape>, Box::new(Triangle(n, 2))]).collect()
}

#[library_benchmark(setup = shapes)]
fn areas(shapes: Vec<Box<dyn Shape>>) -> u64 {
    let sum = explained::areas(&shapes);
    std::mem::forget(shapes);
    sum
}

#[library_benchmark]
#[bench::some(&[7, 4711, 42, 1_000_000])]
fn rendered(numbers: &[u32]) -> String {
    explained::rendered(numbers)
}

library_benchmark_group!(name = group; benchmarks = most_frequent, checksums, areas, rendered);

main!(library_benchmark_groups = group);
