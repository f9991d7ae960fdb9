//! Benchmarks of base64.

use std::hint::black_box;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use base64::{decoded_len_estimate, encoded_len};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * 31 % 251) as u8).collect()
}

fn text(length: usize) -> String {
    STANDARD.encode(bytes(length))
}

#[library_benchmark(setup = bytes)]
#[bench::short(5)]
#[bench::long(500)]
fn encode(bytes: Vec<u8>) -> String {
    STANDARD.encode(&bytes)
}

#[library_benchmark(setup = bytes)]
#[bench::long(500)]
fn encode_for_urls(bytes: Vec<u8>) -> String {
    URL_SAFE.encode(&bytes)
}

#[library_benchmark(setup = bytes)]
#[bench::long(500)]
fn encode_to_slice(bytes: Vec<u8>) -> usize {
    let mut buffer = [0; 800];
    STANDARD_NO_PAD.encode_slice(&bytes, &mut buffer).unwrap()
}

#[library_benchmark(setup = bytes)]
#[bench::long(500)]
fn encode_to_string(bytes: Vec<u8>) -> String {
    let mut text = String::with_capacity(1000);
    STANDARD.encode_string(&bytes, &mut text);
    text
}

#[library_benchmark(setup = text)]
#[bench::short(5)]
#[bench::long(500)]
fn decode(text: String) -> Vec<u8> {
    STANDARD.decode(&text).unwrap()
}

#[library_benchmark(setup = text)]
#[bench::long(500)]
fn decode_to_slice(text: String) -> usize {
    let mut buffer = [0; 800];
    STANDARD.decode_slice(&text, &mut buffer).unwrap()
}

#[library_benchmark]
#[bench::byte("AAECAw!FBgc=")]
#[bench::padding("AAECAwQFBgc")]
fn decode_errors(text: &str) -> bool {
    STANDARD.decode(black_box(text)).is_err()
}

#[library_benchmark]
fn lengths() -> usize {
    encoded_len(black_box(1000), true).unwrap() + decoded_len_estimate(black_box(1000))
}

library_benchmark_group!(
    name = all;
    benchmarks = encode, encode_for_urls, encode_to_slice, encode_to_string, decode, decode_to_slice, decode_errors,
        lengths
);

main!(library_benchmark_groups = all);
