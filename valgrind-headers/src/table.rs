//! The table with one row per request, the source of the constants and of [`REQUESTS`].
//!
//! The table contains every request that a header offers to programs. It does not contain the requests
//! with a leading underscore in the headers, which only Valgrind's replacements of functions make, unless
//! a macro for programs makes them too.

use crate::Request;

/// Returns the first number of a tool's requests: its two letters in the upper half of 32 bits.
const fn tool(letters: [u8; 2]) -> usize {
    (letters[0] as usize) << 24 | (letters[1] as usize) << 16
}

/// First number of helgrind's requests that used to be internal.
const HELGRIND: usize = tool(*b"HG") + 256;

/// Declares the modules with their constants and the table from one list, so that each request is written
/// once. A row is `NAME(arguments) = number, since "version";`. The name in C has the prefix
/// `VG_USERREQ__` or the string literal at the start of the row.
macro_rules! requests {
    ($(
        #[doc = $about:literal]
        $module:ident($header:literal) {
            $($($prefix:literal)? $name:ident($($argument:ident),*) = $number:expr
                $(, since $since:literal)?;)+
        }
    )+) => {
        $(
            #[doc = $about]
            pub mod $module {
                #[allow(unused_imports, reason = "not every header needs both")]
                use super::{HELGRIND, tool};

                $(
                    #[doc = concat!(
                        "`", requests!(@prefix $($prefix)?), stringify!($name),
                        "(", stringify!($($argument),*), ")` of `", $header, "`"
                    )]
                    pub const $name: usize = $number;
                )+
            }
        )+

        /// All client requests, in the order of their headers.
        pub const REQUESTS: &[Request] = &[$($(
            Request {
                header: $header,
                name: concat!(requests!(@prefix $($prefix)?), stringify!($name)),
                number: $module::$name,
                arguments: &[$(stringify!($argument)),*],
                since: requests!(@since $($since)?),
            },
        )+)+];
    };
    (@prefix) => { "VG_USERREQ__" };
    (@prefix $prefix:literal) => { $prefix };
    (@since) => { None };
    (@since $since:literal) => { Some($since) };
}

