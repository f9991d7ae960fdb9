//! Keeps the layout of the rest of an executable when benchmarks are added to a file.
//!
//! The number of cache lines of a function or a constant depends on its offset within a line. Everything
//! that the linker puts after the code of a benchmark file moves when that code grows. Five bytes with
//! the alignment of a page, one in each kind of section, absorb the movement: what follows them keeps its
//! offset within the page. That is the code of the standard library and of the crates that the linker
//! puts after this one. A variable for each benchmark comes from its registration.

// One byte at the start of a page in the sections of code, of constants, of constants with addresses, and of variables.
// GNU `ld` has the functions that hardly ever run, of all crates, in a place of their own.
//
// The flag `R` makes the linker keep the bytes, which no code refers to.
#[cfg(target_os = "linux")]
std::arch::global_asm!(
    ".pushsection .text.unlikely.iai_callgrind, \"axR\"",
    ".p2align 12",
    ".byte 0",
    ".popsection",
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
    ".pushsection .data.iai_callgrind, \"awR\"",
    ".p2align 12",
    ".byte 0",
    ".popsection",
);
