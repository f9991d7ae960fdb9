//! Functions of the crate percent_encoding.

use iai_callgrind::library_benchmark;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::inputs::{text, unicode};

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[library_benchmark(setup = unicode)]
#[bench::n(300)]
fn encode_unicode(text: String) -> String {
    encoded(&text)
}

#[library_benchmark(setup = text)]
#[bench::n(200)]
fn encode(text: String) -> String {
    encoded(&text)
}

#[library_benchmark(setup = |n| encoded(&unicode(n)))]
#[bench::n(300)]
fn decode(text: String) -> String {
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}
