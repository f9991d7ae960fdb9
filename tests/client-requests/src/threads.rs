//! Threads under helgrind and DRD.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use iai_callgrind::client_requests::{drd, helgrind};

use crate::answer::show;

/// A variable that two threads increase, one after the other
struct Shared(UnsafeCell<u64>);

// SAFETY: only accessed by the thread whose turn it is.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

/// True if it is the second thread's turn: an atomic, which the tools don't take for synchronization
static TURN: AtomicBool = AtomicBool::new(false);

fn address() -> *const () {
    SHARED.0.get().cast_const().cast()
}

#[inline(never)]
fn increase() {
    // SAFETY: it's this thread's turn.
    unsafe { *black_box(SHARED.0.get()) += 1 }
}

/// Calls `first` and then `second` in two threads
fn one_after_the_other(first: fn(), second: fn()) {
    // The atomic itself is not what is tested
    helgrind::annotate_benign_race_sized(TURN.as_ptr().cast_const().cast(), 1);
    drd::annotate_benign_race(&TURN);
    let other = thread::spawn(move || {
        first();
        TURN.store(true, Ordering::Release);
    });
    while !TURN.load(Ordering::Acquire) {
        thread::yield_now();
    }
    second();
    other.join().unwrap();
}

/// Makes a race, as the tools see it.
pub(crate) fn race() {
    one_after_the_other(increase, increase);
}

/// Prevents the race by helgrind's requests.
pub(crate) fn ordered() {
    one_after_the_other(
        || {
            increase();
            helgrind::annotate_happens_before(address());
        },
        || {
            helgrind::annotate_happens_after(address());
            increase();
        },
    );
}

/// Makes a race by a request that makes helgrind forget the order.
pub(crate) fn forgotten() {
    one_after_the_other(
        || {
            increase();
            helgrind::annotate_happens_before(address());
            helgrind::annotate_happens_before_forget_all(address());
        },
        || {
            helgrind::annotate_happens_after(address());
            increase();
        },
    );
}

/// Prevents the race by DRD's requests.
pub(crate) fn ordered_drd() {
    one_after_the_other(
        || {
            increase();
            drd::annotate_happens_before(address());
        },
        || {
            drd::annotate_happens_after(address());
            increase();
        },
    );
}

/// Prevents the race by a mutex of the program's own.
pub(crate) fn mutex() {
    fn increase_locked() {
        helgrind::mutex_lock_pre(address(), false);
        helgrind::mutex_lock_post(address());
        increase();
        helgrind::mutex_unlock_pre(address());
        helgrind::mutex_unlock_post(address());
    }
    helgrind::mutex_init_post(address(), false);
    one_after_the_other(increase_locked, increase_locked);
    helgrind::mutex_destroy_pre(address());
}

/// Prevents the race by a readers-writer lock of the program's own, for both tools.
pub(crate) fn rwlock() {
    fn increase_locked() {
        drd::annotate_rwlock_acquired(address(), true);
        increase();
        drd::annotate_rwlock_released(address(), true);
    }
    drd::annotate_rwlock_create(address());
    one_after_the_other(increase_locked, increase_locked);
    drd::annotate_rwlock_destroy(address());
}

/// Prevents the race by a request of the new owner of the memory.
pub(crate) fn cleaned() {
    one_after_the_other(increase, || {
        helgrind::clean_memory(address(), 8);
        increase();
    });
}

/// Prevents the race by a request that makes helgrind ignore the variable.
pub(crate) fn ignored() {
    helgrind::disable_checking(address(), 8);
    race();
    helgrind::enable_checking(address(), 8);
}

/// Prevents the race by a request that makes DRD ignore the variable.
pub(crate) fn ignored_drd() {
    drd::ignore_var(&SHARED.0);
    race();
    drd::stop_ignoring_var(&SHARED.0);
}

/// Prevents the race by a request that makes DRD ignore the reads and writes of the threads.
pub(crate) fn unrecorded() {
    fn increase_unrecorded() {
        drd::annotate_ignore_reads_and_writes_begin();
        increase();
        drd::annotate_ignore_reads_and_writes_end();
    }
    one_after_the_other(increase_unrecorded, increase_unrecorded);
}

/// Prints helgrind's view of memory.
pub(crate) fn helgrind_answers() {
    let block = black_box(vec![0_u8; 100]);
    let start: *const () = block.as_ptr().cast();
    show("block", helgrind::clean_memory_heapblock(start));
    show("not a block", helgrind::clean_memory_heapblock(start.wrapping_byte_add(1)));
    let mut bits = [0; 4];
    show("accessible", helgrind::get_abits(start, Some(&mut bits), 100));
    show("bits", bits);
    show("all accessible", helgrind::get_abits(start, None, 100));
    // An error: a lock that was never created
    helgrind::mutex_unlock_pre(start);
    // A semaphore, a barrier and a lock of this thread alone
    helgrind::sem_init_post(start, 1);
    helgrind::sem_wait_post(start);
    helgrind::sem_post_pre(start);
    helgrind::sem_destroy_pre(start);
    helgrind::barrier_init_pre(start, 1, true);
    helgrind::barrier_resize_pre(start, 2);
    helgrind::barrier_resize_pre(start, 1);
    helgrind::barrier_wait_pre(start);
    helgrind::barrier_destroy_pre(start);
    helgrind::annotate_rwlock_create(start);
    helgrind::annotate_rwlock_acquired(start, true);
    helgrind::annotate_rwlock_released(start, true);
    helgrind::annotate_rwlock_destroy(start);
}

/// Prints DRD's view of threads, and its output.
pub(crate) fn drd_answers() {
    show("Valgrind's number", drd::get_valgrind_threadid());
    show("DRD's number", drd::get_drd_threadid());
    show("another thread", thread::spawn(drd::get_drd_threadid).join().unwrap());
    drd::annotate_thread_name(c"the thread of the test");

    let traced = UnsafeCell::new(0_u64);
    drd::trace_var(&traced);
    // SAFETY: only this thread has it.
    unsafe { *black_box(traced.get()) += 1 };
    drd::stop_tracing_var(&traced);

    let lock: *const () = (&raw const traced).cast();
    drd::annotate_rwlock_create(lock);
    drd::annotate_rwlock_acquired(lock, false);
    drd::annotate_rwlock_released(lock, false);
    drd::annotate_rwlock_destroy(lock);
    drd::annotate_sem_init_pre(lock, 1);
    drd::annotate_sem_wait_pre(lock);
    drd::annotate_sem_wait_post(lock);
    drd::annotate_sem_post_pre(lock);
    drd::annotate_sem_destroy_post(lock);
    drd::annotate_new_memory(lock, 8);
    let mutex = UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER);
    // SAFETY: a mutex that this thread locks and unlocks.
    unsafe {
        libc::pthread_mutex_lock(mutex.get());
        // DRD knows it from now on
        drd::ignore_mutex_ordering(mutex.get().cast_const().cast());
        libc::pthread_mutex_unlock(mutex.get());
    }
    race();
}
