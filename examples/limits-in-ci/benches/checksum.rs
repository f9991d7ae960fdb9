//! A benchmark that may cost 1 % more instructions than before.

use std::hint::black_box;

use iai_callgrind::{Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, main};
use limits_in_ci::checksum;

#[library_benchmark]
#[bench::small(&[7; 64])]
#[bench::large(&[7; 1024])]
fn bench_checksum(bytes: &[u8]) -> u32 {
    black_box(checksum(bytes))
}

main!(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().soft_limits([(EventKind::Ir, 1.0)]))
);
