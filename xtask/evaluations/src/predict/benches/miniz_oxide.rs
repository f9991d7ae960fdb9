//! Functions of the crate miniz_oxide.

use iai_callgrind::library_benchmark;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec;

use crate::inputs::text;

#[library_benchmark(setup = |n| text(n).into_bytes())]
#[bench::n(300)]
fn compress_best(bytes: Vec<u8>) -> Vec<u8> {
    compress_to_vec(&bytes, 9)
}

#[library_benchmark(setup = |n| text(n).into_bytes())]
#[bench::n(300)]
fn compress_fast(bytes: Vec<u8>) -> Vec<u8> {
    compress_to_vec(&bytes, 1)
}

#[library_benchmark(setup = |n| compress_to_vec(text(n).as_bytes(), 6))]
#[bench::n(1000)]
fn decompress(bytes: Vec<u8>) -> Vec<u8> {
    decompress_to_vec(&bytes).unwrap_or_default()
}
