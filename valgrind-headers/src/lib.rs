//! The numbers of Valgrind's client requests, as a table of our own.
//!
//! A client request is a number that a program hands to the Valgrind it runs under. The numbers are
//! part of Valgrind's stable interface, so they stand here as constants, and no benchmark needs
//! Valgrind's C headers to be built. One module per header holds the constants; [`REQUESTS`] lists
//! them all with their names in C. The test `installed` compares the table with the headers of the
//! machine it runs on.
//!
//! ```
//! use valgrind_headers::{REQUESTS, callgrind};
//!
//! let request = REQUESTS.iter().find(|request| request.number == callgrind::ZERO_STATS);
//! assert_eq!(request.unwrap().name, "VG_USERREQ__ZERO_STATS");
//! ```

#![no_std]

/// One client request of one header
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The header that declares it, `callgrind.h`
    pub header: &'static str,
    /// Its name in C, `VG_USERREQ__ZERO_STATS`
    pub name: &'static str,
    /// The number that Valgrind understands, the same on every platform
    pub number: usize,
    /// The first Valgrind that has it, `3.16`, where Valgrind's release notes name one
    pub since: Option<&'static str>,
}

/// Where the requests of a tool begin: the two letters of the tool in the upper half of 32 bits
const fn tool(letters: [u8; 2]) -> usize {
    (letters[0] as usize) << 24 | (letters[1] as usize) << 16
}

/// Makes the modules with their constants and the table out of one list, so that each request is
/// written once
macro_rules! requests {
    ($(
        #[doc = $about:literal]
        $module:ident($header:literal) {
            $($name:ident = $number:expr $(, since $since:literal)?;)+
        }
    )+) => {
        $(
            #[doc = $about]
            pub mod $module {
                $(
                    #[doc = concat!("`VG_USERREQ__", stringify!($name), "` of `", $header, "`")]
                    pub const $name: usize = $number;
                )+
            }
        )+

        /// All client requests that this crate knows, header by header
        pub const REQUESTS: &[Request] = &[$($(
            Request {
                header: $header,
                name: concat!("VG_USERREQ__", stringify!($name)),
                number: $module::$name,
                since: requests!(@since $($since)?),
            },
        )+)+];
    };
    (@since) => { None };
    (@since $since:literal) => { Some($since) };
}

requests! {
    /// The requests that every tool answers
    core("valgrind.h") {
        RUNNING_ON_VALGRIND = 0x1001;
        DISCARD_TRANSLATIONS = 0x1002;
        CLIENT_CALL0 = 0x1101;
        CLIENT_CALL1 = 0x1102;
        CLIENT_CALL2 = 0x1103;
        CLIENT_CALL3 = 0x1104;
        COUNT_ERRORS = 0x1201;
        GDB_MONITOR_COMMAND = 0x1202, since "3.9";
        CLO_CHANGE = 0x1203, since "3.16";
        MALLOCLIKE_BLOCK = 0x1301;
        RESIZEINPLACE_BLOCK = 0x130b, since "3.7";
        FREELIKE_BLOCK = 0x1302;
        CREATE_MEMPOOL = 0x1303;
        DESTROY_MEMPOOL = 0x1304;
        MEMPOOL_ALLOC = 0x1305;
        MEMPOOL_FREE = 0x1306;
        MEMPOOL_TRIM = 0x1307;
        MOVE_MEMPOOL = 0x1308;
        MEMPOOL_CHANGE = 0x1309;
        MEMPOOL_EXISTS = 0x130a;
        PRINTF = 0x1401;
        PRINTF_BACKTRACE = 0x1402;
        PRINTF_VALIST_BY_REF = 0x1403;
        PRINTF_BACKTRACE_VALIST_BY_REF = 0x1404;
        STACK_REGISTER = 0x1501;
        STACK_DEREGISTER = 0x1502;
        STACK_CHANGE = 0x1503;
        LOAD_PDB_DEBUGINFO = 0x1601;
        MAP_IP_TO_SRCLOC = 0x1701;
        CHANGE_ERR_DISABLEMENT = 0x1801, since "3.7";
        VEX_INIT_FOR_IRI = 0x1901;
        INNER_THREADS = 0x1902;
    }

    /// The requests that callgrind answers
    callgrind("callgrind.h") {
        DUMP_STATS = crate::tool(*b"CT");
        ZERO_STATS = crate::tool(*b"CT") + 1;
        TOGGLE_COLLECT = crate::tool(*b"CT") + 2;
        DUMP_STATS_AT = crate::tool(*b"CT") + 3;
        START_INSTRUMENTATION = crate::tool(*b"CT") + 4;
        STOP_INSTRUMENTATION = crate::tool(*b"CT") + 5;
    }
}
