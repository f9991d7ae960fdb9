//! Requests of `drd.h`: descriptions of the synchronization of threads, and traces.
//!
//! DRD understands POSIX threads. A program must describe locks that consist of atomics. An address
//! identifies each object and is never accessed. Other tools ignore these requests, except for helgrind,
//! which supports those that the module [`helgrind`](super::helgrind) has too.

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

/// Returns Valgrind's number of this thread, 0 without DRD. A later thread can have the same number.
#[inline(always)]
pub fn get_valgrind_threadid() -> usize {
    request(0, DRD_GET_VALGRIND_THREAD_ID, [])
}

/// Returns DRD's number of this thread, as in its messages, 0 without DRD.
#[inline(always)]
pub fn get_drd_threadid() -> usize {
    request(0, DRD_GET_DRD_THREAD_ID, [])
}

/// Stops reports of races on this variable.
#[inline(always)]
pub fn ignore_var<T: ?Sized>(var: &T) {
    request(0, DRD_START_SUPPRESSION, extent!(var));
}

/// Starts reports of races on this variable again.
#[inline(always)]
pub fn stop_ignoring_var<T: ?Sized>(var: &T) {
    request(0, DRD_FINISH_SUPPRESSION, extent!(var));
}

/// Makes DRD print every access to this variable until its memory is freed.
#[inline(always)]
pub fn trace_var<T: ?Sized>(var: &T) {
    request(0, DRD_START_TRACE_ADDR, extent!(var));
}

/// Makes DRD print no more accesses to this variable.
#[inline(always)]
pub fn stop_tracing_var<T: ?Sized>(var: &T) {
    request(0, DRD_STOP_TRACE_ADDR, extent!(var));
}

/// Orders the accesses of this thread before those of any thread after a later
/// [`annotate_happens_after`] with the same object.
///
/// Make this request right before the synchronization, and the other one right after it.
#[inline(always)]
pub fn annotate_happens_before(obj: *const ()) {
    request(0, DRD_ANNOTATE_HAPPENS_BEFORE, [obj.expose_provenance()]);
}

/// Ends the order of [`annotate_happens_before`]. DRD reports an error without that request.
#[inline(always)]
pub fn annotate_happens_after(obj: *const ()) {
    request(0, DRD_ANNOTATE_HAPPENS_AFTER, [obj.expose_provenance()]);
}

/// Reports the creation of a custom readers-writer lock, which its address identifies.
#[inline(always)]
pub fn annotate_rwlock_create(lock: *const ()) {
    request(0, DRD_ANNOTATE_RWLOCK_CREATE, [lock.expose_provenance()]);
}

/// Reports that the lock will be destroyed.
#[inline(always)]
pub fn annotate_rwlock_destroy(lock: *const ()) {
    request(0, DRD_ANNOTATE_RWLOCK_DESTROY, [lock.expose_provenance()]);
}

/// Reports that this thread has acquired the lock, as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_acquired(lock: *const (), is_writer_lock: bool) {
    request(
        0,
        DRD_ANNOTATE_RWLOCK_ACQUIRED,
        [lock.expose_provenance(), usize::from(is_writer_lock)],
    );
}

/// Reports that this thread will release the lock, as a writer or as a reader.
#[inline(always)]
pub fn annotate_rwlock_released(lock: *const (), is_writer_lock: bool) {
    request(
        0,
        DRD_ANNOTATE_RWLOCK_RELEASED,
        [lock.expose_provenance(), usize::from(is_writer_lock)],
    );
}

/// Reports that a custom semaphore will be created with this value.
#[inline(always)]
pub fn annotate_sem_init_pre(semaphore: *const (), value: usize) {
    request(0, DRD_ANNOTATE_SEM_INIT_PRE, [semaphore.expose_provenance(), value]);
}

/// Reports that the semaphore was destroyed.
#[inline(always)]
pub fn annotate_sem_destroy_post(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_DESTROY_POST, [semaphore.expose_provenance()]);
}

/// Reports that this thread will wait for the semaphore.
#[inline(always)]
pub fn annotate_sem_wait_pre(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_WAIT_PRE, [semaphore.expose_provenance()]);
}

/// Reports that this thread has waited for the semaphore.
#[inline(always)]
pub fn annotate_sem_wait_post(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_WAIT_POST, [semaphore.expose_provenance()]);
}

/// Reports that this thread will increase the semaphore.
#[inline(always)]
pub fn annotate_sem_post_pre(semaphore: *const ()) {
    request(0, DRD_ANNOTATE_SEM_POST_PRE, [semaphore.expose_provenance()]);
}

/// Marks races on this variable as intended, as [`ignore_var`] does.
#[inline(always)]
pub fn annotate_benign_race<T: ?Sized>(addr: &T) {
    request(0, DRD_START_SUPPRESSION, extent!(addr));
}

/// Marks races on the `size` bytes from this address as intended.
#[inline(always)]
pub fn annotate_benign_race_sized<T: ?Sized>(addr: &T, size: usize) {
    request(0, DRD_START_SUPPRESSION, [core::ptr::from_ref(addr).expose_provenance(), size]);
}

/// Makes DRD ignore the reads of this thread.
#[inline(always)]
pub fn annotate_ignore_reads_begin() {
    request(0, DRD_RECORD_LOADS, [0]);
}

/// Makes DRD check the reads of this thread again.
#[inline(always)]
pub fn annotate_ignore_reads_end() {
    request(0, DRD_RECORD_LOADS, [1]);
}

/// Makes DRD ignore the writes of this thread.
#[inline(always)]
pub fn annotate_ignore_writes_begin() {
    request(0, DRD_RECORD_STORES, [0]);
}

/// Makes DRD check the writes of this thread again.
#[inline(always)]
pub fn annotate_ignore_writes_end() {
    request(0, DRD_RECORD_STORES, [1]);
}

/// Makes DRD ignore the reads and writes of this thread, with two requests.
#[inline(always)]
pub fn annotate_ignore_reads_and_writes_begin() {
    annotate_ignore_reads_begin();
    annotate_ignore_writes_begin();
}

/// Makes DRD check the reads and writes of this thread again, with two requests.
#[inline(always)]
pub fn annotate_ignore_reads_and_writes_end() {
    annotate_ignore_reads_end();
    annotate_ignore_writes_end();
}

/// Reports that a custom allocator allocated this memory. DRD forgets earlier accesses to it.
#[inline(always)]
pub fn annotate_new_memory(addr: *const (), size: usize) {
    request(0, DRD_CLEAN_MEMORY, [addr.expose_provenance(), size]);
}

/// Makes DRD print every access to the byte at this address.
#[inline(always)]
pub fn annotate_trace_memory(addr: *const ()) {
    request(0, DRD_START_TRACE_ADDR, [addr.expose_provenance(), 1]);
}

/// Sets the name of this thread in DRD's messages. DRD copies the name.
#[inline(always)]
pub fn annotate_thread_name<T: AsRef<CStr>>(name: T) {
    request(0, DRD_SET_THREAD_NAME, [name.as_ref().as_ptr().expose_provenance()]);
}

/// Makes DRD ignore the order in which threads acquire this mutex.
#[inline(always)]
pub fn ignore_mutex_ordering(mutex: *const ()) {
    request(0, DRD_IGNORE_MUTEX_ORDERING, [mutex.expose_provenance()]);
}
