//! Requests of `helgrind.h`: descriptions of the synchronization of threads.
//!
//! Helgrind understands POSIX threads. A program must describe locks that consist of atomics, as those of
//! Rust's standard library on Linux: each request has its place in the name. An address identifies each
//! object and is never accessed. Other tools ignore these requests, except for DRD, which supports those
//! that the module [`drd`](super::drd) has too.
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

/// Result of the requests without helgrind: -2.
const NOT_HELGRIND: usize = usize::MAX - 1;

/// Converts a word to the signed number that it is in C.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "small negative numbers are intended")]
fn signed(word: usize) -> isize {
    word as isize
}

/// Makes helgrind forget earlier accesses to this memory, which then belongs to this thread. For
/// allocators that reuse memory.
#[inline(always)]
pub fn clean_memory(start: *const (), len: usize) {
    request(0, HG_CLEAN_MEMORY, [start.expose_provenance(), len]);
}

/// Works like [`clean_memory`], for the heap block that starts here.
///
/// Returns the length of the block in bytes, -1 if there is no such block, and -2 without helgrind.
#[inline(always)]
pub fn clean_memory_heapblock(block: *const ()) -> isize {
    signed(request(NOT_HELGRIND, HG_CLEAN_MEMORY_HEAPBLOCK, [block.expose_provenance()]))
}

/// Makes helgrind ignore accesses to this memory until it is allocated again.
#[inline(always)]
pub fn disable_checking(start: *const (), len: usize) {
    request(0, HG_ARANGE_MAKE_UNTRACKED, [start.expose_provenance(), len]);
}

/// Makes helgrind check accesses to this memory again, which then belongs to this thread.
#[inline(always)]
pub fn enable_checking(start: *const (), len: usize) {
    request(0, HG_ARANGE_MAKE_TRACKED, [start.expose_provenance(), len]);
}

/// Counts the accessible bytes of this memory. Each byte of `bits` is set to 0xff for an accessible byte
/// and to 0 for another one. If `bits` is shorter than `len`, only that many bytes are checked.
///
/// Returns -1 if `bits` itself is not accessible, and -2 without helgrind.
#[inline(always)]
pub fn get_abits(addr: *const (), bits: Option<&mut [u8]>, len: usize) -> isize {
    let (bits, len) = match bits {
        Some(bits) => (bits.as_mut_ptr().expose_provenance(), len.min(bits.len())),
        None => (0, len),
    };
    signed(request(NOT_HELGRIND, HG_GET_ABITS, [addr.expose_provenance(), bits, len]))
}

/// Reports the creation of a custom mutex.
#[inline(always)]
pub fn mutex_init_post(mutex: *const (), is_recursive: bool) {
    request(0, HG_PTHREAD_MUTEX_INIT_POST, [mutex.expose_provenance(), usize::from(is_recursive)]);
}

/// Reports that this thread will lock the mutex, or try to.
#[inline(always)]
pub fn mutex_lock_pre(mutex: *const (), is_try_lock: bool) {
    request(0, HG_PTHREAD_MUTEX_ACQUIRE_PRE, [mutex.expose_provenance(), usize::from(is_try_lock)]);
}

/// Reports that this thread has locked the mutex.
#[inline(always)]
pub fn mutex_lock_post(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_ACQUIRE_POST, [mutex.expose_provenance()]);
}

/// Reports that this thread will unlock the mutex.
#[inline(always)]
pub fn mutex_unlock_pre(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_UNLOCK_PRE, [mutex.expose_provenance()]);
}

/// Reports that this thread has unlocked the mutex.
#[inline(always)]
pub fn mutex_unlock_post(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_UNLOCK_POST, [mutex.expose_provenance()]);
}

/// Reports that the mutex will be destroyed.
#[inline(always)]
pub fn mutex_destroy_pre(mutex: *const ()) {
    request(0, HG_PTHREAD_MUTEX_DESTROY_PRE, [mutex.expose_provenance()]);
}

/// Reports the creation of a custom semaphore with this value.
#[inline(always)]
pub fn sem_init_post(semaphore: *const (), value: usize) {
    request(0, HG_POSIX_SEM_INIT_POST, [semaphore.expose_provenance(), value]);
}

/// Reports that this thread has waited for the semaphore.
#[inline(always)]
pub fn sem_wait_post(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_ACQUIRED, [semaphore.expose_provenance()]);
}

