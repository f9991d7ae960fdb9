//! Requests of `valgrind.h`. Every tool supports them, except that error requests need a tool that reports
//! errors, and requests about blocks and pools one that observes the heap.
//!
//! ```
//! use iai_callgrind::client_requests::valgrind;
//!
//! if valgrind::running_on_valgrind() > 0 {
//!     println!("{} errors so far", valgrind::count_errors());
//! }
//! ```

use core::ffi::{CStr, c_int};

use valgrind_headers::valgrind::{
    CHANGE_ERR_DISABLEMENT, CLIENT_CALL0, CLIENT_CALL1, CLIENT_CALL2, CLIENT_CALL3, CLO_CHANGE,
    COUNT_ERRORS, CREATE_MEMPOOL, DESTROY_MEMPOOL, DISCARD_TRANSLATIONS, FREELIKE_BLOCK,
    GDB_MONITOR_COMMAND, INNER_THREADS, LOAD_PDB_DEBUGINFO, MALLOCLIKE_BLOCK, MAP_IP_TO_SRCLOC,
    MEMPOOL_ALLOC, MEMPOOL_CHANGE, MEMPOOL_EXISTS, MEMPOOL_FREE, MEMPOOL_TRIM, MOVE_MEMPOOL,
    RESIZEINPLACE_BLOCK, RUNNING_ON_VALGRIND, STACK_CHANGE, STACK_DEREGISTER, STACK_REGISTER,
    VALGRIND_GET_TOOLNAME, VALGRIND_REPLACES_MALLOC,
};

use super::{StackId, ThreadId, request};

/// Flags of [`create_mempool_ext`].
#[derive(Debug)]
pub enum MempoolFlags {}

impl MempoolFlags {
    /// Creates a pool as [`create_mempool`] does.
    pub const DEFAULT: u8 = 0;
    /// Frees the blocks in a piece together with the piece; only with [`Self::METAPOOL`].
    pub const AUTOFREE: u8 = 1;
    /// Allows blocks of [`malloclike_block`] in the pieces.
    pub const METAPOOL: u8 = 2;
}

/// Returns the number of nested Valgrinds that run the program: 0 natively, 1 under Valgrind, 2 if that
/// Valgrind runs under Valgrind, and so on.
#[inline(always)]
pub fn running_on_valgrind() -> usize {
    request(0, RUNNING_ON_VALGRIND, [])
}

/// Makes Valgrind translate the code in this range again, for programs that change their own code.
#[inline(always)]
pub fn discard_translations(addr: *const (), len: usize) {
    request(0, DISCARD_TRANSLATIONS, [addr.expose_provenance(), len]);
}

/// Returns `true` if the tool replaces the allocation functions, as memcheck does. Since Valgrind 3.27;
/// `false` with older versions and natively.
#[inline(always)]
pub fn replaces_malloc() -> bool {
    request(0, VALGRIND_REPLACES_MALLOC, []) != 0
}

/// Writes the name of the tool and a zero byte to `buffer`, truncated to its length.
///
/// Returns the length of the name with the zero byte. Since Valgrind 3.27; older versions and native runs
/// return 0 and do not change the buffer.
#[inline(always)]
pub fn get_toolname(buffer: &mut [u8]) -> usize {
    request(0, VALGRIND_GET_TOOLNAME, [buffer.as_mut_ptr().expose_provenance(), buffer.len()])
}

/// Makes Valgrind call a function on the real CPU, as a part of Valgrind. Returns the function's result.
/// Natively, the function is not called and the result is 0.
///
/// The function must not allocate, print or use any other code of the program's libraries. The header
/// lists more dangers.
#[inline(always)]
pub fn non_simd_call0(func: extern "C" fn(ThreadId) -> usize) -> usize {
    request(0, CLIENT_CALL0, [func as usize])
}

/// Works like [`non_simd_call0`], with one argument.
#[inline(always)]
pub fn non_simd_call1(func: extern "C" fn(ThreadId, usize) -> usize, arg1: usize) -> usize {
    request(0, CLIENT_CALL1, [func as usize, arg1])
}

