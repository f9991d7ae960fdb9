//! Client requests, by which a program communicates with Valgrind: those of users and of the harness.
//!
//! Programs use them through the crate `iai-callgrind`.

#![no_std]

#[cfg(any(feature = "harness", feature = "client_requests"))]
mod arch;
#[cfg(feature = "client_requests_defs")]
pub mod client_requests;
#[cfg(feature = "harness")]
pub mod harness;

/// Everything that expansions of macros name. Not part of the public interface.
#[cfg(feature = "client_requests_defs")]
#[doc(hidden)]
pub mod __private {
    pub use crate::client_requests::print::{BACKTRACE, TEXT, print};
    pub use crate::client_requests::valgrind::running_on_valgrind;
}