requests! {
    /// Requests for every tool.
    valgrind("valgrind.h") {
        RUNNING_ON_VALGRIND() = 0x1001;
        DISCARD_TRANSLATIONS(address, length) = 0x1002;
        VALGRIND_REPLACES_MALLOC() = 0x1003, since "3.27";
        VALGRIND_GET_TOOLNAME(buffer, length) = 0x1004, since "3.27";
        CLIENT_CALL0(function) = 0x1101;
        CLIENT_CALL1(function, first) = 0x1102;
        CLIENT_CALL2(function, first, second) = 0x1103;
        CLIENT_CALL3(function, first, second, third) = 0x1104;
        COUNT_ERRORS() = 0x1201;
        GDB_MONITOR_COMMAND(command) = 0x1202, since "3.9";
        CLO_CHANGE(option) = 0x1203, since "3.16";
        MALLOCLIKE_BLOCK(address, size, redzone, is_zeroed) = 0x1301;
        RESIZEINPLACE_BLOCK(address, old_size, new_size, redzone) = 0x130b, since "3.7";
        FREELIKE_BLOCK(address, redzone) = 0x1302;
        CREATE_MEMPOOL(pool, redzone, is_zeroed, flags) = 0x1303;
        DESTROY_MEMPOOL(pool) = 0x1304;
        MEMPOOL_ALLOC(pool, address, size) = 0x1305;
        MEMPOOL_FREE(pool, address) = 0x1306;
        MEMPOOL_TRIM(pool, address, size) = 0x1307;
        MOVE_MEMPOOL(old, new) = 0x1308;
        MEMPOOL_CHANGE(pool, old, new, size) = 0x1309;
        MEMPOOL_EXISTS(pool) = 0x130a;
        PRINTF(format, arguments) = 0x1401;
        PRINTF_BACKTRACE(format, arguments) = 0x1402;
        PRINTF_VALIST_BY_REF(format, arguments) = 0x1403;
        PRINTF_BACKTRACE_VALIST_BY_REF(format, arguments) = 0x1404;
        STACK_REGISTER(start, end) = 0x1501;
        STACK_DEREGISTER(id) = 0x1502;
        STACK_CHANGE(id, start, end) = 0x1503;
        LOAD_PDB_DEBUGINFO(descriptor, address, size, delta) = 0x1601;
        MAP_IP_TO_SRCLOC(address, buffer) = 0x1701;
        CHANGE_ERR_DISABLEMENT(delta) = 0x1801, since "3.7";
        VEX_INIT_FOR_IRI(handle) = 0x1901;
        INNER_THREADS(address) = 0x1902;
    }

    /// Requests for callgrind.
    callgrind("callgrind.h") {
        DUMP_STATS() = tool(*b"CT");
        ZERO_STATS() = tool(*b"CT") + 1;
        TOGGLE_COLLECT() = tool(*b"CT") + 2;
        DUMP_STATS_AT(label) = tool(*b"CT") + 3;
        START_INSTRUMENTATION() = tool(*b"CT") + 4;
        STOP_INSTRUMENTATION() = tool(*b"CT") + 5;
    }

    /// Requests for cachegrind.
    cachegrind("cachegrind.h") {
        CG_START_INSTRUMENTATION() = tool(*b"CG"), since "3.22";
        CG_STOP_INSTRUMENTATION() = tool(*b"CG") + 1, since "3.22";
    }

    /// Requests for memcheck.
    memcheck("memcheck.h") {
        MAKE_MEM_NOACCESS(address, length) = tool(*b"MC");
        MAKE_MEM_UNDEFINED(address, length) = tool(*b"MC") + 1;
        MAKE_MEM_DEFINED(address, length) = tool(*b"MC") + 2;
        DISCARD(unused, handle) = tool(*b"MC") + 3;
        CHECK_MEM_IS_ADDRESSABLE(address, length) = tool(*b"MC") + 4;
        CHECK_MEM_IS_DEFINED(address, length) = tool(*b"MC") + 5;
        DO_LEAK_CHECK(is_summary, changes) = tool(*b"MC") + 6;
        COUNT_LEAKS(leaked, dubious, reachable, suppressed) = tool(*b"MC") + 7;
        GET_VBITS(address, bits, length) = tool(*b"MC") + 8;
        SET_VBITS(address, bits, length) = tool(*b"MC") + 9;
        CREATE_BLOCK(address, length, description) = tool(*b"MC") + 10;
        MAKE_MEM_DEFINED_IF_ADDRESSABLE(address, length) = tool(*b"MC") + 11;
        COUNT_LEAK_BLOCKS(leaked, dubious, reachable, suppressed) = tool(*b"MC") + 12;
        ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(address, length) = tool(*b"MC") + 13;
        DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(address, length) = tool(*b"MC") + 14;
    }

    /// Requests for helgrind.
    helgrind("helgrind.h") {
        HG_CLEAN_MEMORY(address, length) = tool(*b"HG");
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_INIT_POST(mutex, is_recursive) = HELGRIND + 3;
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_DESTROY_PRE(mutex) = HELGRIND + 4;
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_UNLOCK_PRE(mutex) = HELGRIND + 5;
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_UNLOCK_POST(mutex) = HELGRIND + 6;
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_ACQUIRE_PRE(mutex, is_try_lock) = HELGRIND + 7;
        "_VG_USERREQ__" HG_PTHREAD_MUTEX_ACQUIRE_POST(mutex) = HELGRIND + 8;
        "_VG_USERREQ__" HG_PTHREAD_RWLOCK_INIT_POST(lock) = HELGRIND + 14;
        "_VG_USERREQ__" HG_PTHREAD_RWLOCK_DESTROY_PRE(lock) = HELGRIND + 15;
        "_VG_USERREQ__" HG_PTHREAD_RWLOCK_ACQUIRED(lock, is_writer) = HELGRIND + 17;
        "_VG_USERREQ__" HG_PTHREAD_RWLOCK_RELEASED(lock) = HELGRIND + 18;
        "_VG_USERREQ__" HG_POSIX_SEM_INIT_POST(semaphore, value) = HELGRIND + 20;
        "_VG_USERREQ__" HG_POSIX_SEM_DESTROY_PRE(semaphore) = HELGRIND + 21;
        "_VG_USERREQ__" HG_POSIX_SEM_RELEASED(semaphore) = HELGRIND + 22;
        "_VG_USERREQ__" HG_POSIX_SEM_ACQUIRED(semaphore) = HELGRIND + 23;
        "_VG_USERREQ__" HG_PTHREAD_BARRIER_INIT_PRE(barrier, count, is_resizable) = HELGRIND + 24;
        "_VG_USERREQ__" HG_PTHREAD_BARRIER_WAIT_PRE(barrier) = HELGRIND + 25;
        "_VG_USERREQ__" HG_PTHREAD_BARRIER_DESTROY_PRE(barrier) = HELGRIND + 26;
        "_VG_USERREQ__" HG_CLIENTREQ_UNIMP(name) = HELGRIND + 32;
        "_VG_USERREQ__" HG_USERSO_SEND_PRE(object) = HELGRIND + 33;
        "_VG_USERREQ__" HG_USERSO_RECV_POST(object) = HELGRIND + 34;
        "_VG_USERREQ__" HG_USERSO_FORGET_ALL(object) = HELGRIND + 35;
        "_VG_USERREQ__" HG_ARANGE_MAKE_UNTRACKED(address, length) = HELGRIND + 39;
        "_VG_USERREQ__" HG_ARANGE_MAKE_TRACKED(address, length) = HELGRIND + 40;
        "_VG_USERREQ__" HG_PTHREAD_BARRIER_RESIZE_PRE(barrier, count) = HELGRIND + 41;
        "_VG_USERREQ__" HG_CLEAN_MEMORY_HEAPBLOCK(block) = HELGRIND + 42;
        "_VG_USERREQ__" HG_GET_ABITS(address, bits, length) = HELGRIND + 46;
        "_VG_USERREQ__" HG_GNAT_DEPENDENT_MASTER_JOIN(dependent, master) = HELGRIND + 61;
    }

    /// Requests for DRD.
    drd("drd.h") {
        DRD_CLEAN_MEMORY(address, length) = tool(*b"HG");
        DRD_GET_VALGRIND_THREAD_ID() = tool(*b"DR");
        DRD_GET_DRD_THREAD_ID() = tool(*b"DR") + 1;
        DRD_START_SUPPRESSION(address, length) = tool(*b"DR") + 2;
        DRD_FINISH_SUPPRESSION(address, length) = tool(*b"DR") + 3;
        DRD_START_TRACE_ADDR(address, length) = tool(*b"DR") + 4;
        DRD_STOP_TRACE_ADDR(address, length) = tool(*b"DR") + 5;
        DRD_RECORD_LOADS(is_recorded) = tool(*b"DR") + 6;
        DRD_RECORD_STORES(is_recorded) = tool(*b"DR") + 7;
        DRD_SET_THREAD_NAME(name) = tool(*b"DR") + 8;
        DRD_ANNOTATION_UNIMP(name) = tool(*b"DR") + 9;
        DRD_ANNOTATE_SEM_INIT_PRE(semaphore, value) = tool(*b"DR") + 10;
        DRD_ANNOTATE_SEM_DESTROY_POST(semaphore) = tool(*b"DR") + 11;
        DRD_ANNOTATE_SEM_WAIT_PRE(semaphore) = tool(*b"DR") + 12;
        DRD_ANNOTATE_SEM_WAIT_POST(semaphore) = tool(*b"DR") + 13;
        DRD_ANNOTATE_SEM_POST_PRE(semaphore) = tool(*b"DR") + 14;
        DRD_IGNORE_MUTEX_ORDERING(mutex) = tool(*b"DR") + 15;
        DRD_ANNOTATE_RWLOCK_CREATE(lock) = HELGRIND + 14;
        DRD_ANNOTATE_RWLOCK_DESTROY(lock) = HELGRIND + 15;
        DRD_ANNOTATE_RWLOCK_ACQUIRED(lock, is_writer) = HELGRIND + 17;
        DRD_ANNOTATE_RWLOCK_RELEASED(lock, is_writer) = HELGRIND + 18;
        HELGRIND_ANNOTATION_UNIMP(name) = HELGRIND + 32;
        DRD_ANNOTATE_HAPPENS_BEFORE(object) = HELGRIND + 33;
        DRD_ANNOTATE_HAPPENS_AFTER(object) = HELGRIND + 34;
    }

    /// Requests for DHAT.
    dhat("dhat.h") {
        DHAT_AD_HOC_EVENT(weight) = tool(*b"DH"), since "3.17";
        DHAT_HISTOGRAM_MEMORY(address) = tool(*b"DH") + 1, since "3.21";
    }
}