/// Works like [`non_simd_call0`], with two arguments.
#[inline(always)]
pub fn non_simd_call2(
    func: extern "C" fn(ThreadId, usize, usize) -> usize,
    arg1: usize,
    arg2: usize,
) -> usize {
    request(0, CLIENT_CALL2, [func as usize, arg1, arg2])
}

/// Works like [`non_simd_call0`], with three arguments.
#[inline(always)]
pub fn non_simd_call3(
    func: extern "C" fn(ThreadId, usize, usize, usize) -> usize,
    arg1: usize,
    arg2: usize,
    arg3: usize,
) -> usize {
    request(0, CLIENT_CALL3, [func as usize, arg1, arg2, arg3])
}

/// Returns the number of errors that the tool has found so far, 0 natively.
#[inline(always)]
pub fn count_errors() -> usize {
    request(0, COUNT_ERRORS, [])
}

/// Reports that a custom allocator allocated this block. Make the request right after the allocation.
///
/// The tool treats the block as one of `malloc`: memcheck considers it uninitialized unless `is_zeroed`,
/// and reports a leak. `redzone` is the number of inaccessible bytes before and after the block. A null
/// `addr` is ignored.
#[inline(always)]
pub fn malloclike_block(addr: *const (), size: usize, redzone: usize, is_zeroed: bool) {
    request(0, MALLOCLIKE_BLOCK, [addr.expose_provenance(), size, redzone, usize::from(is_zeroed)]);
}

/// Reports that a block of [`malloclike_block`] was resized at the same address.
#[inline(always)]
pub fn resizeinplace_block(addr: *const (), old_size: usize, new_size: usize, redzone: usize) {
    request(0, RESIZEINPLACE_BLOCK, [addr.expose_provenance(), old_size, new_size, redzone]);
}

/// Reports that a block of [`malloclike_block`] was freed, with the same `redzone`. Make the request right
/// after the deallocation.
#[inline(always)]
pub fn freelike_block(addr: *const (), redzone: usize) {
    request(0, FREELIKE_BLOCK, [addr.expose_provenance(), redzone]);
}

/// Creates a memory pool, which the address `pool` identifies: an allocator that frees all its pieces at
/// once.
///
/// `redzone` is the number of inaccessible bytes before and after each piece. With `is_zeroed` pieces are
/// initialized.
#[inline(always)]
pub fn create_mempool(pool: *const (), redzone: usize, is_zeroed: bool) {
    request(0, CREATE_MEMPOOL, [pool.expose_provenance(), redzone, usize::from(is_zeroed), 0]);
}

/// Works like [`create_mempool`], with the [`MempoolFlags`] combined by `|`.
#[inline(always)]
pub fn create_mempool_ext(pool: *const (), redzone: usize, is_zeroed: bool, flags: u8) {
    request(
        0,
        CREATE_MEMPOOL,
        [pool.expose_provenance(), redzone, usize::from(is_zeroed), usize::from(flags)],
    );
}

/// Removes a memory pool and frees its pieces.
#[inline(always)]
pub fn destroy_mempool(pool: *const ()) {
    request(0, DESTROY_MEMPOOL, [pool.expose_provenance()]);
}

/// Reports that the pool allocated this piece of memory.
#[inline(always)]
pub fn mempool_alloc(pool: *const (), addr: *const (), size: usize) {
    request(0, MEMPOOL_ALLOC, [pool.expose_provenance(), addr.expose_provenance(), size]);
}

/// Reports that the pool freed the piece at this address.
#[inline(always)]
pub fn mempool_free(pool: *const (), addr: *const ()) {
    request(0, MEMPOOL_FREE, [pool.expose_provenance(), addr.expose_provenance()]);
}

/// Reports that the pool freed all memory outside of this range.
#[inline(always)]
pub fn mempool_trim(pool: *const (), addr: *const (), size: usize) {
    request(0, MEMPOOL_TRIM, [pool.expose_provenance(), addr.expose_provenance(), size]);
}

