//! Each request has its effect under Valgrind, and none outside of it.

mod callgrind;
mod every_tool;
mod memory;
mod threads;
mod valgrind;
