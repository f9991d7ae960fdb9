//! The surroundings of a benchmark: the same random numbers, times and number of CPUs in every run and on
//! every machine, and threads that start from the same state.
//!
//! The benchmark executable defines functions of the C library under their names, so that its own code, its
//! dependencies and the standard library call these. Natively, and until a benchmark starts, they do what those of the C
//! library do: [`use_library`] has them call these.

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
mod parent;
mod processes;
mod random;
mod scheduling;
mod threads;
mod waits;

pub(crate) use self::clock::{
    fix as fix_clock, forgive_lag, has_leapt, real as real_time, usage_of_children,
};
pub(crate) use self::cpus::fix as fix_cpus;
pub(crate) use self::heap::Heap;
pub(crate) use self::kernel::sleep;
pub(crate) use self::parent::hide as hide_parent;
pub(crate) use self::processes::fork_plainly;
pub(crate) use self::random::fix as fix_randomness;
pub(crate) use self::scheduling::{
    begin_benchmark, fix_order, has_native_threads, has_started_threads, has_unordered_threads,
};
pub(crate) use self::threads::wait_until_idle;

use self::c_library::Function;

/// Looks up the functions of the C library that benchmarks call in the end, so that no benchmark has to.
pub(crate) fn prepare() {
    clock::prepare();
    find(&[processes::own::ALL, scheduling::own::ALL, waits::own::ALL]);
}

/// Makes this process, which does not count, call the functions of the C library whose names the executable has taken.
/// Otherwise some make system calls, which are slower and have no place for preloaded libraries.
pub(crate) fn use_library() {
    find(&[clock::own::ALL, cpus::own::ALL, files::own::ALL, parent::own::ALL, random::own::ALL]);
    find(&[processes::own::ALL, scheduling::own::ALL, waits::own::ALL]);
}

/// Values that [`fix_randomness`], [`fix_clock`] and [`begin_benchmark`] change, while the server runs the code of its
/// children.
pub(crate) struct Unfixed {
    above_stack: Option<[u64; 2]>,
}

impl Unfixed {
    /// Keeps what this process has.
    pub(crate) fn keep() -> Self {
        Self { above_stack: random::above_stack() }
    }

    /// Gives this process its random numbers and clocks back.
    pub(crate) fn restore(self) {
        random::release(self.above_stack);
        clock::release();
        scheduling::end_benchmark();
    }
}

fn find(functions: &[&[&Function]]) {
    for function in functions.iter().copied().flatten() {
        // The C library does not have all of them in each version
        let _ = function.find();
    }
}
