//! Benchmarks of byteorder.

use std::hint::black_box;

use byteorder::{BigEndian, ByteOrder, LittleEndian, ReadBytesExt, WriteBytesExt};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn bytes() -> Vec<u8> {
    (0..=255).collect()
}

#[library_benchmark(setup = bytes)]
fn read_u16(bytes: Vec<u8>) -> u64 {
    bytes.chunks(2).map(|chunk| u64::from(BigEndian::read_u16(chunk))).sum()
}

#[library_benchmark(setup = bytes)]
fn read_u64(bytes: Vec<u8>) -> u64 {
    bytes.chunks(8).fold(0, |sum, chunk| sum ^ LittleEndian::read_u64(chunk))
}

#[library_benchmark(setup = bytes)]
fn read_uint(bytes: Vec<u8>) -> u64 {
    let lengths = black_box([1, 3, 5, 7, 8]);
    lengths.iter().map(|length| BigEndian::read_uint(&bytes, *length) >> 8).sum()
}

#[library_benchmark(setup = bytes)]
fn read_u32_into(bytes: Vec<u8>) -> [u32; 64] {
    let mut numbers = [0; 64];
    BigEndian::read_u32_into(black_box(&bytes), &mut numbers);
    numbers
}

#[library_benchmark(setup = bytes)]
fn read_f64_into(bytes: Vec<u8>) -> [f64; 32] {
    let mut numbers = [0.0; 32];
    BigEndian::read_f64_into(black_box(&bytes), &mut numbers);
    numbers
}

#[library_benchmark(setup = bytes)]
fn reader(bytes: Vec<u8>) -> u64 {
    let mut reader = &bytes[..];
    let mut sum = 0;
    while let Ok(number) = reader.read_u32::<BigEndian>() {
        sum += u64::from(number);
    }
    sum
}

#[library_benchmark]
fn write_uint() -> [u8; 32] {
    let mut bytes = [0; 32];
    for length in 3..8 {
        BigEndian::write_uint(&mut bytes[length..], 77_777, black_box(length));
    }
    bytes
}

#[library_benchmark]
fn write_u64_into() -> [u8; 64] {
    let mut bytes = [0; 64];
    LittleEndian::write_u64_into(black_box(&[1, 22, 333, 4444, 5, 6, 7, 8]), &mut bytes);
    bytes
}

#[library_benchmark]
fn writer() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    for number in 0..16 {
        bytes.write_u24::<BigEndian>(black_box(number)).unwrap();
    }
    bytes
}

library_benchmark_group!(
    name = all;
    benchmarks = read_u16, read_u64, read_uint, read_u32_into, read_f64_into, reader, write_uint, write_u64_into,
        writer
);

main!(library_benchmark_groups = all);
