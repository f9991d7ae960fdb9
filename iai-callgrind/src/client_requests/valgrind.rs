//! The requests of `valgrind.h`.

use valgrind_headers::core::RUNNING_ON_VALGRIND;

use super::arch;

/// How many Valgrinds the program runs under: 0 natively.
pub(crate) fn running_on_valgrind() -> usize {
    arch::request(0, &[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0])
}
