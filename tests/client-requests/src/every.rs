//! Requests to every tool.

use std::ptr::null;

use iai_callgrind::client_requests::{
    ThreadId, cachegrind, callgrind, dhat, drd, helgrind, memcheck, valgrind,
};
use iai_callgrind::{
    valgrind_printf, valgrind_printf_backtrace, valgrind_println, valgrind_println_backtrace,
};

use crate::answer::show;

/// Prints to Valgrind's log
pub(crate) fn prints() {
    valgrind_printf!("one {} ", 2).unwrap();
    valgrind_printf!("100% %s\n").unwrap();
    let captured = "value";
    valgrind_println!("captured {captured:>8}").unwrap();
    valgrind_println!("{}.", "long".repeat(500)).unwrap();
    valgrind_println!().unwrap();
    show("zero byte", valgrind_println!("cut\0off"));
    valgrind_println!().unwrap();
    let mut evaluated = false;
    valgrind_println!("{}", {
        evaluated = true;
        "evaluated"
    })
    .unwrap();
    show("evaluated", evaluated);
    printing_function();
}

#[inline(never)]
fn printing_function() {
    valgrind_printf_backtrace!("with a backtrace\n").unwrap();
    valgrind_println_backtrace!("and another").unwrap();
}

/// Prints the answers of every tool.
pub(crate) fn core() {
    extern "C" fn add(_: ThreadId, a: usize, b: usize, c: usize) -> usize {
        a + b + c
    }
    extern "C" fn double(_: ThreadId, a: usize) -> usize {
        2 * a
    }
    extern "C" fn difference(_: ThreadId, a: usize, b: usize) -> usize {
        a - b
    }
    extern "C" fn thread(id: ThreadId) -> usize {
        id
    }
    show("running on", valgrind::running_on_valgrind());
    show("call 0", valgrind::non_simd_call0(thread));
    show("call 1", valgrind::non_simd_call1(double, 21));
    show("call 2", valgrind::non_simd_call2(difference, 50, 8));
    show("call 3", valgrind::non_simd_call3(add, 1, 2, 3));
    show("command", valgrind::monitor_command(c"v.info location 0"));
    show("unknown command", valgrind::monitor_command(c"there is no such command"));

    let mut buffer = [b'?'; 64];
    show("location", valgrind::map_ip_to_srcloc(core as *const (), &mut buffer));
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or_default();
    let file = String::from_utf8_lossy(&buffer[..end]).into_owned();
    show("source file", file.split(':').next().unwrap_or_default());
    valgrind::discard_translations(core as *const (), 64);
    valgrind::clo_change(c"--no-such-option=yes");
}

/// Makes every request that has no effect on what comes after it, as tools other than the one it is
/// meant for see them
pub(crate) fn every() {
    let memory = [0_usize; 8];
    let (memory, length): (*const (), _) = (memory.as_ptr().cast(), size_of_val(&memory));
    callgrind::dump_stats();
    callgrind::dump_stats_at(c"every");
    callgrind::zero_stats();
    callgrind::toggle_collect();
    callgrind::start_instrumentation();
    cachegrind::start_instrumentation();
    dhat::ad_hoc_event(1);
    dhat::histogram_memory(memory);
    show("make_mem_noaccess", memcheck::make_mem_noaccess(null(), 0));
    show("create_block", memcheck::create_block(memory, 0, c"description"));
    show("check_mem_is_defined", memcheck::check_mem_is_defined(memory, length));
    memcheck::do_quick_leak_check();
    show("count_leaks", memcheck::count_leaks());
    show("count_leak_blocks", memcheck::count_leak_blocks());
    show("get_vbits", memcheck::get_vbits(memory, &mut [0; 8], 8));
    helgrind::clean_memory(memory, length);
    show("clean_memory_heapblock", helgrind::clean_memory_heapblock(memory));
    show("get_abits", helgrind::get_abits(memory, None, length));
    show("get_drd_threadid", drd::get_drd_threadid());
    show("get_valgrind_threadid", drd::get_valgrind_threadid());
    drd::annotate_thread_name(c"every");
    show("replaces_malloc", valgrind::replaces_malloc());
    let mut name = [0; 32];
    show("get_toolname", valgrind::get_toolname(&mut name));
    show("name", String::from_utf8_lossy(&name).trim_end_matches('\0'));
    show("count_errors", valgrind::count_errors());
}
