//! Client requests: how a program talks to the Valgrind that it runs under.
//!
//! Valgrind recognizes a sequence of instructions that has no effect on a real CPU. A program uses it
//! to tell Valgrind something or to ask for something: count from here on, dump the counts, check this
//! memory. Outside of Valgrind a request costs a handful of instructions and returns its default; the
//! same is true of a request that the running tool, or an older Valgrind, does not know.
//!
//! There is a module for each header of Valgrind's, and in it a function for each request. Its name is
//! that of the C macro in small letters, without what the module's name says already:
//! `CALLGRIND_TOGGLE_COLLECT` is [`callgrind::toggle_collect`]. Valgrind's manual and the headers tell
//! all details of what a request does.
//!
//! [`valgrind_printf!`](crate::valgrind_printf) and the other macros that print are at the root of
//! this crate.
//!
//! ```
//! use iai_callgrind::client_requests::{callgrind, valgrind};
//!
//! fn work() -> u64 {
//!     (0..1000).sum()
//! }
//!
//! callgrind::toggle_collect();
//! let sum = work();
//! callgrind::toggle_collect();
//!
//! // Not under Valgrind
//! assert_eq!(valgrind::running_on_valgrind(), 0);
//! # assert_eq!(sum, 499_500);
//! ```
//!
//! # Features
//!
//! - `client_requests` makes the requests.
//! - `client_requests_defs` alone has the same functions and macros, and all of them compile to
//!   nothing. So the requests can stay in production code, which depends on
//!   `iai-callgrind = { version = "...", default-features = false, features = ["client_requests_defs"] }`,
//!   while the benchmarks' dependency has the feature `client_requests`.
//!
//! Both work without the harness (`default-features = false`), and this crate is `no_std` then.
//!
//! # Targets
//!
//! | Architecture | Systems | |
//! |---|---|---|
//! | x86-64, x86 | Linux, Android, FreeBSD, macOS, illumos, Solaris, Windows (GNU) | inline assembly |
//! | ARM (64 bits) | Linux, Android, FreeBSD | inline assembly |
//! | ARM (32 bits) | Linux, Android | inline assembly |
//! | RISC-V (64 bits), s390x | Linux | inline assembly |
//! | PowerPC, MIPS | Linux | a call of a C function |
//!
//! For the last row the build needs a C compiler for the target and Valgrind's headers. The
//! environment variable `IAI_CALLGRIND_VALGRIND_INCLUDE` names the directory that has
//! `valgrind/valgrind.h`, if that is not a place that the compiler knows;
//! `IAI_CALLGRIND_<triple>_VALGRIND_INCLUDE` does so for one target only, with the target's triple in
//! capital letters and `_` in place of `-`. No other target needs either.
//!
//! On all other targets there is no Valgrind. Programs compile and no request has an effect.
//! [`AVAILABLE`] tells.

#![allow(clippy::must_use_candidate, reason = "most functions are called for their effect")]

pub mod cachegrind;
pub mod callgrind;
pub mod dhat;
pub mod drd;
pub mod error;
pub mod helgrind;
pub mod memcheck;
pub(crate) mod print;
pub mod valgrind;

/// A thread's number, as Valgrind counts them.
pub type ThreadId = usize;

/// A stack's number, see [`valgrind::stack_register`].
pub type StackId = usize;

/// Whether requests are made at all: the feature `client_requests` is on, and Valgrind can run on this
/// target.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", feature = "client_requests"))]
/// const _: () = assert!(iai_callgrind::client_requests::AVAILABLE, "this needs Valgrind");
/// ```
pub const AVAILABLE: bool = {
    #[cfg(feature = "client_requests")]
    let available = crate::arch::AVAILABLE;
    #[cfg(not(feature = "client_requests"))]
    let available = false;
    available
};

/// Makes a request with up to five arguments. Returns `default` outside of Valgrind, and what Valgrind
/// answers to a request that it doesn't know.
#[cfg(feature = "client_requests")]
#[inline(always)]
fn request<const N: usize>(default: usize, number: usize, arguments: [usize; N]) -> usize {
    const { assert!(N <= 5, "a request has up to five arguments") };
    let mut words = [number, 0, 0, 0, 0, 0];
    let mut index = 0;
    // Unrolled by the compiler, and in a build without optimization no call
    while index < N {
        words[index + 1] = arguments[index];
        index += 1;
    }
    crate::arch::request(default, &words)
}

/// Makes no request.
#[cfg(not(feature = "client_requests"))]
#[inline(always)]
fn request<const N: usize>(default: usize, _number: usize, _arguments: [usize; N]) -> usize {
    default
}
