//! The allocator that divan's files install.

use std::alloc::{GlobalAlloc, Layout, System};

/// Passes each request on to another allocator.
///
/// Allocations need no profiler here: `--dhat` shows those of each benchmark.
///
/// ```
/// use iai_callgrind_divan::AllocProfiler;
///
/// #[global_allocator]
/// static ALLOC: AllocProfiler = AllocProfiler::system();
/// ```
#[derive(Debug, Default)]
pub struct AllocProfiler<Alloc = System> {
    alloc: Alloc,
}

impl AllocProfiler {
    /// Passes requests on to the system's allocator.
    #[must_use]
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> AllocProfiler<A> {
    /// Passes requests on to this allocator.
    pub const fn new(alloc: A) -> Self {
        Self { alloc }
    }
}

// SAFETY: each method is that of the other allocator.
unsafe impl<A: GlobalAlloc> GlobalAlloc for AllocProfiler<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees it.
        unsafe { self.alloc.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees it.
        unsafe { self.alloc.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees it.
        unsafe { self.alloc.realloc(ptr, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe { self.alloc.dealloc(ptr, layout) }
    }
}
