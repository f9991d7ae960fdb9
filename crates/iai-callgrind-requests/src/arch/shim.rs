//! PowerPC and MIPS: C code makes the request, as stable Rust has no inline assembly.

pub(crate) use valgrind_shim::request;

pub(crate) const AVAILABLE: bool = true;
