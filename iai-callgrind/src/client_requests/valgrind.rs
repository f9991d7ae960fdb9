//! The requests of `valgrind.h`, which every tool answers, or those that it concerns: errors are for
//! the tools that report some, blocks and pools for those that watch the heap.
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

/// What [`create_mempool_ext`] takes as flags.
#[derive(Debug)]
pub enum MempoolFlags {}

impl MempoolFlags {
    /// A pool as [`create_mempool`] makes them
    pub const DEFAULT: u8 = 0;
    /// Taking back a piece frees the blocks in it; only together with [`Self::METAPOOL`]
    pub const AUTOFREE: u8 = 1;
    /// The pieces hold blocks of [`malloclike_block`]
    pub const METAPOOL: u8 = 2;
}

/// How many Valgrinds the program runs under: 0 natively, 1 under Valgrind, 2 if that Valgrind runs under
/// Valgrind itself, and so on.
#[inline(always)]
pub fn running_on_valgrind() -> usize {
    request(0, RUNNING_ON_VALGRIND, [])
}

/// Has Valgrind translate the code in this range anew. For programs that change their own code.
#[inline(always)]
pub fn discard_translations(addr: *const (), len: usize) {
    request(0, DISCARD_TRANSLATIONS, [addr.expose_provenance(), len]);
}

/// Whether the tool has allocation functions of its own, as memcheck has. Valgrind has this since 3.27;
/// false with an older one and natively.
#[inline(always)]
pub fn replaces_malloc() -> bool {
    request(0, VALGRIND_REPLACES_MALLOC, []) != 0
}

/// Writes the name of the tool and a zero byte to `buffer`, or as much of it as there is room for.
///
/// Returns the length that the buffer should have, with the zero byte. Valgrind has this since 3.27; 0
/// with an older one and natively, and the buffer stays as it is.
#[inline(always)]
pub fn get_toolname(buffer: &mut [u8]) -> usize {
    request(0, VALGRIND_GET_TOOLNAME, [buffer.as_mut_ptr().expose_provenance(), buffer.len()])
}

/// Has Valgrind call a function that runs on the real CPU, as a part of Valgrind rather than of the
/// program. Returns its result, 0 natively, where it is not called.
///
/// This is dangerous in many ways; see the header. The function must not allocate, print or use anything
/// else of the program's libraries.
#[inline(always)]
pub fn non_simd_call0(func: extern "C" fn(ThreadId) -> usize) -> usize {
    request(0, CLIENT_CALL0, [func as usize])
}

/// Like [`non_simd_call0`], with one argument.
#[inline(always)]
pub fn non_simd_call1(func: extern "C" fn(ThreadId, usize) -> usize, arg1: usize) -> usize {
    request(0, CLIENT_CALL1, [func as usize, arg1])
}

/// Like [`non_simd_call0`], with two arguments.
#[inline(always)]
pub fn non_simd_call2(
    func: extern "C" fn(ThreadId, usize, usize) -> usize,
    arg1: usize,
    arg2: usize,
) -> usize {
    request(0, CLIENT_CALL2, [func as usize, arg1, arg2])
}

/// Like [`non_simd_call0`], with three arguments.
#[inline(always)]
pub fn non_simd_call3(
    func: extern "C" fn(ThreadId, usize, usize, usize) -> usize,
    arg1: usize,
    arg2: usize,
    arg3: usize,
) -> usize {
    request(0, CLIENT_CALL3, [func as usize, arg1, arg2, arg3])
}

/// How many errors the tool has found so far. 0 natively.
#[inline(always)]
pub fn count_errors() -> usize {
    request(0, COUNT_ERRORS, [])
}

/// An allocator of your own allocated this block. Make the request right after that.
///
/// The tool then treats it as one that `malloc` allocated: memcheck takes it for not initialized, unless
/// `is_zeroed`, and reports if it leaks. `redzone` is how many bytes before and after it nobody may
/// access, 0 if there are none. Ignored if `addr` is null.
#[inline(always)]
pub fn malloclike_block(addr: *const (), size: usize, redzone: usize, is_zeroed: bool) {
    request(0, MALLOCLIKE_BLOCK, [addr.expose_provenance(), size, redzone, usize::from(is_zeroed)]);
}

/// A block of [`malloclike_block`] has another size now, at the same address.
#[inline(always)]
pub fn resizeinplace_block(addr: *const (), old_size: usize, new_size: usize, redzone: usize) {
    request(0, RESIZEINPLACE_BLOCK, [addr.expose_provenance(), old_size, new_size, redzone]);
}

/// A block of [`malloclike_block`] was freed. Make the request right after that. `redzone` is the same as
/// there.
#[inline(always)]
pub fn freelike_block(addr: *const (), redzone: usize) {
    request(0, FREELIKE_BLOCK, [addr.expose_provenance(), redzone]);
}

/// Makes a memory pool, which `pool` is the address of: an allocator that frees all its pieces at once.
///
/// `redzone` is how many bytes before and after each piece nobody may access; `is_zeroed` says that pieces
/// are initialized.
#[inline(always)]
pub fn create_mempool(pool: *const (), redzone: usize, is_zeroed: bool) {
    request(0, CREATE_MEMPOOL, [pool.expose_provenance(), redzone, usize::from(is_zeroed), 0]);
}

