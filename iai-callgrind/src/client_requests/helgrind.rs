//! The requests of `helgrind.h`: what helgrind can't see of the synchronization of threads.
//!
//! Helgrind understands POSIX threads. A lock that is made of atomics, as those of Rust's standard
//! library on Linux are, has to be described: make the requests at the places that their names say.
//! Objects are named by an address, which is only compared. The tools other than helgrind ignore these
//! requests, with the exception of DRD, which knows those that [`drd`](super::drd) has as well.
//!
//! ```
//! use std::sync::atomic::{AtomicBool, Ordering};
//!
//! use iai_callgrind::client_requests::helgrind;
//!
//! static READY: AtomicBool = AtomicBool::new(false);
//!
//! fn publish() {
//!     helgrind::annotate_happens_before((&raw const READY).cast());
//!     READY.store(true, Ordering::Release);
//! }
//!
//! fn consume() {
//!     while !READY.load(Ordering::Acquire) {}
//!     helgrind::annotate_happens_after((&raw const READY).cast());
//! }
//! # publish();
//! # consume();
//! ```

use valgrind_headers::helgrind::{
    HG_ARANGE_MAKE_TRACKED, HG_ARANGE_MAKE_UNTRACKED, HG_CLEAN_MEMORY, HG_CLEAN_MEMORY_HEAPBLOCK,
    HG_GET_ABITS, HG_GNAT_DEPENDENT_MASTER_JOIN, HG_POSIX_SEM_ACQUIRED, HG_POSIX_SEM_DESTROY_PRE,
    HG_POSIX_SEM_INIT_POST, HG_POSIX_SEM_RELEASED, HG_PTHREAD_BARRIER_DESTROY_PRE,
    HG_PTHREAD_BARRIER_INIT_PRE, HG_PTHREAD_BARRIER_RESIZE_PRE, HG_PTHREAD_BARRIER_WAIT_PRE,
    HG_PTHREAD_MUTEX_ACQUIRE_POST, HG_PTHREAD_MUTEX_ACQUIRE_PRE, HG_PTHREAD_MUTEX_DESTROY_PRE,
    HG_PTHREAD_MUTEX_INIT_POST, HG_PTHREAD_MUTEX_UNLOCK_POST, HG_PTHREAD_MUTEX_UNLOCK_PRE,
    HG_PTHREAD_RWLOCK_ACQUIRED, HG_PTHREAD_RWLOCK_DESTROY_PRE, HG_PTHREAD_RWLOCK_INIT_POST,
    HG_PTHREAD_RWLOCK_RELEASED, HG_USERSO_FORGET_ALL, HG_USERSO_RECV_POST, HG_USERSO_SEND_PRE,
};

use super::request;

/// What the requests with a result return if this is not helgrind: -2.
const NOT_HELGRIND: usize = usize::MAX - 1;

/// The number that C takes this word for.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "small negative numbers are what is meant")]
fn signed(word: usize) -> isize {
    word as isize
}

/// Has helgrind forget all about this memory, which then belongs to this thread. For allocators that use
/// memory again.
#[inline(always)]
pub fn clean_memory(start: *const (), len: usize) {
    request(0, HG_CLEAN_MEMORY, [start.expose_provenance(), len]);
}

/// Like [`clean_memory`], for the heap block that starts here.
///
/// Returns its length in bytes, -1 if there is no such block, and -2 if this is not helgrind.
#[inline(always)]
pub fn clean_memory_heapblock(block: *const ()) -> isize {
    signed(request(NOT_HELGRIND, HG_CLEAN_MEMORY_HEAPBLOCK, [block.expose_provenance()]))
}

/// Has helgrind ignore accesses to this memory, until it is allocated anew.
#[inline(always)]
pub fn disable_checking(start: *const (), len: usize) {
    request(0, HG_ARANGE_MAKE_UNTRACKED, [start.expose_provenance(), len]);
}

/// Has helgrind check accesses to this memory again. It then belongs to this thread.
#[inline(always)]
pub fn enable_checking(start: *const (), len: usize) {
    request(0, HG_ARANGE_MAKE_TRACKED, [start.expose_provenance(), len]);
}

/// Counts the bytes of this memory that may be accessed. With `bits`, which has to be as long, each of its
/// bytes becomes 0xff or 0 accordingly; of a shorter one only as much memory as it has bytes is looked at.
///
/// Returns -1 if `bits` itself may not be accessed, and -2 if this is not helgrind.
#[inline(always)]
pub fn get_abits(addr: *const (), bits: Option<&mut [u8]>, len: usize) -> isize {
    let (bits, len) = match bits {
        Some(bits) => (bits.as_mut_ptr().expose_provenance(), len.min(bits.len())),
        None => (0, len),
    };
    signed(request(NOT_HELGRIND, HG_GET_ABITS, [addr.expose_provenance(), bits, len]))
}

/// A mutex of your own was created.
#[inline(always)]
pub fn mutex_init_post(mutex: *const (), is_recursive: bool) {
    request(0, HG_PTHREAD_MUTEX_INIT_POST, [mutex.expose_provenance(), usize::from(is_recursive)]);
}

/// This thread is about to lock the mutex, or to try.
#[inline(always)]
pub fn mutex_lock_pre(mutex: *const (), is_try_lock: bool) {
    request(0, HG_PTHREAD_MUTEX_ACQUIRE_PRE, [mutex.expose_provenance(), usize::from(is_try_lock)]);
}

