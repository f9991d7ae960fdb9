//! Functions without attributes, with each kind of return value.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::{black_box, main};

fn nothing() {}

fn functions() -> u64 {
    black_box(1)
}

fn borrowed() -> &'static str {
    "text"
}

fn r#match() -> impl Iterator<Item = u8> {
    0..black_box(1)
}

main!(nothing, functions, borrowed, r#match,);
