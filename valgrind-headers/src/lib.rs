//! The numbers of Valgrind's client requests, as a table of our own.
//!
//! A client request is a number that a program hands to the Valgrind it runs under, with up to five
//! arguments. The numbers are part of Valgrind's stable interface, so they stand here as constants,
//! and no benchmark needs Valgrind's C headers or libclang to be built. One module per header holds
//! the constants; [`REQUESTS`] lists them all with their names in C. The tests compare the table with
//! the headers of the machine that they run on and with those of other versions of Valgrind.
//!
//! ```
//! use valgrind_headers::{REQUESTS, callgrind};
//!
//! let request = REQUESTS.iter().find(|request| request.number == callgrind::DUMP_STATS_AT).unwrap();
//! assert_eq!(request.name, "VG_USERREQ__DUMP_STATS_AT");
//! assert_eq!(request.arguments, ["label"]);
//! ```

#![no_std]

mod table;

pub use table::{REQUESTS, cachegrind, callgrind, dhat, drd, helgrind, memcheck, valgrind};

/// One client request of one header
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The header that declares it, `callgrind.h`
    pub header: &'static str,
    /// The name in C, `VG_USERREQ__ZERO_STATS`
    pub name: &'static str,
    /// The number that Valgrind understands, the same on every platform
    pub number: usize,
    /// The meaning of the arguments, in their order; there are at most five
    pub arguments: &'static [&'static str],
    /// The first Valgrind that has it, `3.16`, where Valgrind's release notes name one
    pub since: Option<&'static str>,
}
