//! Memory under memcheck.

use std::hint::black_box;

use iai_callgrind::client_requests::{memcheck, valgrind};

use crate::answer::show;

/// Branches on `value`, so that its use is visible in what the program executes
#[inline(never)]
fn depend_on(value: u8) {
    if black_box(value) == 1 {
        black_box("one");
    }
}

/// Makes one error, at a jump that depends on bytes that the request marks.
pub(crate) fn undefined() {
    let bytes = black_box(vec![0_u8; 16]);
    depend_on(bytes[3]);
    show("defined", memcheck::check_value_is_defined(bytes.as_slice()));
    memcheck::make_mem_undefined(bytes.as_ptr().cast(), bytes.len());
    depend_on(bytes[3]);
    memcheck::make_mem_defined(bytes.as_ptr().cast(), bytes.len());
    depend_on(bytes[3]);
    show("errors", valgrind::count_errors());
}

/// Makes errors at addresses that the requests mark, with the block's description
pub(crate) fn addresses() {
    let bytes = black_box(vec![0_u8; 64]);
    let start: *const () = bytes.as_ptr().cast();
    let offset = |address: usize| address.wrapping_sub(start.addr());

    let handle = memcheck::create_block(start, 64, c"the block of the test");
    memcheck::make_mem_noaccess(bytes[32..].as_ptr().cast(), 32);
    show("first not addressable", offset(memcheck::check_mem_is_addressable(start, 64)));
    show("first not defined", offset(memcheck::check_mem_is_defined(start, 64)));
    show("discard", memcheck::discard(handle));
    show("discard again", memcheck::discard(handle));

    memcheck::make_mem_defined_if_addressable(start, 64);
    show("still not addressable", offset(memcheck::check_mem_is_addressable(start, 64)));
    memcheck::make_mem_undefined(start, 64);
    show("addressable", memcheck::check_mem_is_addressable(start, 64));
    show("not defined", offset(memcheck::check_mem_is_defined(start, 64)));

    memcheck::make_mem_noaccess(start, 64);
    let before = valgrind::count_errors();
    memcheck::disable_addr_error_reporting_in_range(start, 64);
    black_box(bytes[5]);
    show("errors while disabled", valgrind::count_errors() - before);
    memcheck::enable_addr_error_reporting_in_range(start, 64);
    black_box(bytes[5]);
    show("errors while enabled", valgrind::count_errors() - before);
    memcheck::make_mem_defined(start, 64);
}

/// Reads and writes validity bits, as many as there is room for.
pub(crate) fn bits() {
    let bytes = black_box(vec![0_u8; 4]);
    let start: *const () = bytes.as_ptr().cast();
    let mut bits = [0xaa_u8; 8];
    show("set", memcheck::set_vbits(start, &[0, 0xff, 0x0f, 0], 4));
    show("get", memcheck::get_vbits(start, &mut bits, 4));
    show("bits", bits);
    let mut few = [0xaa_u8; 2];
    memcheck::get_vbits(start, &mut few, 4);
    show("few", few);
    show("of no memory", memcheck::get_vbits(std::ptr::null(), &mut bits, 4));
    memcheck::make_mem_defined(start, 4);
}

/// Leaks are counted
pub(crate) fn leaks() {
    /// The pointer to a block that is still reachable
    static REACHABLE: std::sync::Mutex<Option<&'static [u8]>> = std::sync::Mutex::new(None);

    let total = |counts: memcheck::LeakCounts| counts.leaked + counts.dubious;
    memcheck::do_quick_leak_check();
    let (bytes, blocks) = (memcheck::count_leaks(), memcheck::count_leak_blocks());
    *REACHABLE.lock().unwrap() = Some(vec![1; 300].leak());
    lose(1000);
    memcheck::do_leak_check();
    let (now, now_blocks) = (memcheck::count_leaks(), memcheck::count_leak_blocks());
    show("leaked bytes", total(now) - total(bytes));
    show("leaked blocks", total(now_blocks) - total(blocks));
    show("reachable bytes", now.reachable - bytes.reachable);
    show("reachable blocks", now_blocks.reachable - blocks.reachable);
    lose(500);
    memcheck::do_added_leak_check();
    memcheck::do_changed_leak_check();
    memcheck::do_new_leak_check();
    black_box(&REACHABLE);
}

/// Leaks a block, and leaves no copy of its address behind
#[inline(never)]
fn lose(length: usize) {
    std::mem::forget(black_box(vec![1_u8; length]));
    overwrite_stack();
}

#[inline(never)]
fn overwrite_stack() {
    black_box([0_u8; 4096]);
}

/// Makes errors, which are not counted while that is off.
pub(crate) fn errors() {
    let bytes = black_box(vec![0_u8; 4]);
    memcheck::make_mem_undefined(bytes.as_ptr().cast(), 4);
    show("before", valgrind::count_errors());
    valgrind::disable_error_reporting();
    valgrind::disable_error_reporting();
    depend_on(bytes[0]);
    valgrind::enable_error_reporting();
    depend_on(bytes[1]);
    show("disabled", valgrind::count_errors());
    valgrind::enable_error_reporting();
    depend_on(bytes[2]);
    show("enabled", valgrind::count_errors());
    memcheck::make_mem_defined(bytes.as_ptr().cast(), 4);
}