/// Reports that the pool moved from the address `pool_a` to `pool_b`.
#[inline(always)]
pub fn move_mempool(pool_a: *const (), pool_b: *const ()) {
    request(0, MOVE_MEMPOOL, [pool_a.expose_provenance(), pool_b.expose_provenance()]);
}

/// Reports that the piece at `addr_a` moved to `addr_b` and has this size.
#[inline(always)]
pub fn mempool_change(pool: *const (), addr_a: *const (), addr_b: *const (), size: usize) {
    request(
        0,
        MEMPOOL_CHANGE,
        [pool.expose_provenance(), addr_a.expose_provenance(), addr_b.expose_provenance(), size],
    );
}

/// Returns `true` if there is a pool with this address, `false` natively.
#[inline(always)]
pub fn mempool_exists(pool: *const ()) -> bool {
    request(0, MEMPOOL_EXISTS, [pool.expose_provenance()]) != 0
}

/// Reports that the memory from `start` to `end`, the addresses of its lowest and highest byte, is a
/// stack, for programs that switch between stacks. Returns the number of the stack, 0 natively.
#[inline(always)]
pub fn stack_register(start: usize, end: usize) -> StackId {
    request(0, STACK_REGISTER, [start, end])
}

/// Reports that the stack with this number is no longer in use.
#[inline(always)]
pub fn stack_deregister(stack_id: StackId) {
    request(0, STACK_DEREGISTER, [stack_id]);
}

/// Reports that the stack with this number moved, see [`stack_register`].
#[inline(always)]
pub fn stack_change(stack_id: StackId, start: usize, end: usize) {
    request(0, STACK_CHANGE, [stack_id, start, end]);
}

/// Makes Valgrind read debug information in the PDB format, for Wine.
#[inline(always)]
pub fn load_pdb_debuginfo(fd: c_int, ptr: *const (), total_size: usize, delta: usize) {
    let fd = usize::try_from(fd).unwrap_or(usize::MAX);
    request(0, LOAD_PDB_DEBUGINFO, [fd, ptr.expose_provenance(), total_size, delta]);
}

/// Writes the source file and line of the code at this address and a zero byte to the buffer. Without
/// debug information, it writes only the zero byte. Returns 0.
#[inline(always)]
pub fn map_ip_to_srcloc(addr: *const (), buf64: &mut [u8; 64]) -> usize {
    request(0, MAP_IP_TO_SRCLOC, [addr.expose_provenance(), buf64.as_mut_ptr().expose_provenance()])
}

/// Stops reports of errors of this thread. Each call needs its own [`enable_error_reporting`].
#[inline(always)]
pub fn disable_error_reporting() {
    request(0, CHANGE_ERR_DISABLEMENT, [1]);
}

/// Reverts one [`disable_error_reporting`].
#[inline(always)]
pub fn enable_error_reporting() {
    request(0, CHANGE_ERR_DISABLEMENT, [usize::MAX]);
}

/// Executes a monitor command, such as `leak_check summary`. The output goes to the log, or to a connected
/// gdb.
///
/// Returns `true` if Valgrind knows the command, `false` natively.
#[inline(always)]
pub fn monitor_command<T: AsRef<CStr>>(command: T) -> bool {
    request(1, GDB_MONITOR_COMMAND, [command.as_ref().as_ptr().expose_provenance()]) == 0
}

/// Changes an option of Valgrind's command line, such as `--stats=yes`. Valgrind warns about an option that
/// can't change. Since Valgrind 3.16.
#[inline(always)]
pub fn clo_change<T: AsRef<CStr>>(option: T) {
    request(0, CLO_CHANGE, [option.as_ref().as_ptr().expose_provenance()]);
}

/// Reports the address of the thread list of a nested Valgrind. Only for Valgrind itself.
#[inline(always)]
pub fn inner_threads(addr: *const ()) {
    request(0, INNER_THREADS, [addr.expose_provenance()]);
}
