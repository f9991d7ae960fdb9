//! Functions of the standard library and of public crates, each counted and timed. Two versions of one function are called
//! `NAME_before` and `NAME_after`.

mod inputs;
mod std_collections;
mod std_numbers;
mod std_text;

mod base64;
mod fnv;
mod hashbrown;
mod heck;
mod httparse;
mod indexmap;
mod itoa;
mod memchr;
mod miniz_oxide;
mod percent_encoding;
mod ryu;
mod semver;
mod smallvec;
mod strsim;
mod textwrap;
mod unicode_segmentation;

iai_callgrind::main!();
