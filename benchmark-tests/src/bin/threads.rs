//! Does the same work in as many threads as its argument says.

use std::hint::black_box;
use std::{env, thread};

fn main() {
    let number: u32 = env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or_default();
    let threads: Vec<_> = (0..number).map(|_| thread::spawn(work)).collect();
    let sum: u64 = threads.into_iter().map(|thread| thread.join().expect("a thread")).sum();
    println!("{sum}");
}

fn work() -> u64 {
    (0..black_box(100_000_u64)).map(black_box).sum()
}
