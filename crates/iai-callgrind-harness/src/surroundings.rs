//! The surroundings of a benchmark: the same random numbers, times and number of CPUs in every run and on
//! every machine, and threads that start from the same state.
//!
//! The benchmark executable defines functions of the C library under their names, so that its own code, its
//! dependencies and the standard library call these. Outside of benchmarks they do what those of the C library do.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    reason = "registers have no names, no sign and a constant width"
)]

mod c_library;
mod clock;
mod cpus;
mod files;
mod heap;
mod kernel;
mod random;
mod scheduling;
mod threads;
mod waits;

pub(crate) use self::clock::{
    fix as fix_clock, forget_leaps, has_leapt, real as real_time,
    use_library as use_clock_of_library,
};
pub(crate) use self::cpus::fix as fix_cpus;
pub(crate) use self::heap::Heap;
pub(crate) use self::kernel::sleep;
pub(crate) use self::random::fix as fix_randomness;
pub(crate) use self::scheduling::{
    fix_order, has_native_threads, has_started_threads, has_unordered_threads,
};
pub(crate) use self::threads::wait_until_idle;

/// Looks up the functions of the C library whose names the executable has taken, so that no benchmark has to.
pub(crate) fn prepare() {
    clock::prepare();
    scheduling::prepare();
    waits::prepare();
}
