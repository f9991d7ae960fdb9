//! Functions whose instructions can be counted by hand.

use std::arch::asm;

use iai_callgrind::prelude::*;

/// Executes `ret`.
#[library_benchmark]
fn empty() {}

/// Executes three steps, and `ret`.
#[library_benchmark]
fn steps() {
    // SAFETY: nothing changes.
    unsafe { asm!("nop", "nop", "nop", options(nomem, nostack, preserves_flags)) }
}

/// Executes `mov`, two instructions in each of 1000 turns, and `ret`.
#[library_benchmark]
fn turns() {
    // SAFETY: only the register and the flags change.
    unsafe { asm!("2:", "dec {0}", "jnz 2b", inout(reg) 1000_u32 => _, options(nomem, nostack)) }
}

/// Allocates 1000 bytes, which belong to the benchmark.
#[library_benchmark]
fn allocation() -> Vec<u8> {
    vec![1; 1000]
}

main!();
