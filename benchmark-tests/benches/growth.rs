//! Costs of known formulas: each step of a loop executes two instructions. The variable `GROWTH` selects the new versions
//! of functions that changed.

use std::arch::asm;
use std::env;
use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Executes two instructions for each step. At least one step is needed.
fn steps(number: u64) {
    // SAFETY: only the register and the flags change.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("2:", "dec {0}", "jnz 2b", inout(reg) number => _, options(nomem, nostack));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) number => _, options(nomem, nostack));
    }
}

#[library_benchmark]
#[benches::n(args = range(8, 1024, 2), setup = |_: u64| 100, size = |n| *n)]
#[benches::step(args = range(8, 1024, 2), setup = |n| if n > 128 { 400 } else { 100 }, size = |n| *n)]
fn constant(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = range(8, 1024, 2), setup = |n: u64| 10 * n, size = |n| *n)]
#[benches::series(args = product([8, 32, 128, 512], [5, 15]), setup = |n: u64, k: u64| n * k, size = |n, _| *n)]
#[benches::dense(
    args = dense_range(100, 1600, 100),
    setup = |n: u64| 3 * n + 400 * u64::from(n > 800),
    size = |n| *n
)]
fn linear(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = range(8, 1024, 2), setup = |n: u64| u64::from(n.ilog2()), size = |n| *n)]
fn logarithmic(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = range(8, 1024, 2), setup = |n: u64| n * u64::from(n.ilog2()), size = |n| *n)]
fn linearithmic(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(iter = iai_callgrind::sizes::range_with_factor(8_u64, 512, 4), setup = |n: u64| n * n, size = |n| *n)]
#[benches::fine(args = range(8, 512, 2), setup = |n: u64| n * (n - 1) / 2, size = |n| *n)]
fn quadratic(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = range(4, 128, 2), setup = |n: u64| n * n * n, size = |n| *n)]
fn cubic(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = dense_range(2, 18, 2), setup = |n: u64| 1_u64 << n, size = |n| *n)]
fn exponential(number: u64) {
    steps(number);
}

/// Takes as many steps as the number has ones, times a thousand.
#[library_benchmark]
#[benches::n(args = [7, 16, 63, 129, 511, 1024, 2047], setup = |n: u64| 1000 * u64::from(n.count_ones()), size = |n| *n)]
fn irregular(number: u64) {
    steps(number);
}

library_benchmark_group!(
    name = classes,
    benchmarks = constant,
    linear,
    logarithmic,
    linearithmic,
    quadratic,
    cubic,
    exponential,
    irregular
);

/// Takes the steps of the version that the variable selects.
fn changed(n: u64) -> u64 {
    match env::var("GROWTH").as_deref() {
        // Less at all sizes than the old constant
        Ok("class") => n * n / 256,
        Ok("constant") => 20_000 + 8 * n,
        Ok("per_element") => 100_000 + 9 * n,
        _ => 100_000 + 8 * n,
    }
}

#[library_benchmark]
#[benches::n(args = range(64, 4096, 2), setup = |n: u64| changed(n) + 20_000, size = |n| *n)]
fn without_limits(number: u64) {
    steps(number);
}

#[library_benchmark(complexity = "n", per_element = 2)]
#[benches::n(args = range(64, 4096, 2), setup = |n: u64| changed(n) + 20_000, size = |n| *n)]
fn with_limits(number: u64) {
    steps(number);
}

library_benchmark_group!(name = changes, benchmarks = without_limits, with_limits);

#[library_benchmark]
#[benches::n(args = range(8, 512, 2), setup = |n: u64| n * n, size = |n| *n)]
#[benches::other(args = range(8, 512, 2), setup = |n: u64| n * n, size = |n| *n)]
fn simple(number: u64) {
    steps(number);
}

#[library_benchmark]
#[benches::n(args = range(8, 512, 2), setup = |n: u64| 80 * n + 1536, size = |n| *n)]
fn clever(number: u64) {
    steps(number);
}

library_benchmark_group!(name = crossing, compare_by_id = true, benchmarks = simple, clever);

#[library_benchmark]
#[benches::one(args = [8], size = |n| *n)]
#[benches::repeated(args = [8, 64, 8, 512, 1024], size = |n| *n)]
#[benches::zero(args = [1, 8, 64, 512], size = |n| *n - 1)]
#[benches::negative(args = [1, 8, 64, 512], size = |n| -i64::try_from(*n).unwrap())]
#[benches::unordered(args = [512, 8, 1024, 64], size = |n| *n)]
#[benches::close(args = [8, 16, 32, 63], size = |n| *n)]
fn wrong_sizes(number: u64) {
    steps(black_box(number));
}

library_benchmark_group!(name = sizes, benchmarks = wrong_sizes);

main!(library_benchmark_groups = classes, changes, crossing, sizes);
