//! Benchmarks that never end, one with a process of its own, between ones that do.

use std::hint::black_box;
use std::process::Command;
use std::thread;
use std::time::Duration;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Creates a file when a benchmark runs, if the environment names one.
fn started(name: &str) {
    println!("output before {name}");
    if let Ok(directory) = std::env::var("STARTED") {
        std::fs::write(std::path::Path::new(&directory).join(name), "").unwrap();
    }
}

#[library_benchmark]
fn good_before() -> u64 {
    black_box(1)
}

#[library_benchmark]
fn sleeps() {
    started("sleeps");
    thread::sleep(Duration::from_secs(1000));
}

#[library_benchmark]
fn waits() {
    started("waits");
    // The shell's own child outlives the shell unless both are killed
    let _ = Command::new("/bin/sh").args(["-c", "/bin/sleep 1000 & /bin/sleep 1000"]).status();
}

#[library_benchmark]
fn good_after() -> u64 {
    started("good_after");
    black_box(2)
}

library_benchmark_group!(name = group; benchmarks = good_before, sleeps, waits, good_after);

main!(library_benchmark_groups = group);
