//! Functions of C of which old C libraries have several versions. The oldest ones expect other structures.

use std::env;
use std::ffi::{CString, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, ptr, thread};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use libc::{CLOCK_MONOTONIC, CLOCK_REALTIME, ETIMEDOUT, clockid_t, timespec};

/// Returns the time after this many nanoseconds.
fn after(clock: clockid_t, nanoseconds: i64) -> timespec {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid during the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let sum = time.tv_nsec + nanoseconds;
    timespec { tv_sec: time.tv_sec + sum / 1_000_000_000, tv_nsec: sum % 1_000_000_000 }
}

/// A condition with its mutex, between two words that nothing may change.
struct Guarded {
    before: usize,
    mutex: libc::pthread_mutex_t,
    condition: libc::pthread_cond_t,
    after: usize,
}

impl Guarded {
    const UNTOUCHED: [usize; 2] = [0x1111, 0x2222];

    fn new() -> Self {
        let [before, after] = Self::UNTOUCHED;
        // SAFETY: zeros are valid values of both.
        let (mutex, condition) = unsafe { (mem::zeroed(), mem::zeroed()) };
        Self { before, mutex, condition, after }
    }
}

/// Waits for another thread. The oldest version of the function reaches the limit, which fails.
#[library_benchmark]
fn signalled() {
    let is_ready = AtomicBool::new(false);
    let mut shared = Guarded::new();
    let mutex = (&raw mut shared.mutex).expose_provenance();
    let condition = (&raw mut shared.condition).expose_provenance();
    // SAFETY: both are valid until all threads have ended.
    let lock = || unsafe { libc::pthread_mutex_lock(ptr::with_exposed_provenance_mut(mutex)) };
    let unlock = || unsafe { libc::pthread_mutex_unlock(ptr::with_exposed_provenance_mut(mutex)) };
    lock();
    thread::scope(|scope| {
        scope.spawn(|| {
            lock();
            is_ready.store(true, Ordering::Relaxed);
            // SAFETY: as above.
            unsafe { libc::pthread_cond_signal(ptr::with_exposed_provenance_mut(condition)) };
            unlock();
        });
        let end = after(CLOCK_REALTIME, 5_000_000_000);
        let mut result = 0;
        while result == 0 && !is_ready.load(Ordering::Relaxed) {
            // SAFETY: as above.
            result = unsafe {
                libc::pthread_cond_timedwait(
                    ptr::with_exposed_provenance_mut(condition),
                    ptr::with_exposed_provenance_mut(mutex),
                    &raw const end,
                )
            };
        }
        unlock();
        assert_eq!(result, 0);
    });
}

/// Waits until the limit.
#[library_benchmark]
fn timed_out() {
    let mut shared = Guarded::new();
    let end = after(CLOCK_REALTIME, 1_000_000);
    // SAFETY: the pointers are valid during the calls.
    unsafe {
        libc::pthread_mutex_lock(&raw mut shared.mutex);
        let (condition, mutex) = (&raw mut shared.condition, &raw mut shared.mutex);
        assert_eq!(libc::pthread_cond_timedwait(condition, mutex, &raw const end), ETIMEDOUT);
        libc::pthread_mutex_unlock(&raw mut shared.mutex);
        assert_eq!(libc::pthread_cond_destroy(&raw mut shared.condition), 0);
    }
    assert_eq!([shared.before, shared.after], Guarded::UNTOUCHED);
}

/// Sets a timer, whose identifiers were another type once.
#[library_benchmark]
fn timer() {
    const SECONDS: i64 = 100;
    let none = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointers are null or valid during the calls; zeros are valid values of the types.
    unsafe {
        let mut event: libc::sigevent = mem::zeroed();
        event.sigev_notify = libc::SIGEV_NONE;
        let mut timer = mem::zeroed();
        assert_eq!(libc::timer_create(CLOCK_MONOTONIC, &raw mut event, &raw mut timer), 0);
        let end = after(CLOCK_MONOTONIC, SECONDS * 1_000_000_000);
        let new = libc::itimerspec { it_interval: none, it_value: end };
        let flags = libc::TIMER_ABSTIME;
        assert_eq!(libc::timer_settime(timer, flags, &raw const new, ptr::null_mut()), 0);
        let mut rest = libc::itimerspec { it_interval: none, it_value: none };
        assert_eq!(libc::timer_gettime(timer, &raw mut rest), 0);
        libc::timer_delete(timer);
        assert!(
            (SECONDS - 2..=SECONDS).contains(&rest.it_value.tv_sec),
            "{}",
            rest.it_value.tv_sec
        );
    }
}

type Waits = extern "C" fn() -> c_int;

/// Loads the function of a library in C++ that a test has built; there is none elsewhere.
fn load() -> Waits {
    extern "C" fn nothing() -> c_int {
        0
    }
    let Some(path) = env::var_os("WAITS_LIBRARY") else { return nothing };
    let path = CString::new(path.into_encoded_bytes()).unwrap();
    // SAFETY: the strings are C strings, and the function has this type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null(), "{path:?}");
        let function = libc::dlsym(library, c"wait_in_cpp".as_ptr());
        assert!(!function.is_null());
        mem::transmute::<*mut c_void, Waits>(function)
    }
}

/// Waits in C++.
#[library_benchmark]
#[bench::loaded(load())]
fn in_cpp(waits: Waits) {
    assert_eq!(waits(), 0);
}

library_benchmark_group!(name = current; benchmarks = signalled, timed_out, timer, in_cpp);
main!(library_benchmark_groups = current);