/// Like [`create_mempool`], with the [`MempoolFlags`] combined by `|`.
#[inline(always)]
pub fn create_mempool_ext(pool: *const (), redzone: usize, is_zeroed: bool, flags: u8) {
    request(
        0,
        CREATE_MEMPOOL,
        [pool.expose_provenance(), redzone, usize::from(is_zeroed), usize::from(flags)],
    );
}

/// Removes a memory pool. Its pieces are then freed.
#[inline(always)]
pub fn destroy_mempool(pool: *const ()) {
    request(0, DESTROY_MEMPOOL, [pool.expose_provenance()]);
}

/// The pool gave out this piece of memory.
#[inline(always)]
pub fn mempool_alloc(pool: *const (), addr: *const (), size: usize) {
    request(0, MEMPOOL_ALLOC, [pool.expose_provenance(), addr.expose_provenance(), size]);
}

/// The pool took back the piece at this address.
#[inline(always)]
pub fn mempool_free(pool: *const (), addr: *const ()) {
    request(0, MEMPOOL_FREE, [pool.expose_provenance(), addr.expose_provenance()]);
}

/// The pool took back all that is outside of this range.
#[inline(always)]
pub fn mempool_trim(pool: *const (), addr: *const (), size: usize) {
    request(0, MEMPOOL_TRIM, [pool.expose_provenance(), addr.expose_provenance(), size]);
}

/// The pool that had the address `pool_a` has the address `pool_b` now.
#[inline(always)]
pub fn move_mempool(pool_a: *const (), pool_b: *const ()) {
    request(0, MOVE_MEMPOOL, [pool_a.expose_provenance(), pool_b.expose_provenance()]);
}

/// The piece at `addr_a` lies at `addr_b` now and has this size.
#[inline(always)]
pub fn mempool_change(pool: *const (), addr_a: *const (), addr_b: *const (), size: usize) {
    request(
        0,
        MEMPOOL_CHANGE,
        [pool.expose_provenance(), addr_a.expose_provenance(), addr_b.expose_provenance(), size],
    );
}

/// Whether there is a pool with this address. False natively.
#[inline(always)]
pub fn mempool_exists(pool: *const ()) -> bool {
    request(0, MEMPOOL_EXISTS, [pool.expose_provenance()]) != 0
}

/// Tells that the memory from `start` to `end`, the addresses of its lowest and its highest byte, is a
/// stack. For programs that switch between stacks of their own. Returns the stack's number, 0 natively.
#[inline(always)]
pub fn stack_register(start: usize, end: usize) -> StackId {
    request(0, STACK_REGISTER, [start, end])
}

/// The stack with this number is none anymore.
#[inline(always)]
pub fn stack_deregister(stack_id: StackId) {
    request(0, STACK_DEREGISTER, [stack_id]);
}

/// The stack with this number lies elsewhere now, see [`stack_register`].
#[inline(always)]
pub fn stack_change(stack_id: StackId, start: usize, end: usize) {
    request(0, STACK_CHANGE, [stack_id, start, end]);
}

/// Has Valgrind read debug information in the PDB format, for Wine.
#[inline(always)]
pub fn load_pdb_debuginfo(fd: c_int, ptr: *const (), total_size: usize, delta: usize) {
    let fd = usize::try_from(fd).unwrap_or(usize::MAX);
    request(0, LOAD_PDB_DEBUGINFO, [fd, ptr.expose_provenance(), total_size, delta]);
}

/// Writes the source file and line of the code at this address to the buffer, and a zero byte; only that
/// if nothing is known. Returns 0.
#[inline(always)]
pub fn map_ip_to_srcloc(addr: *const (), buf64: &mut [u8; 64]) -> usize {
    request(0, MAP_IP_TO_SRCLOC, [addr.expose_provenance(), buf64.as_mut_ptr().expose_provenance()])
}

/// Has the tool report no errors of this thread. Counts: what was called twice has to be undone twice.
#[inline(always)]
pub fn disable_error_reporting() {
    request(0, CHANGE_ERR_DISABLEMENT, [1]);
}

/// Undoes one [`disable_error_reporting`].
#[inline(always)]
pub fn enable_error_reporting() {
    request(0, CHANGE_ERR_DISABLEMENT, [usize::MAX]);
}

/// Executes a command as gdb's `monitor` does, `leak_check summary` for example. Its output goes to the log,
/// or to gdb if one is connected.
///
/// True if Valgrind knows the command. False natively.
#[inline(always)]
pub fn monitor_command<T: AsRef<CStr>>(command: T) -> bool {
    request(1, GDB_MONITOR_COMMAND, [command.as_ref().as_ptr().expose_provenance()]) == 0
}

/// Changes an option of Valgrind's command line, `--stats=yes` for example. Valgrind warns about those that
/// can't change. It has this since 3.16.
#[inline(always)]
pub fn clo_change<T: AsRef<CStr>>(option: T) {
    request(0, CLO_CHANGE, [option.as_ref().as_ptr().expose_provenance()]);
}

/// Where a Valgrind that runs under this one has its list of threads. Only for Valgrind itself.
#[inline(always)]
pub fn inner_threads(addr: *const ()) {
    request(0, INNER_THREADS, [addr.expose_provenance()]);
}
