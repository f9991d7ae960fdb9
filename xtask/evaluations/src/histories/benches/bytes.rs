//! Benchmarks of bytes.

use std::hint::black_box;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn bytes() -> Bytes {
    (0..200).collect::<Vec<u8>>().into()
}

fn buffer() -> BytesMut {
    let mut buffer = BytesMut::with_capacity(64);
    buffer.extend_from_slice(&[7; 40]);
    buffer
}

#[library_benchmark(setup = bytes)]
fn clone(bytes: Bytes) -> (Bytes, Bytes) {
    (bytes.clone(), bytes)
}

#[library_benchmark(setup = bytes)]
fn slice(bytes: Bytes) -> (Bytes, Bytes) {
    (bytes.slice(black_box(10)..black_box(90)), bytes)
}

#[library_benchmark(setup = bytes)]
fn split_to(mut bytes: Bytes) -> usize {
    let mut sum = 0;
    while bytes.len() >= 20 {
        sum += bytes.split_to(black_box(20)).len();
    }
    sum
}

#[library_benchmark(setup = bytes)]
fn get_numbers(mut bytes: Bytes) -> u64 {
    let mut sum = 0;
    while bytes.remaining() >= 15 {
        sum += bytes.get_u64() + u64::from(bytes.get_u32_le()) + bytes.get_uint(3);
    }
    sum
}

#[library_benchmark(setup = bytes)]
fn copy_to_bytes(bytes: Bytes) -> Bytes {
    let mut chain = bytes.slice(..50).chain(bytes);
    chain.copy_to_bytes(black_box(120))
}

#[library_benchmark]
fn put_numbers() -> BytesMut {
    let mut buffer = BytesMut::with_capacity(16);
    for number in 0..20 {
        buffer.put_u16(black_box(number));
        buffer.put_u64_le(u64::from(number));
        buffer.put_uint(u64::from(number), 3);
    }
    buffer
}

#[library_benchmark(setup = buffer)]
fn put_slices(mut buffer: BytesMut) -> BytesMut {
    for length in 0..30 {
        buffer.put_slice(&[1; 30][..black_box(length)]);
    }
    buffer
}

#[library_benchmark(setup = buffer)]
fn reserve(mut buffer: BytesMut) -> BytesMut {
    buffer.advance(30);
    buffer.reserve(black_box(50));
    buffer
}

#[library_benchmark(setup = buffer)]
fn split_and_unsplit(mut buffer: BytesMut) -> BytesMut {
    let rest = buffer.split_off(black_box(16));
    buffer.unsplit(rest);
    buffer
}

#[library_benchmark(setup = buffer)]
fn freeze(buffer: BytesMut) -> Bytes {
    buffer.freeze()
}

#[library_benchmark(setup = bytes)]
fn into_vec(bytes: Bytes) -> Vec<u8> {
    Vec::from(bytes)
}

library_benchmark_group!(
    name = all;
    benchmarks = clone, slice, split_to, get_numbers, copy_to_bytes, put_numbers, put_slices, reserve,
        split_and_unsplit, freeze, into_vec
);

main!(library_benchmark_groups = all);
