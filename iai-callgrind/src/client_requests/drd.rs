//! The requests of `drd.h`: what DRD can't see of the synchronization of threads, and what it shall
//! show.
//!
//! DRD understands POSIX threads. A lock that is made of atomics has to be described. Objects are named
//! by an address, which is only compared. The tools other than DRD ignore these requests, with the
//! exception of helgrind, which knows those that [`helgrind`](super::helgrind) has as well.

use core::ffi::CStr;

use valgrind_headers::drd::{
    DRD_ANNOTATE_HAPPENS_AFTER, DRD_ANNOTATE_HAPPENS_BEFORE, DRD_ANNOTATE_RWLOCK_ACQUIRED,
    DRD_ANNOTATE_RWLOCK_CREATE, DRD_ANNOTATE_RWLOCK_DESTROY, DRD_ANNOTATE_RWLOCK_RELEASED,
    DRD_ANNOTATE_SEM_DESTROY_POST, DRD_ANNOTATE_SEM_INIT_PRE, DRD_ANNOTATE_SEM_POST_PRE,
    DRD_ANNOTATE_SEM_WAIT_POST, DRD_ANNOTATE_SEM_WAIT_PRE, DRD_CLEAN_MEMORY,
    DRD_FINISH_SUPPRESSION, DRD_GET_DRD_THREAD_ID, DRD_GET_VALGRIND_THREAD_ID,
    DRD_IGNORE_MUTEX_ORDERING, DRD_RECORD_LOADS, DRD_RECORD_STORES, DRD_SET_THREAD_NAME,
    DRD_START_SUPPRESSION, DRD_START_TRACE_ADDR, DRD_STOP_TRACE_ADDR,
};

use super::request;

/// The number that Valgrind has for this thread. It may be given again once the thread has ended. 0 if
/// this is not DRD.
#[inline(always)]
pub fn get_valgrind_threadid() -> usize {
    request(0, DRD_GET_VALGRIND_THREAD_ID, [])
}

/// The number that DRD has for this thread, as in its messages. 0 if this is not DRD.
#[inline(always)]
pub fn get_drd_threadid() -> usize {
    request(0, DRD_GET_DRD_THREAD_ID, [])
}

/// Has DRD report no races on this variable.
#[inline(always)]
pub fn ignore_var<T: ?Sized>(var: &T) {
    request(
        0,
        DRD_START_SUPPRESSION,
        [core::ptr::from_ref(var).expose_provenance(), size_of_val(var)],
    );
}

/// Has DRD report races on this variable again.
#[inline(always)]
pub fn stop_ignoring_var<T: ?Sized>(var: &T) {
    request(
        0,
        DRD_FINISH_SUPPRESSION,
        [core::ptr::from_ref(var).expose_provenance(), size_of_val(var)],
    );
}

/// Has DRD show every access to this variable until its memory is freed.
#[inline(always)]
pub fn trace_var<T: ?Sized>(var: &T) {
    request(
        0,
        DRD_START_TRACE_ADDR,
        [core::ptr::from_ref(var).expose_provenance(), size_of_val(var)],
    );
}

/// Has DRD show no more accesses to this variable.
#[inline(always)]
pub fn stop_tracing_var<T: ?Sized>(var: &T) {
    request(
        0,
        DRD_STOP_TRACE_ADDR,
        [core::ptr::from_ref(var).expose_provenance(), size_of_val(var)],
    );
}

/// What this thread did up to here happens before what any thread does after a later
/// [`annotate_happens_after`] with the same object.
///
/// Make the request right before the synchronization, and the other one right after it.
#[inline(always)]
pub fn annotate_happens_before(obj: *const ()) {
    request(0, DRD_ANNOTATE_HAPPENS_BEFORE, [obj.expose_provenance()]);
}

/// See [`annotate_happens_before`]. It is an error if no thread made that request before.
#[inline(always)]
pub fn annotate_happens_after(obj: *const ()) {
    request(0, DRD_ANNOTATE_HAPPENS_AFTER, [obj.expose_provenance()]);
}

/// A readers-writer lock of your own was created. Its address is what tells it from others.
#[inline(always)]
pub fn annotate_rwlock_create(lock: *const ()) {
    request(0, DRD_ANNOTATE_RWLOCK_CREATE, [lock.expose_provenance()]);
}

/// The lock is about to be destroyed.
#[inline(always)]
pub fn annotate_rwlock_destroy(lock: *const ()) {
    request(0, DRD_ANNOTATE_RWLOCK_DESTROY, [lock.expose_provenance()]);
}

