//! Functions of the crate base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use iai_callgrind::library_benchmark;

use crate::inputs::bytes;

#[library_benchmark(setup = bytes)]
#[bench::n(3000)]
fn encode_before(bytes: Vec<u8>) -> String {
    base64_old::encode(bytes)
}

#[library_benchmark(setup = bytes)]
#[bench::n(3000)]
fn encode_after(bytes: Vec<u8>) -> String {
    STANDARD.encode(bytes)
}

#[library_benchmark(setup = |n| STANDARD.encode(bytes(n)))]
#[bench::n(3000)]
fn decode_before(text: String) -> Vec<u8> {
    base64_old::decode(text).unwrap_or_default()
}

#[library_benchmark(setup = |n| STANDARD.encode(bytes(n)))]
#[bench::n(3000)]
fn decode_after(text: String) -> Vec<u8> {
    STANDARD.decode(text).unwrap_or_default()
}
