//! Numbers of Valgrind's client requests.
//!
//! A client request is a number with up to five arguments that a program passes to Valgrind. The numbers
//! are part of Valgrind's stable interface. As constants, they make benchmarks compile without Valgrind's
//! C headers and without libclang. Each header has a module with its constants, and [`REQUESTS`] lists all
//! requests with their names in C. The tests compare the table with the headers of several versions of
//! Valgrind.
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

/// Client request of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Header that declares the request, such as `callgrind.h`.
    pub header: &'static str,
    /// Name in C, such as `VG_USERREQ__ZERO_STATS`.
    pub name: &'static str,
    /// Number of the request, the same on every platform.
    pub number: usize,
    /// Names of the arguments, at most five.
    pub arguments: &'static [&'static str],
    /// First version of Valgrind with the request, such as `3.16`, if Valgrind's release notes name it.
    pub since: Option<&'static str>,
}