/// This thread has just got the lock, as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_acquired(lock: *const (), is_writer_lock: bool) {
    request(
        0,
        DRD_ANNOTATE_RWLOCK_ACQUIRED,
        [lock.expose_provenance(), usize::from(is_writer_lock)],
    );
}

/// This thread is about to release the lock that it has as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_released(lock: *const (), is_writer_lock: bool) {
    request(
        0,
        DRD_ANNOTATE_RWLOCK_RELEASED,
        [lock.expose_provenance(), usize::from(is_writer_lock)],
    );
}

/// A semaphore of your own is about to be created with this value.
#[inline(always)]
pub fn annotate_sem_init_pre(semaphore: *const (), value: usize) {
    request(0, DRD_ANNOTATE_SEM_INIT_PRE, [semaphore.expose_provenance(), value]);
}

/// The semaphore was destroyed.
#[inline(always)]
pub fn annotate_sem_destroy_post(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_DESTROY_POST, [semaphore.expose_provenance()]);
}

/// This thread is about to wait for the semaphore.
#[inline(always)]
pub fn annotate_sem_wait_pre(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_WAIT_PRE, [semaphore.expose_provenance()]);
}

/// This thread has just waited for the semaphore.
#[inline(always)]
pub fn annotate_sem_wait_post(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_WAIT_POST, [semaphore.expose_provenance()]);
}

/// This thread is about to increase the semaphore.
#[inline(always)]
pub fn annotate_sem_post_pre(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_POST_PRE, [semaphore.expose_provenance()]);
}

/// Races on this variable are intended. The same as [`ignore_var`].
#[inline(always)]
pub fn annotate_benign_race<T: ?Sized>(addr: &T) {
    request(
        0,
        DRD_START_SUPPRESSION,
        [core::ptr::from_ref(addr).expose_provenance(), size_of_val(addr)],
    );
}

/// Races on the `size` bytes from here are intended.
#[inline(always)]
pub fn annotate_benign_race_sized<T: ?Sized>(addr: &T, size: usize) {
    request(0, DRD_START_SUPPRESSION, [core::ptr::from_ref(addr).expose_provenance(), size]);
}

/// Has DRD ignore what this thread reads.
#[inline(always)]
pub fn annotate_ignore_reads_begin() {
    request(0, DRD_RECORD_LOADS, [0]);
}

/// Has DRD check again what this thread reads.
#[inline(always)]
pub fn annotate_ignore_reads_end() {
    request(0, DRD_RECORD_LOADS, [1]);
}

/// Has DRD ignore what this thread writes.
#[inline(always)]
pub fn annotate_ignore_writes_begin() {
    request(0, DRD_RECORD_STORES, [0]);
}

/// Has DRD check again what this thread writes.
#[inline(always)]
pub fn annotate_ignore_writes_end() {
    request(0, DRD_RECORD_STORES, [1]);
}

/// Has DRD ignore what this thread reads and writes. These are two requests.
#[inline(always)]
pub fn annotate_ignore_reads_and_writes_begin() {
    annotate_ignore_reads_begin();
    annotate_ignore_writes_begin();
}

/// Has DRD check again what this thread reads and writes. These are two requests.
#[inline(always)]
pub fn annotate_ignore_reads_and_writes_end() {
    annotate_ignore_reads_end();
    annotate_ignore_writes_end();
}

/// An allocator of your own allocated this memory: DRD forgets all about it.
#[inline(always)]
pub fn annotate_new_memory(addr: *const (), size: usize) {
    request(0, DRD_CLEAN_MEMORY, [addr.expose_provenance(), size]);
}

/// Has DRD show every access to the byte at this address.
#[inline(always)]
pub fn annotate_trace_memory(addr: *const ()) {
    request(0, DRD_START_TRACE_ADDR, [addr.expose_provenance(), 1]);
}

/// Gives this thread a name that DRD shows in its messages. DRD copies it.
#[inline(always)]
pub fn annotate_thread_name<T: AsRef<CStr>>(name: T) {
    request(0, DRD_SET_THREAD_NAME, [name.as_ref().as_ptr().expose_provenance()]);
}

/// Has DRD not take the order in which threads get this mutex for synchronization.
#[inline(always)]
pub fn ignore_mutex_ordering(mutex: *const ()) {
    request(0, DRD_IGNORE_MUTEX_ORDERING, [mutex.expose_provenance()]);
}
