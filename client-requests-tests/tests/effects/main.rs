//! Each request has its effect under Valgrind, and none outside of it.

mod callgrind;
mod core;
mod memory;
mod threads;
mod valgrind;
