//! The instructions of a client request, with a file for each architecture.
//!
//! Each file has the same two names. `AVAILABLE` is `true` if Valgrind runs on the target, and `request`
//! makes the request with a number and arguments, and returns `default` outside of Valgrind. The targets
//! and their conditions are those of `valgrind.h`. `cargo xtask sequences` compares the instructions with
//! that header.

#[macro_use]
#[allow(unused_macros, reason = "some targets have no inline assembly")]
mod inline;

// The file is `none.rs` unless one of these conditions holds
#[cfg_attr(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        any(
            target_os = "linux",
            target_os = "android",
            target_os = "freebsd",
            target_os = "macos",
            target_os = "illumos",
            target_os = "solaris",
            all(target_os = "windows", target_env = "gnu"),
        )
    ),
    path = "arch/x86_64.rs"
)]
#[cfg_attr(
    all(
        target_arch = "x86",
        any(
            target_os = "linux",
            target_os = "android",
            target_os = "freebsd",
            target_os = "macos",
            target_os = "illumos",
            target_os = "solaris",
            all(target_os = "windows", target_env = "gnu"),
        )
    ),
    path = "arch/x86.rs"
)]
#[cfg_attr(
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        any(target_os = "linux", target_os = "android", target_os = "freebsd"),
    ),
    path = "arch/aarch64.rs"
)]
#[cfg_attr(
    all(target_arch = "arm", any(target_os = "linux", target_os = "android")),
    path = "arch/arm.rs"
)]
#[cfg_attr(all(target_arch = "riscv64", target_os = "linux"), path = "arch/riscv64.rs")]
#[cfg_attr(all(target_arch = "s390x", target_os = "linux"), path = "arch/s390x.rs")]
#[cfg_attr(
    all(
        target_os = "linux",
        any(
            target_arch = "powerpc",
            target_arch = "powerpc64",
            target_arch = "mips",
            target_arch = "mips64",
        )
    ),
    path = "arch/shim.rs"
)]
#[allow(dead_code, reason = "only the feature `client_requests` uses `AVAILABLE`")]
mod none;

#[cfg(feature = "client_requests")]
pub(crate) use none::AVAILABLE;
pub(crate) use none::request;
