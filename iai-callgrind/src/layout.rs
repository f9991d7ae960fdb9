//! What keeps the layout of an executable from changing when benchmarks are added to a file.
//!
//! How many cache lines a function or a constant occupies depends on where it begins within a line. All
//! that the linker puts behind the code of a benchmark file moves when that changes. Three bytes that
//! want to lie at the beginning of a page, one in each kind of section, take the movement up: what
//! comes after them stays where it is within its page. That is the code of the standard library and of
//! the crates that the linker takes after this one.

// Begins a page in the sections of code, of constants, and of constants with addresses.
//
// The letter `R` keeps the linker from leaving the bytes out, which nobody uses.
#[cfg(target_os = "linux")]
std::arch::global_asm!(
    ".pushsection .text.iai_callgrind, \"axR\"",
    ".p2align 12",
    ".byte 0",
    ".popsection",
    ".pushsection .rodata.iai_callgrind, \"aR\"",
    ".p2align 12",
    ".byte 0",
    ".popsection",
    ".pushsection .data.rel.ro.iai_callgrind, \"awR\"",
    ".p2align 12",
    ".byte 0",
    ".popsection",
);
