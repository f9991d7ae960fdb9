//! Functions in assembly, whose instructions can be counted by hand, with the shapes of calls, branches and returns that
//! a tool could take for others.

#![allow(clippy::needless_pass_by_value, reason = "the subject of a benchmark")]

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Defines a function with these instructions.
macro_rules! function {
    ($name:literal: $($line:literal)+) => {
        core::arch::global_asm!(
            ".pushsection .text.by_hand, \"ax\"",
            concat!(".globl ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            $($line,)+
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
        );
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    function!("leaf": "nop" "ret");
    function!("turns": "3:" "cbz x0, 2f" "sub x0, x0, #1" "b 3b" "2:" "ret");
    function!("framed": "stp x29, x30, [sp, #-16]!" "3:" "cbz x0, 2f" "sub x0, x0, #1" "b 3b"
        "2:" "ldp x29, x30, [sp], #16" "ret");
    function!("nested": "stp x29, x30, [sp, #-32]!" "str x0, [sp, #16]" "bl framed"
        "ldr x0, [sp, #16]" "3:" "cbz x0, 2f" "sub x0, x0, #1" "b 3b"
        "2:" "ldr x0, [sp, #16]" "bl framed" "ldp x29, x30, [sp], #32" "ret");
    function!("tail": "stp x29, x30, [sp, #-32]!" "str x0, [sp, #16]" "bl framed"
        "ldr x0, [sp, #16]" "ldp x29, x30, [sp], #32" "b framed");
    function!("conditional_tail": "cbnz x0, turns" "ret");
    function!("fibonacci": "cmp x0, #2" "b.hs 3f" "mov x0, #1" "ret"
        "3:" "stp x29, x30, [sp, #-32]!" "str x0, [sp, #16]" "sub x0, x0, #1" "bl fibonacci"
        "ldr x1, [sp, #16]" "str x0, [sp, #24]" "sub x0, x1, #2" "bl fibonacci"
        "ldr x1, [sp, #24]" "add x0, x0, x1" "ldp x29, x30, [sp], #32" "b 2f" "nop" "2:" "ret");
    function!("even": "cbz x0, 3f" "sub x0, x0, #1" "b odd" "3:" "ret");
    function!("odd": "cbz x0, 3f" "sub x0, x0, #1" "b even" "3:" "ret");
    function!("in_turns": "stp x29, x30, [sp, #-32]!" "str x19, [sp, #16]" "mov x19, x0"
        "3:" "cbz x19, 2f" "sub x19, x19, #1" "bl leaf" "b 3b"
        "2:" "ldr x19, [sp, #16]" "ldp x29, x30, [sp], #32" "ret");
    function!("by_register": "stp x29, x30, [sp, #-32]!" "str x19, [sp, #16]" "mov x19, x0"
        "3:" "cbz x19, 2f" "sub x19, x19, #1" "adr x8, leaf" "adr x9, other_leaf" "tst x19, #1"
        "csel x8, x8, x9, eq" "blr x8" "b 3b"
        "2:" "ldr x19, [sp, #16]" "ldp x29, x30, [sp], #32" "ret");
    function!("other_leaf": "nop" "nop" "ret");
    function!("switch": "adr x8, 3f" "and x1, x0, #1" "add x8, x8, x1, lsl #3" "br x8"
        "3:" "b 2f" "nop" "nop" "b 2f" "2:" "ret");
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    function!("leaf": "nop" "ret");
    function!("turns": "3:" "test rdi, rdi" "je 2f" "dec rdi" "jmp 3b" "2:" "ret");
    function!("framed": "push rbx" "3:" "test rdi, rdi" "je 2f" "dec rdi" "jmp 3b"
        "2:" "pop rbx" "ret");
    function!("nested": "push rdi" "call framed"
        "mov rdi, [rsp]" "3:" "test rdi, rdi" "je 2f" "dec rdi" "jmp 3b"
        "2:" "mov rdi, [rsp]" "call framed" "pop rdi" "ret");
    function!("tail": "push rdi" "call framed" "pop rdi" "jmp framed");
    function!("conditional_tail": "test rdi, rdi" "jne turns" "ret");
    function!("fibonacci": "cmp rdi, 2" "jae 3f" "mov eax, 1" "ret"
        "3:" "push rdi" "dec rdi" "call fibonacci"
        "pop rdi" "push rax" "sub rdi, 2" "call fibonacci"
        "pop rcx" "add rax, rcx" "jmp 2f" "nop" "2:" "ret");
    function!("even": "test rdi, rdi" "je 3f" "dec rdi" "jmp odd" "3:" "ret");
    function!("odd": "test rdi, rdi" "je 3f" "dec rdi" "jmp even" "3:" "ret");
    function!("in_turns": "push rbx" "mov rbx, rdi"
        "3:" "test rbx, rbx" "je 2f" "dec rbx" "call leaf" "jmp 3b" "2:" "pop rbx" "ret");
    function!("by_register": "push rbx" "mov rbx, rdi"
        "3:" "test rbx, rbx" "je 2f" "dec rbx" "lea rax, [rip + leaf]" "lea rcx, [rip + other_leaf]"
        "test bl, 1" "cmovne rax, rcx" "call rax" "jmp 3b" "2:" "pop rbx" "ret");
    function!("other_leaf": "nop" "nop" "ret");
    function!("switch": "lea rax, [rip + 3f]" "mov rcx, rdi" "and ecx, 1" "lea rax, [rax + 4 * rcx]"
        "jmp rax" "3:" "jmp 2f" "nop" "nop" "nop" "jmp 2f" "2:" "ret");
}

/// A value that is passed by its address, and copied when it is moved.
struct Large([u64; 100]);

#[library_benchmark]
#[bench::bytes_800(Large([7; 100]))]
fn large_argument(large: Large) -> u64 {
    large.0[5]
}

/// Declares the functions, and a benchmark for each. It consists of one instruction, a jump to the function.
macro_rules! benchmarks {
    ($($name:ident)+) => {
        mod functions {
            unsafe extern "C" { $(pub(crate) safe fn $name(number: u64) -> u64;)+ }
        }

        $(
            #[library_benchmark]
            #[bench::ten(10)]
            fn $name(number: u64) -> u64 {
                functions::$name(number)
            }
        )+

        library_benchmark_group!(name = group; benchmarks = $($name,)+ large_argument);
    };
}

benchmarks! {
    leaf turns framed nested tail conditional_tail fibonacci even in_turns by_register switch
}

main!(library_benchmark_groups = group);