/// Reports that this thread will increase the semaphore.
#[inline(always)]
pub fn sem_post_pre(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_RELEASED, [semaphore.expose_provenance()]);
}

/// Reports that the semaphore will be destroyed.
#[inline(always)]
pub fn sem_destroy_pre(semaphore: *const ()) {
    request(0, HG_POSIX_SEM_DESTROY_PRE, [semaphore.expose_provenance()]);
}

/// Reports that a custom barrier for this number of threads will be created.
#[inline(always)]
pub fn barrier_init_pre(barrier: *const (), count: usize, is_resizable: bool) {
    request(
        0,
        HG_PTHREAD_BARRIER_INIT_PRE,
        [barrier.expose_provenance(), count, usize::from(is_resizable)],
    );
}

/// Reports that this thread will wait at the barrier.
#[inline(always)]
pub fn barrier_wait_pre(barrier: *const ()) {
    request(0, HG_PTHREAD_BARRIER_WAIT_PRE, [barrier.expose_provenance()]);
}

/// Reports that the barrier will be resized to this number of threads.
#[inline(always)]
pub fn barrier_resize_pre(barrier: *const (), count: usize) {
    request(0, HG_PTHREAD_BARRIER_RESIZE_PRE, [barrier.expose_provenance(), count]);
}

/// Reports that the barrier will be destroyed.
#[inline(always)]
pub fn barrier_destroy_pre(barrier: *const ()) {
    request(0, HG_PTHREAD_BARRIER_DESTROY_PRE, [barrier.expose_provenance()]);
}

/// Orders the accesses of this thread before those of any thread after a later
/// [`annotate_happens_after`] with the same object.
///
/// Make this request right before the synchronization, and the other one right after it.
#[inline(always)]
pub fn annotate_happens_before(obj: *const ()) {
    request(0, HG_USERSO_SEND_PRE, [obj.expose_provenance()]);
}

/// Ends the order of [`annotate_happens_before`].
#[inline(always)]
pub fn annotate_happens_after(obj: *const ()) {
    request(0, HG_USERSO_RECV_POST, [obj.expose_provenance()]);
}

/// Makes helgrind forget all [`annotate_happens_before`] with this object, and free their data.
#[inline(always)]
pub fn annotate_happens_before_forget_all(obj: *const ()) {
    request(0, HG_USERSO_FORGET_ALL, [obj.expose_provenance()]);
}

/// Reports that a custom allocator allocated this memory, as [`clean_memory`] does.
#[inline(always)]
pub fn annotate_new_memory(addr: *const (), size: usize) {
    request(0, HG_CLEAN_MEMORY, [addr.expose_provenance(), size]);
}

/// Marks races on this memory as intended, as [`disable_checking`] does.
#[inline(always)]
pub fn annotate_benign_race_sized(addr: *const (), size: usize) {
    request(0, HG_ARANGE_MAKE_UNTRACKED, [addr.expose_provenance(), size]);
}

/// Reports the creation of a custom readers-writer lock, which its address identifies.
#[inline(always)]
pub fn annotate_rwlock_create(lock: *const ()) {
    request(0, HG_PTHREAD_RWLOCK_INIT_POST, [lock.expose_provenance()]);
}

/// Reports that the lock will be destroyed.
#[inline(always)]
pub fn annotate_rwlock_destroy(lock: *const ()) {
    request(0, HG_PTHREAD_RWLOCK_DESTROY_PRE, [lock.expose_provenance()]);
}

/// Reports that this thread has acquired the lock, as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_acquired(lock: *const (), is_writer_lock: bool) {
    request(0, HG_PTHREAD_RWLOCK_ACQUIRED, [lock.expose_provenance(), usize::from(is_writer_lock)]);
}

/// Reports that the lock will be released. Only [`drd`](super::drd) uses the second argument.
#[inline(always)]
pub fn annotate_rwlock_released(lock: *const (), _is_writer_lock: bool) {
    request(0, HG_PTHREAD_RWLOCK_RELEASED, [lock.expose_provenance()]);
}

/// Reports that the Ada task `master` has seen the end of the task `dependent`, both compiled by GNAT.
#[inline(always)]
pub fn gnat_dependent_master_join(dependent: *const (), master: *const ()) {
    request(
        0,
        HG_GNAT_DEPENDENT_MASTER_JOIN,
        [dependent.expose_provenance(), master.expose_provenance()],
    );
}
