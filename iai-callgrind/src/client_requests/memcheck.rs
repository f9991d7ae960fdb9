//! The requests of `memcheck.h`: what memcheck thinks of memory, and leak checks.
//!
//! Memory is named by its address and its length in bytes; it is never read or written. The tools
//! other than memcheck ignore these requests.
//!
//! ```
//! use iai_callgrind::client_requests::memcheck;
//!
//! /// Overwrites a key, and lets memcheck report whoever reads it from now on
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

/// A description that memcheck knows, see [`create_block`].
pub type BlockHandle = usize;

/// What leak checks found, in bytes or in blocks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LeakCounts {
    /// Lost for good, directly or because what leads to it is lost
    pub leaked: c_ulong,
    /// Only reachable by a pointer into its middle
    pub dubious: c_ulong,
    /// Still reachable
    pub reachable: c_ulong,
    /// Left out by a suppression
    pub suppressed: c_ulong,
}

/// Makes one of the two requests that write four words.
#[inline(always)]
fn leak_counts(number: usize) -> LeakCounts {
    let mut words = [0_usize; 4];
    let start = words.as_mut_ptr();
    request(0, number, [0, 1, 2, 3].map(|index| start.wrapping_add(index).expose_provenance()));
    // A `long` may be shorter than a word
    let [leaked, dubious, reachable, suppressed] =
        words.map(|word| c_ulong::try_from(word).unwrap_or(c_ulong::MAX));
    LeakCounts { leaked, dubious, reachable, suppressed }
}

/// Marks memory as not to be accessed. Memcheck reports every access. Returns 0 natively.
#[inline(always)]
pub fn make_mem_noaccess(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_NOACCESS, [addr.expose_provenance(), len])
}

/// Marks memory as accessible but not initialized. Memcheck reports if the program's behavior depends on
/// it. Returns 0 natively.
#[inline(always)]
pub fn make_mem_undefined(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_UNDEFINED, [addr.expose_provenance(), len])
}

/// Marks memory as accessible and initialized. Returns 0 natively.
#[inline(always)]
pub fn make_mem_defined(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_DEFINED, [addr.expose_provenance(), len])
}

/// Marks those bytes as initialized that are accessible, and leaves the others as they are. Returns 0
/// natively.
#[inline(always)]
pub fn make_mem_defined_if_addressable(addr: *const (), len: usize) -> usize {
    request(0, MAKE_MEM_DEFINED_IF_ADDRESSABLE, [addr.expose_provenance(), len])
}

/// Gives memory a description that memcheck shows in its messages about addresses in it. Memcheck copies
/// it. Returns the handle for [`discard`], 0 natively.
#[inline(always)]
pub fn create_block<T: AsRef<CStr>>(addr: *const (), len: usize, description: T) -> BlockHandle {
    request(
        0,
        CREATE_BLOCK,
        [addr.expose_provenance(), len, description.as_ref().as_ptr().expose_provenance()],
    )
}

/// Takes a description back. Returns 0 if there was one, 1 if not, and 0 natively.
#[inline(always)]
pub fn discard(handle: BlockHandle) -> usize {
    request(0, DISCARD, [0, handle])
}

/// Checks that memory may be accessed. If not, memcheck reports an error and the address of the first
/// such byte is returned; otherwise 0.
#[inline(always)]
pub fn check_mem_is_addressable(addr: *const (), len: usize) -> usize {
    request(0, CHECK_MEM_IS_ADDRESSABLE, [addr.expose_provenance(), len])
}

/// Checks that memory may be accessed and is initialized. If not, memcheck reports an error and the
/// address of the first such byte is returned; otherwise 0.
#[inline(always)]
pub fn check_mem_is_defined(addr: *const (), len: usize) -> usize {
    request(0, CHECK_MEM_IS_DEFINED, [addr.expose_provenance(), len])
}

/// Like [`check_mem_is_defined`], for a value.
///
/// Bytes between the fields of a structure belong to it, and they are not initialized as a rule.
#[inline(always)]
pub fn check_value_is_defined<T: ?Sized>(value: &T) -> usize {
    request(
        0,
        CHECK_MEM_IS_DEFINED,
        [core::ptr::from_ref(value).expose_provenance(), size_of_val(value)],
    )
}

/// Does a full leak check now, like `--leak-check=full`.
#[inline(always)]
pub fn do_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 0]);
}

/// Like [`do_leak_check`], and shows only what leaks more than at the last check.
#[inline(always)]
pub fn do_added_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 1]);
}

/// Like [`do_leak_check`], and shows only what leaks more or less than at the last check.
#[inline(always)]
pub fn do_changed_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 2]);
}

/// Like [`do_leak_check`], and shows only what was not there at the last check. Valgrind has this since
/// 3.21; an older one warns and does a full leak check.
#[inline(always)]
pub fn do_new_leak_check() {
    request(0, DO_LEAK_CHECK, [0, 3]);
}

/// Does a leak check that shows only the sums, like `--leak-check=summary`.
#[inline(always)]
pub fn do_quick_leak_check() {
    request(0, DO_LEAK_CHECK, [1, 0]);
}

/// The bytes that all leak checks so far found. All 0 natively.
#[inline(always)]
pub fn count_leaks() -> LeakCounts {
    leak_counts(COUNT_LEAKS)
}

/// The blocks that all leak checks so far found. All 0 natively.
#[inline(always)]
pub fn count_leak_blocks() -> LeakCounts {
    leak_counts(COUNT_LEAK_BLOCKS)
}

/// Copies the validity bits of `len` bytes of memory to `bits`, or of as many as `bits` has room for: a
/// bit is 0 where the memory is initialized.
///
/// Returns 1, or 3 if memory may not be accessed and nothing was copied. 0 natively, and `bits` stays as
/// it is.
#[inline(always)]
pub fn get_vbits(addr: *const (), bits: &mut [u8], len: usize) -> usize {
    request(
        0,
        GET_VBITS,
        [addr.expose_provenance(), bits.as_mut_ptr().expose_provenance(), len.min(bits.len())],
    )
}

/// Sets the validity bits of `len` bytes of memory to those of `bits`, or of as many as `bits` has.
///
/// Returns 1, or 3 if memory may not be accessed and nothing was set. 0 natively.
#[inline(always)]
pub fn set_vbits(addr: *const (), bits: &[u8], len: usize) -> usize {
    request(
        0,
        SET_VBITS,
        [addr.expose_provenance(), bits.as_ptr().expose_provenance(), len.min(bits.len())],
    )
}

/// Has memcheck not report accesses to memory that may not be accessed, in this range. Returns 0 natively.
#[inline(always)]
pub fn disable_addr_error_reporting_in_range(addr: *const (), len: usize) -> usize {
    request(0, DISABLE_ADDR_ERROR_REPORTING_IN_RANGE, [addr.expose_provenance(), len])
}

/// Has memcheck report such accesses again. Returns 0 natively.
#[inline(always)]
pub fn enable_addr_error_reporting_in_range(addr: *const (), len: usize) -> usize {
    request(0, ENABLE_ADDR_ERROR_REPORTING_IN_RANGE, [addr.expose_provenance(), len])
}
