//! Benchmarks of https://github.com/dtolnay/itoa up to 1577ed901354d0d7448ac162328f9dbf5183124c

use std::hint::black_box;

use iai_callgrind::prelude::*;
use itoa::{Buffer, Integer};

fn format<I: Integer>(number: I) -> usize {
    Buffer::new().format(black_box(number)).len()
}

#[library_benchmark]
#[bench::one_digit(7)]
#[bench::three_digits(255)]
fn format_u8(number: u8) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::negative(-12_345)]
fn format_i16(number: i16) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::zero(0)]
#[bench::largest(4_294_967_295)]
fn format_u32(number: u32) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::small(42)]
#[bench::largest(18_446_744_073_709_551_615)]
fn format_u64(number: u64) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::smallest(-9_223_372_036_854_775_808)]
fn format_i64(number: i64) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::small(99)]
#[bench::largest(340_282_366_920_938_463_463_374_607_431_768_211_455)]
fn format_u128(number: u128) -> usize {
    format(number)
}

#[library_benchmark]
#[bench::all_lengths(&[1, 22, 333, 4_444, 55_555, 666_666, 7_777_777, 88_888_888, 999_999_999])]
fn format_many(numbers: &[u32]) -> usize {
    let mut buffer = Buffer::new();
    numbers.iter().map(|number| buffer.format(*number).len()).sum()
}

main!();
