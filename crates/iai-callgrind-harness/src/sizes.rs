//! Sizes of inputs: ranges as in Google Benchmark, and the attributes that make benchmarks of them.
//!
//! # In `args`
//!
//! `#[benches]` has the same ranges in `args`, where their numbers are integers in the source. A number is the argument and
//! the size of its case, and a part of the id:
//!
//! ```
//! use iai_callgrind::prelude::*;
//!
//! // n_8, n_64, n_512, n_4096 and n_8192
//! #[library_benchmark]
//! #[benches::n(args = range(8, 8 << 10))]
//! // powers_of_two_1, powers_of_two_2, powers_of_two_4 and powers_of_two_8
//! #[benches::powers_of_two(args = range(1, 8, 2))]
//! // even_0, even_2, even_4
//! #[benches::even(args = dense_range(0, 4, 2))]
//! fn sum(n: u64) -> u64 {
//!     (0..n).map(black_box).sum()
//! }
//!
//! main!();
//! ```
//!
//! # In `iter`
//!
//! The functions of this module take numbers that are known at run time:
//!
//! ```
//! use iai_callgrind::prelude::*;
//! use iai_callgrind::sizes;
//!
//! const LARGEST: usize = 1 << 10;
//!
//! #[library_benchmark]
//! #[benches::n(iter = sizes::range(8, LARGEST), setup = |n| vec![1; n], size = |n| *n)]
//! fn sum(numbers: Vec<u64>) -> u64 {
//!     numbers.iter().sum()
//! }
//!
//! main!();
//! ```
//!
//! # Several parameters
//!
//! `product(..)` in `args` has a case for each combination of values, in the order of nested loops. The parameters that
//! the closure of `size` ignores distinguish series, each with its own growth curve:
//!
//! ```
//! use iai_callgrind::prelude::*;
//!
//! // m_n_1_ending_lf, m_n_1_ending_crlf, m_n_8_ending_lf and so on
//! #[library_benchmark]
//! #[benches::m(
//!     args = product([1, 8, 64], ["\n", "\r\n"]),
//!     setup = |n, ending| "line".to_owned() + &format!("{ending}line").repeat(n - 1),
//!     size = |n, _| *n
//! )]
//! fn lines(text: String) -> usize {
//!     text.lines().count()
//! }
//!
//! main!();
//! ```

use std::iter;

use crate::message;

/// Returns the start, the powers of 8 between the start and the end, and the end.
///
/// The result is that of `Range` in Google Benchmark: the powers are those of the factor, not multiples of the start.
///
/// ```
/// use iai_callgrind::sizes;
///
/// assert_eq!(sizes::range(8, 8 << 10), [8, 64, 512, 4096, 8192]);
/// assert_eq!(sizes::range(10, 100), [10, 64, 100]);
/// assert_eq!(sizes::range(0, 8), [0, 1, 8]);
/// ```
///
/// # Panics
///
/// Panics if the start is negative, or if the end is less than the start.
#[must_use]
#[track_caller]
pub fn range<T: TryInto<u64> + TryFrom<u64>>(start: T, end: T) -> Vec<T> {
    powers(number(start), number(end), 8)
}

/// Returns the start, the powers of the factor between the start and the end, and the end.
///
/// ```
/// use iai_callgrind::sizes;
///
/// assert_eq!(sizes::range_with_factor(1, 8, 2), [1, 2, 4, 8]);
/// ```
///
/// # Panics
///
/// Panics if the start is negative, if the end is less than the start, or if the factor is less than 2.
#[must_use]
#[track_caller]
pub fn range_with_factor<T: TryInto<u64> + TryFrom<u64>>(start: T, end: T, factor: T) -> Vec<T> {
    powers(number(start), number(end), number(factor))
}

/// Returns the numbers from the start to the end in steps, with the end if a step hits it.
///
/// ```
/// use iai_callgrind::sizes;
///
/// assert_eq!(sizes::dense_range(0, 1024, 256), [0, 256, 512, 768, 1024]);
/// assert_eq!(sizes::dense_range(1, 6, 2), [1, 3, 5]);
/// ```
///
/// # Panics
///
/// Panics if the start is negative, if the end is less than the start, or if the step is less than 1.
#[must_use]
#[track_caller]
pub fn dense_range<T: TryInto<u64> + TryFrom<u64>>(start: T, end: T, step: T) -> Vec<T> {
    let (start, end, step) = (number(start), number(end), number(step));
    assert!(start <= end, "{}", message::RANGE_ORDER);
    assert!(step > 0, "{}", message::RANGE_STEP);
    let numbers = iter::successors(Some(start), |number| number.checked_add(step));
    of_type(numbers.take_while(|number| *number <= end))
}

#[track_caller]
fn powers<T: TryFrom<u64>>(start: u64, end: u64, factor: u64) -> Vec<T> {
    assert!(start <= end, "{}", message::RANGE_ORDER);
    assert!(factor > 1, "{}", message::RANGE_FACTOR);
    let powers = iter::successors(Some(1_u64), |power| power.checked_mul(factor));
    let between = powers.take_while(|power| *power < end).filter(|power| *power > start);
    let last = (start != end).then_some(end);
    of_type(iter::once(start).chain(between).chain(last))
}

/// Converts a number of the range.
#[track_caller]
fn number<T: TryInto<u64>>(number: T) -> u64 {
    let Ok(number) = number.try_into() else { panic!("{}", message::RANGE_NUMBER) };
    number
}

/// Converts the numbers back, none of which is larger than the end.
fn of_type<T: TryFrom<u64>>(numbers: impl Iterator<Item = u64>) -> Vec<T> {
    numbers.filter_map(|number| T::try_from(number).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn ranges_are_those_of_google_benchmark() {
        assert_eq!(range(8, 8 << 10), [8, 64, 512, 4096, 8192]);
        assert_eq!(range_with_factor(1_u8, 255, 2), [1, 2, 4, 8, 16, 32, 64, 128, 255]);
        assert_eq!(range(0_usize, 10), [0, 1, 8, 10]);
        assert_eq!(range_with_factor(7_i64, 9, 3), [7, 9]);
        assert_eq!(range(5, 5), [5]);
        assert_eq!(range_with_factor(1, u64::MAX, 2).len(), 65);
        assert_eq!(dense_range(0, 1024, 512), [0, 512, 1024]);
        assert_eq!(dense_range(1, 6, 2), [1, 3, 5]);
        assert_eq!(dense_range(u64::MAX - 1, u64::MAX, 1).len(), 2);
        assert_eq!(dense_range(200_u8, 255, 50), [200, 250]);
    }

    #[test]
    fn wrong_ranges_panic() {
        fn panics(code: impl FnOnce() -> Vec<i32> + UnwindSafe, message: &str) {
            let payload = catch_unwind(code).expect_err("a panic");
            assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some(message));
        }
        panics(|| range(9, 8), message::RANGE_ORDER);
        panics(|| dense_range(9, 8, 1), message::RANGE_ORDER);
        panics(|| range_with_factor(1, 8, 1), message::RANGE_FACTOR);
        panics(|| dense_range(1, 8, 0), message::RANGE_STEP);
        panics(|| range(-1, 8), message::RANGE_NUMBER);
    }
}
