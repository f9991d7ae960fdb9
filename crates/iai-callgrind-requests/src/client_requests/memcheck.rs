//! Requests of `memcheck.h`: states of memory, and leak checks.
//!
//! Memory has an address and a length in bytes. The requests neither read nor write it. Other tools ignore
//! these requests.
//!
//! ```
//! use iai_callgrind::client_requests::memcheck;
//!
//! /// Overwrites a key, and makes memcheck report every later read.
//! fn forget(key: &mut [u8; 32]) {
//!     key.fill(0);
//!     memcheck::make_mem_undefined(key.as_ptr().cast(), key.len());
//! }
//! # forget(&mut [1; 32]);
//! ```

use core::ffi::{CStr, c_ulong};

use valgrind_headers::memcheck::{
    CHECK_MEM_IS_ADDRESSABLE, CHECK_MEM_IS_DEFINED, COUNT_LEAK_BLOCKS, COUNT_LEAKS, CREATE_BLOCK,
    DISABLE_ADDR_ERROR_REPORTING_IN_RANGE, DISCARD, DO_LEAK_CHECK,
    ENABLE_ADDR_ERROR_REPORTING_IN_RANGE, GET_VBITS, MAKE_MEM_DEFINED,
    MAKE_MEM_DEFINED_IF_ADDRESSABLE, MAKE_MEM_NOACCESS, MAKE_MEM_UNDEFINED, SET_VBITS,
};

use super::request;

/// Handle of a description, see [`create_block`].
pub type BlockHandle = usize;

/// Result of leak checks, in bytes or in blocks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LeakCounts {
    /// Definitely lost memory, directly or indirectly.
    pub leaked: c_ulong,
    /// Memory that only a pointer into its middle reaches.
    pub dubious: c_ulong,
    /// Memory that is still reachable.
    pub reachable: c_ulong,
    /// Memory that matches a suppression.
    pub suppressed: c_ulong,
}

/// Makes a request that writes four words.
#[inline(always)]
fn leak_counts(number: usize) -> LeakCounts {
    let mut words = [0_usize; 4];
    let start = words.as_mut_ptr();
    request(0, number, [0, 1, 2, 3].map(|index| start.wrapping_add(index).expose_provenance()));
    // A `long` can be shorter than a word
    let [leaked, dubious, reachable, suppressed] =
        words.map(|word| c_ulong::try_from(word).unwrap_or(c_ulong::MAX));
    LeakCounts { leaked, dubious, reachable, suppressed }
}

/// Marks memory as inaccessible, so that memcheck reports every access. Returns 0 natively.
#[inline(always)]
pub fn make_mem_noaccess(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_NOACCESS, [addr.expose_provenance(), len])
}

/// Marks memory as accessible but uninitialized. Memcheck reports behavior that depends on it. Returns 0
/// natively.
#[inline(always)]
pub fn make_mem_undefined(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_UNDEFINED, [addr.expose_provenance(), len])
}

/// Marks memory as accessible and initialized. Returns 0 natively.
#[inline(always)]
pub fn make_mem_defined(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_DEFINED, [addr.expose_provenance(), len])
}

/// Marks the accessible bytes as initialized, and does not change the others. Returns 0 natively.
#[inline(always)]
pub fn make_mem_defined_if_addressable(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_DEFINED_IF_ADDRESSABLE, [addr.expose_provenance(), len])
}

/// Sets the description of memory in memcheck's messages. Memcheck copies the description. Returns the
/// handle for [`discard`], 0 natively.
#[inline(always)]
pub fn create_block<T: AsRef<CStr>>(addr: *const (), len: usize, description: T) -> BlockHandle {
    request(
        0,
        CREATE_BLOCK,
        [addr.expose_provenance(), len, description.as_ref().as_ptr().expose_provenance()],
    )
}

/// Removes a description. Returns 0 if there was one, 1 if not, and 0 natively.
#[inline(always)]
pub fn discard(handle: BlockHandle) -> usize {
    request(0, DISCARD, [0, handle])
}

