//! The order in which threads and processes take turns.
//!
//! On one CPU, the kernel still decides after each wake-up which thread goes on, by the time that all processes of
//! the machine have used. The policy `SCHED_FIFO` knows no time: a thread goes on until it waits, and threads that
//! wake up queue. The same threads then take the same turns in every run, also on a busy machine.
//!
//! The policy needs the right to real-time priorities, and a runner that stops each thread at the end of its time slice:
//! otherwise a thread that spins never lets the others run. Without either, the kernel schedules the threads.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use super::c_library::functions_of_c_library;
use iai_callgrind_plan::protocol::REAL_TIME_PRIORITY;

use super::{cpus, kernel};

functions_of_c_library!(own: pthread_create);

/// `true` after the first thread of this process, or the first process that its benchmark starts.
static HAS_POLICY: AtomicBool = AtomicBool::new(false);

/// `true` in a process that runs a single benchmark.
static IS_BENCHMARK: AtomicBool = AtomicBool::new(false);

/// `true` after the first thread of a process whose CPUs are those of the machine.
static HAS_NATIVE_THREADS: AtomicBool = AtomicBool::new(false);

/// `true` if the runner stops threads at the end of their time slices.
static ARE_STOPPED: AtomicBool = AtomicBool::new(false);

/// `true` if this process has threads or processes, but may not use the policy.
static IS_FORBIDDEN: AtomicBool = AtomicBool::new(false);

type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    Start,
    *mut c_void,
) -> c_int;

/// Sets whether the runner stops the threads of this process and its children at the end of their time slices.
pub(crate) fn fix_order(are_stopped: bool) {
    ARE_STOPPED.store(are_stopped, Ordering::Relaxed);
}

/// Starts a benchmark in this process, whose processes have an order as well. A server has none: its benchmarks would
/// inherit it.
pub(crate) fn begin_benchmark() {
    IS_BENCHMARK.store(true, Ordering::Relaxed);
}

/// Makes this process a server again after [`begin_benchmark`].
pub(super) fn end_benchmark() {
    IS_BENCHMARK.store(false, Ordering::Relaxed);
}

/// Returns `true` if this process has started threads or processes that the kernel schedules.
pub(crate) fn has_unordered_threads() -> bool {
    IS_FORBIDDEN.load(Ordering::Relaxed)
}

/// Returns `true` if this process, or the one that it was forked from, has started threads that take turns, or its benchmark
/// has started processes. They may have ended.
pub(crate) fn has_started_threads() -> bool {
    HAS_POLICY.load(Ordering::Relaxed)
}

/// Returns `true` if this process has started threads, which may have ended, and sees the CPUs of the machine.
pub(crate) fn has_native_threads() -> bool {
    HAS_NATIVE_THREADS.load(Ordering::Relaxed)
}

/// Gives a benchmark that starts a process its CPU and the policy, which processes inherit.
pub(super) fn order_processes() {
    if IS_BENCHMARK.load(Ordering::Relaxed) && cpus::are_fixed() {
        fix_turns();
    }
}

/// Gives this process its CPU and the policy, once.
fn fix_turns() {
    if HAS_POLICY.swap(true, Ordering::Relaxed) {
        return;
    }
    cpus::pin();
    let has_policy = ARE_STOPPED.load(Ordering::Relaxed) && {
        let priority: c_int = REAL_TIME_PRIORITY;
        let priority = &raw const priority as usize;
        let arguments = [0, libc::SCHED_FIFO as usize, priority, 0, 0, 0];
        // SAFETY: the pointer is valid during the call.
        unsafe { kernel::call(libc::SYS_sched_setscheduler, arguments) >= 0 }
    };
    IS_FORBIDDEN.store(!has_policy, Ordering::Relaxed);
}

/// Starts a thread as `pthread_create(3)` does. Before the first one, the process gets its CPU and the policy, which
/// threads inherit. A process with a single thread has no use for either.
///
/// # Safety
///
/// The arguments are valid for `pthread_create`.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    if cpus::are_fixed() {
        fix_turns();
    } else {
        HAS_NATIVE_THREADS.store(true, Ordering::Relaxed);
    }
    // SAFETY: the C library's function has this type; the caller is responsible for the arguments.
    unsafe {
        let create: Create = own::pthread_create.get();
        create(thread, attributes, start, argument)
    }
}