/// This thread has just locked the mutex.
#[inline(always)]
pub fn mutex_lock_post(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_ACQUIRE_POST, [mutex.expose_provenance()]);
}

/// This thread is about to unlock the mutex.
#[inline(always)]
pub fn mutex_unlock_pre(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_UNLOCK_PRE, [mutex.expose_provenance()]);
}

/// This thread has just unlocked the mutex.
#[inline(always)]
pub fn mutex_unlock_post(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_UNLOCK_POST, [mutex.expose_provenance()]);
}

/// The mutex is about to be destroyed.
#[inline(always)]
pub fn mutex_destroy_pre(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_DESTROY_PRE, [mutex.expose_provenance()]);
}

/// A semaphore of your own was created with this value.
#[inline(always)]
pub fn sem_init_post(semaphore: *const (), value: usize) {
    request(0, HG_POSIX_SEM_INIT_POST, [semaphore.expose_provenance(), value]);
}

/// This thread has just waited for the semaphore.
#[inline(always)]
pub fn sem_wait_post(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_ACQUIRED, [semaphore.expose_provenance()]);
}

/// This thread is about to increase the semaphore.
#[inline(always)]
pub fn sem_post_pre(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_RELEASED, [semaphore.expose_provenance()]);
}

/// The semaphore is about to be destroyed.
#[inline(always)]
pub fn sem_destroy_pre(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_DESTROY_PRE, [semaphore.expose_provenance()]);
}

/// A barrier of your own for this number of threads is about to be created.
#[inline(always)]
pub fn barrier_init_pre(barrier: *const (), count: usize, is_resizable: bool) {
    request(
        0,
        HG_PTHREAD_BARRIER_INIT_PRE,
        [barrier.expose_provenance(), count, usize::from(is_resizable)],
    );
}

/// This thread is about to wait at the barrier.
#[inline(always)]
pub fn barrier_wait_pre(barrier: *const ()) {
    request(0, HG_PTHREAD_BARRIER_WAIT_PRE, [barrier.expose_provenance()]);
}

/// The barrier is about to be one for this number of threads.
#[inline(always)]
pub fn barrier_resize_pre(barrier: *const (), count: usize) {
    request(0, HG_PTHREAD_BARRIER_RESIZE_PRE, [barrier.expose_provenance(), count]);
}

/// The barrier is about to be destroyed.
#[inline(always)]
pub fn barrier_destroy_pre(barrier: *const ()) {
    request(0, HG_PTHREAD_BARRIER_DESTROY_PRE, [barrier.expose_provenance()]);
}

/// What this thread did up to here happens before what any thread does after a later
/// [`annotate_happens_after`] with the same object.
///
/// Make the request right before the synchronization, and the other one right after it.
#[inline(always)]
pub fn annotate_happens_before(obj: *const ()) {
    request(0, HG_USERSO_SEND_PRE, [obj.expose_provenance()]);
}

/// See [`annotate_happens_before`].
#[inline(always)]
pub fn annotate_happens_after(obj: *const ()) {
    request(0, HG_USERSO_RECV_POST, [obj.expose_provenance()]);
}

/// Has helgrind forget all [`annotate_happens_before`] with this object, and free what it stored for them.
#[inline(always)]
pub fn annotate_happens_before_forget_all(obj: *const ()) {
    request(0, HG_USERSO_FORGET_ALL, [obj.expose_provenance()]);
}

/// An allocator of your own allocated this memory. The same as [`clean_memory`].
#[inline(always)]
pub fn annotate_new_memory(addr: *const (), size: usize) {
    request(0, HG_CLEAN_MEMORY, [addr.expose_provenance(), size]);
}

/// Races on this memory are intended. The same as [`disable_checking`].
#[inline(always)]
pub fn annotate_benign_race_sized(addr: *const (), size: usize) {
    request(0, HG_ARANGE_MAKE_UNTRACKED, [addr.expose_provenance(), size]);
}

/// A readers-writer lock of your own was created. Its address is what tells it from others.
#[inline(always)]
pub fn annotate_rwlock_create(lock: *const ()) {
    request(0, HG_PTHREAD_RWLOCK_INIT_POST, [lock.expose_provenance()]);
}

/// The lock is about to be destroyed.
#[inline(always)]
pub fn annotate_rwlock_destroy(lock: *const ()) {
    request(0, HG_PTHREAD_RWLOCK_DESTROY_PRE, [lock.expose_provenance()]);
}

/// This thread has just got the lock, as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_acquired(lock: *const (), is_writer_lock: bool) {
    request(0, HG_PTHREAD_RWLOCK_ACQUIRED, [lock.expose_provenance(), usize::from(is_writer_lock)]);
}

/// The lock is about to be released. Helgrind doesn't need to know as what; the argument is the one that
/// [`drd`](super::drd) needs.
#[inline(always)]
pub fn annotate_rwlock_released(lock: *const (), _is_writer_lock: bool) {
    request(0, HG_PTHREAD_RWLOCK_RELEASED, [lock.expose_provenance()]);
}

/// The Ada task `master` has seen the end of the task `dependent`, both compiled by GNAT.
#[inline(always)]
pub fn gnat_dependent_master_join(dependent: *const (), master: *const ()) {
    request(
        0,
        HG_GNAT_DEPENDENT_MASTER_JOIN,
        [dependent.expose_provenance(), master.expose_provenance()],
    );
}
