//! Functions that make requests, whose machine code is inspected. Because of its handler for panics, this does not link
//! if anything uses std. Each function has a section of its own; otherwise functions with equal code would be merged.

#![no_std]

use core::hint::black_box;
use core::panic::PanicInfo;

use iai_callgrind::client_requests::{
    ThreadId, cachegrind, callgrind, dhat, drd, helgrind, memcheck, valgrind,
};
use iai_callgrind::{
    valgrind_printf, valgrind_printf_backtrace, valgrind_println, valgrind_println_backtrace,
};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.no_arguments")]
extern "C" fn no_arguments() {
    callgrind::toggle_collect();
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.one_argument")]
extern "C" fn one_argument() {
    callgrind::dump_stats_at(c"label");
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.four_arguments")]
extern "C" fn four_arguments(address: *const (), size: usize, redzone: usize) {
    valgrind::malloclike_block(address, size, redzone, true);
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.a_result")]
extern "C" fn a_result() -> usize {
    valgrind::running_on_valgrind()
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.arguments_and_a_result")]
extern "C" fn arguments_and_a_result(address: *const (), length: usize) -> usize {
    memcheck::make_mem_defined(address, length)
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.another_default")]
extern "C" fn another_default(block: *const ()) -> isize {
    helgrind::clean_memory_heapblock(block)
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.two_requests")]
extern "C" fn two_requests() {
    callgrind::start_instrumentation();
    callgrind::stop_instrumentation();
}

/// Makes one request of each kind.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.many")]
extern "C" fn many(address: *const (), length: usize, buffer: &mut [u8; 64]) {
    extern "C" fn call(id: ThreadId) -> usize {
        black_box(id)
    }
    cachegrind::start_instrumentation();
    callgrind::dump_stats_at(c"label");
    dhat::ad_hoc_event(length);
    drd::annotate_thread_name(c"name");
    drd::ignore_var(buffer);
    drd::annotate_ignore_reads_and_writes_begin();
    helgrind::get_abits(address, Some(buffer), length);
    helgrind::mutex_lock_pre(address, length == 3);
    memcheck::count_leaks();
    memcheck::create_block(address, length, c"description");
    memcheck::get_vbits(address, buffer, length);
    valgrind::clo_change(c"--option");
    valgrind::load_pdb_debuginfo(-1, address, length, length);
    valgrind::map_ip_to_srcloc(address, buffer);
    valgrind::mempool_exists(address);
    valgrind::monitor_command(c"command");
    valgrind::non_simd_call0(call);
    valgrind_printf!("{}", black_box(length)).unwrap();
    valgrind_println!("{length}").unwrap();
    valgrind_printf_backtrace!("{length}\n").unwrap();
    valgrind_println_backtrace!().unwrap();
}
