//! Client requests, by which a program communicates with Valgrind.
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
//! Valgrind recognizes a sequence of instructions that has no effect on a real CPU. By this sequence a
//! program can start to count, dump the counts, or check memory. Outside of Valgrind, a request executes a
//! few instructions and returns its default. The same applies to a request that the running tool or the
//! version of Valgrind does not support.
//!
//! There is a module for each header of Valgrind, with a function for each request. The function has the
//! name of the C macro in lower case, without the name of the module: `CALLGRIND_TOGGLE_COLLECT` is
//! [`callgrind::toggle_collect`]. Valgrind's manual and the headers describe the requests in detail.
//!
//! [`valgrind_printf!`](crate::valgrind_printf) and the other macros that print are at the root of
//! this crate.
//!
//! # Features
//!
//! - `client_requests` makes the requests.
//! - `client_requests_defs` alone has the same functions and macros, which compile to no code. So the
//!   requests can stay in production code, which depends on
//!   `iai-callgrind = { version = "...", default-features = false, features = ["client_requests_defs"] }`,
//!   while the benchmarks' dependency has the feature `client_requests`.
//!
//! Both work without the harness (`default-features = false`). This crate is `no_std` then.
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
//! For the last row, the build needs a C compiler for the target and Valgrind's headers. If they are not
//! in a default directory of the compiler, set the environment variable `IAI_CALLGRIND_VALGRIND_INCLUDE`
//! to the directory that contains `valgrind/valgrind.h`. `IAI_CALLGRIND_<triple>_VALGRIND_INCLUDE` applies
//! to one target only, with the target's triple in capital letters and `_` in place of `-`. Other targets
//! need no headers.
//!
//! Valgrind does not support any other target. Programs compile, but requests have no effect, and
//! [`AVAILABLE`] is `false`.

#![allow(clippy::must_use_candidate, reason = "most functions are called for their effect")]

/// Returns the address and the size of a value. A function would be a call without optimization.
macro_rules! extent {
    ($value:ident) => {
        [core::ptr::from_ref($value).expose_provenance(), size_of_val($value)]
    };
}

pub mod cachegrind;
pub mod callgrind;
pub mod dhat;
pub mod drd;
pub mod error;
pub mod helgrind;
pub mod memcheck;
pub(crate) mod print;
pub mod valgrind;

/// Valgrind's number of a thread.
pub type ThreadId = usize;

/// Valgrind's number of a stack, see [`valgrind::stack_register`].
pub type StackId = usize;

/// `true` if the feature `client_requests` is on and Valgrind supports the target.
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

/// Makes a request with up to five arguments. Returns `default` outside of Valgrind and if Valgrind does
/// not support the request.
#[cfg(feature = "client_requests")]
#[inline(always)]
fn request<const N: usize>(default: usize, number: usize, arguments: [usize; N]) -> usize {
    const { assert!(N <= 5, "a request has up to five arguments") };
    let mut words = [number, 0, 0, 0, 0, 0];
    let mut index = 0;
    // The compiler unrolls the loop; a build without optimization makes no call
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
