//! Benchmarks of https://github.com/KokaKiwi/rust-hex up to 5cb1fe814c6432cd9efa96292e64933f81de603f

use std::hint::black_box;

use hex::{FromHex, ToHex};
use iai_callgrind::prelude::*;

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 31 % 251) as u8).collect()
}

fn text(length: usize) -> String {
    hex::encode(bytes(length))
}

#[library_benchmark(setup = bytes)]
#[bench::short(4)]
#[bench::long(300)]
fn encode(bytes: Vec<u8>) -> String {
    hex::encode(&bytes)
}

#[library_benchmark(setup = bytes)]
#[bench::long(300)]
fn encode_upper(bytes: Vec<u8>) -> String {
    hex::encode_upper(&bytes)
}

#[library_benchmark(setup = bytes)]
#[bench::long(300)]
fn encode_to_slice(bytes: Vec<u8>) -> [u8; 600] {
    let mut buffer = [0; 600];
    hex::encode_to_slice(&bytes, &mut buffer).unwrap();
    buffer
}

#[library_benchmark(setup = bytes)]
#[bench::long(100)]
fn encode_by_trait(bytes: Vec<u8>) -> String {
    bytes.encode_hex()
}

#[library_benchmark(setup = text)]
#[bench::short(4)]
#[bench::long(300)]
fn decode(text: String) -> Vec<u8> {
    hex::decode(&text).unwrap()
}

#[library_benchmark(setup = text)]
#[bench::long(300)]
fn decode_to_slice(text: String) -> [u8; 300] {
    let mut buffer = [0; 300];
    hex::decode_to_slice(&text, &mut buffer).unwrap();
    buffer
}

#[library_benchmark(setup = text)]
#[bench::of_32(32)]
fn decode_array(text: String) -> [u8; 32] {
    <[u8; 32]>::from_hex(&text).unwrap()
}

#[library_benchmark]
#[bench::odd("12345")]
#[bench::character("12g4")]
fn decode_errors(text: &str) -> String {
    hex::decode(black_box(text)).unwrap_err().to_string()
}

main!();
