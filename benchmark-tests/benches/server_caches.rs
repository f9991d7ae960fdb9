//! A benchmark whose process is forked from one that has other data in the simulated cache each time.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Size of a block that nothing else has.
const SIZE: usize = 120;

/// Words of twice as many bytes as the first-level data cache has.
static WORDS: [AtomicUsize; 8192] = [const { AtomicUsize::new(0) }; 8192];
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Frees a block before each fork. Before every second one, other data displaces it.
extern "C" fn free_block() {
    drop(black_box(Vec::<u8>::with_capacity(SIZE)));
    if FORKS.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
        for word in black_box(&WORDS) {
            black_box(word.load(Ordering::Relaxed));
        }
    }
}

extern "C" fn register() {
    // SAFETY: the handler only allocates, reads and writes.
    unsafe { libc::pthread_atfork(Some(free_block), None, None) };
}

#[used]
#[unsafe(link_section = ".init_array")]
static REGISTER: extern "C" fn() = register;

/// Takes the block.
#[library_benchmark]
#[benches::times(iter = 0..4)]
fn allocate(_: usize) -> Vec<u8> {
    Vec::with_capacity(SIZE)
}

library_benchmark_group!(name = group; benchmarks = allocate);
main!(library_benchmark_groups = group);
