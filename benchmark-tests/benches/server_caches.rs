//! Benchmarks whose process is forked from one that has other data in the simulated cache each time, or whose setup has used
//! another part of the stack.

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

/// Writes to as many lines of the stack.
#[inline(never)]
fn use_stack(lines: usize) -> usize {
    let mut line = [0_u8; 64];
    black_box(&mut line);
    if lines == 0 { 0 } else { black_box(use_stack(lines - 1)) + 1 }
}

/// Uses lines of the stack after a setup that has used none, or more of them.
#[library_benchmark]
#[benches::after(iter = [0, 200], setup = use_stack)]
fn descend(_: usize) -> usize {
    use_stack(100)
}

library_benchmark_group!(name = group; benchmarks = allocate);
library_benchmark_group!(name = stack; benchmarks = descend);
main!(library_benchmark_groups = group, stack);
