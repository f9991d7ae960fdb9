//! Benchmarks that fail in each way there is, between ones that don't.

use std::hint::black_box;
use std::process::{abort, exit};
use std::ptr;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Says on both streams what happens next.
fn announce(what: &str) {
    println!("output before {what}");
    eprintln!("error output before {what}");
}

#[library_benchmark]
fn good_before() -> u64 {
    black_box(1)
}

#[library_benchmark]
fn panics() {
    announce("a panic");
    panic!("no way on");
}

fn panic_before() {
    panic!("no way in");
}

fn panic_after(_output: ()) {
    panic!("no way out");
}

#[library_benchmark]
#[bench::set_up(setup = panic_before)]
#[bench::tear_down(setup = || (), teardown = panic_after)]
fn panics_around(_input: ()) {}

#[library_benchmark]
fn exits_with_3() {
    announce("an exit");
    exit(3);
}

#[library_benchmark]
fn exits_with_0() {
    announce("a quiet exit");
    exit(0);
}

#[library_benchmark]
fn good_between() -> u64 {
    announce("success");
    black_box(2)
}

#[library_benchmark]
fn segfaults() {
    announce("a crash");
    let nowhere = black_box(ptr::without_provenance::<u64>(8));
    // SAFETY: nothing is mapped there, which ends the process, as wanted. (Raising the signal would
    // not: Rust's handler only ends processes that come back with the same fault.)
    black_box(unsafe { nowhere.read_volatile() });
}

#[library_benchmark]
fn aborts() {
    announce("an abort");
    abort();
}

/// Executes an instruction that Valgrind does not know: `vpxord zmm0, zmm0, zmm0` of AVX-512, or `ptrue p0.b` of SVE.
#[library_benchmark]
fn unknown_instruction() {
    announce("an instruction");
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the compiler uses no predicate register
    unsafe {
        std::arch::asm!(".inst 0x2518e3e0", options(nomem, nostack));
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction clears a register that is declared as changed
    unsafe {
        std::arch::asm!(".byte 0x62, 0xf1, 0x7d, 0x48, 0xef, 0xc0", out("xmm0") _, options(nomem, nostack));
    }
}

#[library_benchmark]
fn good_after() -> u64 {
    black_box(3)
}

library_benchmark_group!(
    name = group;
    benchmarks =
        good_before, panics, panics_around, exits_with_3, exits_with_0, good_between, segfaults,
        aborts, unknown_instruction, good_after
);

main!(library_benchmark_groups = group);
