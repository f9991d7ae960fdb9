//! Functions of numbers.

use std::hint::black_box;

use crate::settings::ROUNDS;

/// Returns the sum of the squares of the even numbers.
pub fn squares(numbers: &[u32]) -> u64 {
    let mut sum = 0;
    for number in numbers {
        if number % 2 == 0 {
            sum += square(*number);
        }
    }
    sum
}

#[inline(never)]
fn square(number: u32) -> u64 {
    u64::from(number) * u64::from(number)
}

/// Returns a hash of the numbers.
pub fn mixed(numbers: &[u32]) -> u32 {
    let mut state = 0x9e37;
    for number in numbers {
        state = rounds(state, *number);
    }
    state
}

fn rounds(state: u32, number: u32) -> u32 {
    (0..ROUNDS).fold(state, |state, _| mix(state, number))
}

#[inline(never)]
fn mix(state: u32, number: u32) -> u32 {
    (state ^ number).wrapping_mul(0x85eb_ca6b).rotate_left(13)
}

const BASE: u64 = 10;

/// Returns the number of digits.
pub fn digits(number: u64) -> u64 {
    if number < BASE {
        return 1;
    }
    1 + black_box(digits(number / BASE))
}

/// The numbers of a product.
type Factor = u32;

/// Returns the sum of products.
pub fn products(numbers: &[u32]) -> u64 {
    let factors: Vec<Factor> = numbers.iter().map(|number| *number as Factor).collect();
    let mut sum = 0;
    for left in &factors {
        for right in &factors {
            sum += black_box(*left as u64 * *right as u64);
        }
    }
    sum
}

/// Returns true if one of the numbers divides the other.
pub fn divisible(left: &[u32], right: &[u32]) -> usize {
    let mut found = 0;
    for (left, right) in left.iter().zip(right) {
        if divides(*left, *right) {
            found += 1;
        }
    }
    found
}

#[inline(never)]
fn divides(left: u32, right: u32) -> bool {
    if left == 0 || right == 0 {
        return false;
    }
    let mut rest = right;
    while rest >= left {
        rest = black_box(rest - left);
    }
    rest == 0
}

macro_rules! counters {
    ($($name:ident: $test:expr),*) => {$(
        /// Returns the number of numbers that pass a test.
        #[inline(never)]
        pub fn $name(numbers: &[u32]) -> usize {
            let test: fn(u32) -> bool = $test;
            let mut found = 0;
            for number in numbers {
                if test(black_box(*number)) {
                    found += 1;
                }
            }
            found
        }
    )*};
}

counters! {
    odd: |number| number % 2 == 1,
    large: |number| number > 1000
}
