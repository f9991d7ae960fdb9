//! Allocators and stacks of the program's own, and DHAT.

use std::hint::black_box;

use iai_callgrind::client_requests::valgrind::MempoolFlags;
use iai_callgrind::client_requests::{dhat, memcheck, valgrind};

use crate::answer::show;

/// Maps memory that Valgrind doesn't know as a block of the heap.
fn pages() -> *mut u8 {
    // SAFETY: new memory at an address that the system chooses.
    let pages = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), 0x4000, access, kind, -1, 0)
    };
    assert_ne!(pages, libc::MAP_FAILED);
    pages.cast()
}

/// Returns the first of the bytes that memcheck lets no code access.
fn first_hidden(start: *mut u8, length: usize) -> Option<usize> {
    let address = memcheck::check_mem_is_addressable(start.cast_const().cast(), length);
    (address != 0).then(|| address - start.addr())
}

/// Allocates blocks of an allocator of its own.
pub(crate) fn blocks() {
    let pages = pages();
    // SAFETY: within the pages.
    let block = unsafe { pages.add(64) };
    memcheck::make_mem_noaccess(pages.cast_const().cast(), 0x4000);
    valgrind::malloclike_block(block.cast_const().cast(), 100, 16, false);
    show("hidden after it", first_hidden(block, 120));
    show("defined", memcheck::check_mem_is_defined(block.cast_const().cast(), 100) == 0);
    valgrind::resizeinplace_block(block.cast_const().cast(), 100, 80, 16);
    show("hidden after less", first_hidden(block, 120));
    valgrind::freelike_block(block.cast_const().cast(), 16);
    show("hidden after free", first_hidden(block, 120));
    valgrind::malloclike_block(block.cast_const().cast(), 100, 16, true);
    show(
        "defined when zeroed",
        memcheck::check_mem_is_defined(block.cast_const().cast(), 100) == 0,
    );
    // It leaks
}

/// Makes pools of pieces.
pub(crate) fn pools() {
    let pages = pages();
    let pool: *const () = pages.cast_const().cast();
    let moved: *const () = pool.wrapping_byte_add(8);
    let piece = |at: usize| pages.wrapping_add(at);
    let as_const = |pointer: *mut u8| -> *const () { pointer.cast_const().cast() };

    show("exists before", valgrind::mempool_exists(pool));
    valgrind::create_mempool(pool, 0, false);
    show("exists", valgrind::mempool_exists(pool));
    valgrind::move_mempool(pool, moved);
    show("exists at the old place", valgrind::mempool_exists(pool));
    show("exists at the new place", valgrind::mempool_exists(moved));

    memcheck::make_mem_noaccess(as_const(piece(0x1000)), 0x1000);
    valgrind::mempool_alloc(moved, as_const(piece(0x1000)), 64);
    show("hidden after a piece", first_hidden(piece(0x1000), 100));
    valgrind::mempool_change(moved, as_const(piece(0x1000)), as_const(piece(0x1000)), 32);
    valgrind::mempool_alloc(moved, as_const(piece(0x1100)), 64);
    valgrind::mempool_free(moved, as_const(piece(0x1000)));
    show("hidden after free", first_hidden(piece(0x1000), 100));
    show("hidden in the other", first_hidden(piece(0x1100), 64));
    valgrind::mempool_trim(moved, as_const(piece(0x1200)), 16);
    show("hidden after trim", first_hidden(piece(0x1100), 64));
    valgrind::destroy_mempool(moved);
    show("exists after", valgrind::mempool_exists(moved));

    let flags = MempoolFlags::METAPOOL | MempoolFlags::AUTOFREE;
    valgrind::create_mempool_ext(pool, 0, false, flags);
    valgrind::mempool_alloc(pool, as_const(piece(0x2000)), 0x1000);
    valgrind::malloclike_block(as_const(piece(0x2000)), 100, 0, false);
    valgrind::mempool_free(pool, as_const(piece(0x2000)));
    show("hidden after autofree", first_hidden(piece(0x2000), 100));
    valgrind::destroy_mempool(pool);
}

/// Registers stacks, which have numbers.
pub(crate) fn stacks() {
    let start = pages().addr();
    let first = valgrind::stack_register(start, start + 0xfff);
    let second = valgrind::stack_register(start + 0x1000, start + 0x1fff);
    show("numbers", second - first);
    valgrind::stack_change(second, start + 0x1000, start + 0x2fff);
    valgrind::stack_deregister(second);
    valgrind::stack_deregister(first);
}

/// Makes ad-hoc events, 3 of weight 10 and one of 5.
pub(crate) fn events() {
    for _ in 0..3 {
        dhat::ad_hoc_event(black_box(10));
    }
    dhat::ad_hoc_event(5);
}

/// Writes to each byte of a block that is too large for DHAT to count that by itself
pub(crate) fn histogram() {
    let mut block = black_box(vec![0_u8; 4096]);
    dhat::histogram_memory(block.as_ptr().cast());
    for byte in &mut block {
        *byte = black_box(1);
    }
}
