//! A file with an allocator that no tool of Valgrind sees: it takes memory from the system.

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;
use std::ptr;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Maps pages for each block.
struct Pages;

// SAFETY: each block has pages of its own, which is more than any alignment here.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the system chooses the place.
        let pages = unsafe { libc::mmap(ptr::null_mut(), layout.size(), access, flags, -1, 0) };
        if pages == libc::MAP_FAILED { ptr::null_mut() } else { pages.cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `alloc` mapped them.
        unsafe { libc::munmap(block.cast(), layout.size()) };
    }
}

#[global_allocator]
static PAGES: Pages = Pages;

#[library_benchmark]
fn allocates() -> Vec<u8> {
    black_box(vec![1; 1000])
}

library_benchmark_group!(name = unseen; benchmarks = allocates);
main!(library_benchmark_groups = unseen);
