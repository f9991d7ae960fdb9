//! The order in which threads take turns.
//!
//! On one CPU, the kernel still decides after each wake-up which thread goes on, by the time that all processes of
//! the machine have used. The policy `SCHED_FIFO` knows no time: a thread goes on until it waits, and threads that
//! wake up queue. The same threads then take the same turns in every run, also on a busy machine.
//!
//! The policy needs the right to real-time priorities. Without it, threads take turns as the kernel likes.

use std::ffi::{c_int, c_void};
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::{cpus, kernel};

/// The C library's function `pthread_create`, once it is known.
static CREATE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// `true` after the first thread of this process.
static HAS_POLICY: AtomicBool = AtomicBool::new(false);

/// `true` if this process has threads, but may not use the policy.
static IS_FORBIDDEN: AtomicBool = AtomicBool::new(false);

type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    Start,
    *mut c_void,
) -> c_int;

/// Looks up the function of the C library, so that no benchmark has to.
pub(crate) fn prepare_threads() {
    let _ = create();
}

fn create() -> Option<Create> {
    let mut function = CREATE.load(Ordering::Relaxed);
    if function.is_null() {
        // SAFETY: the name is a C string.
        function = unsafe { libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr()) };
        CREATE.store(function, Ordering::Relaxed);
    }
    // SAFETY: the function with this name has this type.
    NonNull::new(function)
        .map(|function| unsafe { mem::transmute::<NonNull<c_void>, Create>(function) })
}

/// Returns `true` if this process has started threads that take turns as the kernel likes.
pub(crate) fn has_unordered_threads() -> bool {
    IS_FORBIDDEN.load(Ordering::Relaxed)
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
    if cpus::are_fixed() && !HAS_POLICY.swap(true, Ordering::Relaxed) {
        cpus::pin();
        let lowest_priority: c_int = 1;
        let priority = &raw const lowest_priority as usize;
        let arguments = [0, libc::SCHED_FIFO as usize, priority, 0, 0, 0];
        // SAFETY: the pointer is valid during the call.
        let result = unsafe { kernel::call(libc::SYS_sched_setscheduler, arguments) };
        IS_FORBIDDEN.store(result < 0, Ordering::Relaxed);
    }
    match create() {
        // SAFETY: the caller is responsible for the arguments.
        Some(create) => unsafe { create(thread, attributes, start, argument) },
        None => libc::EAGAIN,
    }
}
