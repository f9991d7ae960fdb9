//! Benchmarks of the standard library, and of crates with code for the CPU, generic types and tables.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hint::black_box;

use iai_callgrind::prelude::*;

#[library_benchmark]
#[bench::a(vec![5, 3, 9, 1, 4, 8, 2])]
#[bench::b((0..200).rev().collect())]
fn sort(mut v: Vec<u32>) -> Vec<u32> {
    v.sort();
    v
}

#[library_benchmark]
#[bench::a((0..200).map(|x| x * 7919 % 211).collect())]
fn sort_unstable(mut v: Vec<u64>) -> Vec<u64> {
    v.sort_unstable();
    v
}

#[library_benchmark]
fn hash_map() -> usize {
    let mut m = HashMap::new();
    for i in 0..50u32 {
        m.insert(i, i * 2);
    }
    m.values().map(|v| *v as usize).sum()
}

#[library_benchmark]
fn btree_map() -> usize {
    let mut m = BTreeMap::new();
    for i in 0..50u32 {
        m.insert(i.wrapping_mul(2654435761), i);
    }
    m.range(5..).count()
}

#[library_benchmark]
#[bench::a("1 2 3 44 555 6666 77777")]
fn parse_numbers(s: &str) -> u64 {
    s.split(' ').map(|w| w.parse::<u64>().unwrap()).sum()
}

#[library_benchmark]
fn format_all() -> String {
    let mut s = String::new();
    for i in 0..10 {
        write!(s, "{i:>5} {:?} {:x} ", Some(i), i * 77).unwrap();
    }
    s
}

#[library_benchmark]
#[bench::a("The quick brown fox jumps over the lazy dog", "lazy")]
fn find(s: &str, n: &str) -> Option<usize> {
    s.find(n)
}

#[library_benchmark]
#[bench::a("The quick brown fox jumps over the lazy dog")]
fn uppercase(s: &str) -> String {
    s.to_uppercase()
}

#[library_benchmark]
fn utf8() -> usize {
    std::str::from_utf8(black_box("grün und größer, 日本語, ascii ascii ascii ascii".as_bytes()))
        .unwrap()
        .chars()
        .count()
}

#[library_benchmark]
fn catch() -> bool {
    std::panic::catch_unwind(|| {
        if black_box(true) {
            std::panic::resume_unwind(Box::new(1))
        }
    })
    .is_err()
}

#[library_benchmark]
fn memchr_literal() -> Option<usize> {
    memchr::memmem::find(
        black_box(b"some haystack with a needle in the middle of the text"),
        black_box(b"needle"),
    )
}

#[library_benchmark]
#[bench::a(vec![7; 1000])]
fn memchr_count(v: Vec<u8>) -> usize {
    memchr::memchr_iter(7, &v).count() + memchr::memrchr(3, &v).unwrap_or(0)
}

#[library_benchmark]
#[bench::a(vec![9; 777])]
fn crc(v: Vec<u8>) -> u32 {
    crc32fast::hash(&v)
}

#[library_benchmark]
fn small_vec() -> usize {
    let mut v: smallvec::SmallVec<[u32; 8]> = smallvec::SmallVec::new();
    for i in 0..20 {
        v.push(i);
    }
    v.retain(|x| *x % 2 == 0);
    v.len()
}

main!();