/// Checks that memory is accessible. If not, memcheck reports an error. Returns the address of the first
/// inaccessible byte, otherwise 0.
#[inline(always)]
pub fn check_mem_is_addressable(addr: *const (), len: usize) -> usize {
    request(0, CHECK_MEM_IS_ADDRESSABLE, [addr.expose_provenance(), len])
}

/// Checks that memory is accessible and initialized. If not, memcheck reports an error. Returns the
/// address of the first such byte, otherwise 0.
#[inline(always)]
pub fn check_mem_is_defined(addr: *const (), len: usize) -> usize {
    request(0, CHECK_MEM_IS_DEFINED, [addr.expose_provenance(), len])
}

/// Works like [`check_mem_is_defined`], for a value.
///
/// The padding between fields is a part of the value, and is usually uninitialized.
#[inline(always)]
pub fn check_value_is_defined<T: ?Sized>(value: &T) -> usize {
    request(0, CHECK_MEM_IS_DEFINED, extent!(value))
}

/// Runs a full leak check, like `--leak-check=full`.
#[inline(always)]
pub fn do_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 0]);
}

/// Works like [`do_leak_check`], and only prints leaks that have grown since the last check.
#[inline(always)]
pub fn do_added_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 1]);
}

/// Works like [`do_leak_check`], and only prints leaks that have changed since the last check.
#[inline(always)]
pub fn do_changed_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 2]);
}

/// Works like [`do_leak_check`], and only prints leaks that are new since the last check. Since Valgrind 3.21; older
/// versions warn and run a full leak check.
#[inline(always)]
pub fn do_new_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 3]);
}

/// Runs a leak check that only prints the sums, like `--leak-check=summary`.
#[inline(always)]
pub fn do_quick_leak_check() {
    request(0, DO_LEAK_CHECK, [1, 0]);
}

/// Returns the bytes that all leak checks have found so far, 0 natively.
#[inline(always)]
pub fn count_leaks() -> LeakCounts {
    leak_counts(COUNT_LEAKS)
}

/// Returns the blocks that all leak checks have found so far, 0 natively.
#[inline(always)]
pub fn count_leak_blocks() -> LeakCounts {
    leak_counts(COUNT_LEAK_BLOCKS)
}

/// Copies the validity bits of memory to `bits`, for `len` bytes or for the length of `bits` if that is
/// less. A bit is 0 where the memory is initialized.
///
/// Returns 1, or 3 if memory is inaccessible and nothing was copied. Natively, returns 0 and does not
/// change `bits`.
#[inline(always)]
pub fn get_vbits(addr: *const (), bits: &mut [u8], len: usize) -> usize {
    request(
        0,
        GET_VBITS,
        [addr.expose_provenance(), bits.as_mut_ptr().expose_provenance(), len.min(bits.len())],
    )
}

/// Sets the validity bits of memory to those of `bits`, for `len` bytes or for the length of `bits` if
/// that is less.
///
/// Returns 1, or 3 if memory is inaccessible and nothing was set. Returns 0 natively.
#[inline(always)]
pub fn set_vbits(addr: *const (), bits: &[u8], len: usize) -> usize {
    request(
        0,
        SET_VBITS,
        [addr.expose_provenance(), bits.as_ptr().expose_provenance(), len.min(bits.len())],
    )
}

/// Stops reports of accesses to inaccessible memory in this range. Returns 0 natively.
#[inline(always)]
pub fn disable_addr_error_reporting_in_range(addr: *const (), len: usize) -> usize {
    request(0, DISABLE_ADDR_ERROR_REPORTING_IN_RANGE, [addr.expose_provenance(), len])
}

/// Starts reports of accesses to inaccessible memory in this range again. Returns 0 natively.
#[inline(always)]
pub fn enable_addr_error_reporting_in_range(addr: *const (), len: usize) -> usize {
    request(0, ENABLE_ADDR_ERROR_REPORTING_IN_RANGE, [addr.expose_provenance(), len])
}
