//! Functions in a sandbox and in other directories.

use std::fs::{self, File};
use std::hint::black_box;
use std::{env, io};

use iai_callgrind::{
    LibraryBenchmarkConfig, Sandbox, library_benchmark, library_benchmark_group, main,
};

fn numbers(path: &str) -> Vec<u64> {
    fs::read_to_string(path).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

fn numbers_of_the_package() -> Vec<u64> {
    numbers("benches/items/numbers.txt")
}

/// Fails if the name of the current directory does not start as that of a sandbox does.
fn check_sandbox() {
    let directory = env::current_dir().unwrap();
    let name = directory.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("iai-callgrind-"), "{name}");
}

/// Fails if the file exists: each case has a new directory.
fn create(text: &str) -> String {
    io::Write::write_all(&mut File::create_new("made.txt").unwrap(), text.as_bytes()).unwrap();
    text.to_owned()
}

fn check(text: impl AsRef<str>) {
    assert_eq!(fs::read_to_string("read.txt").unwrap(), text.as_ref());
}

#[library_benchmark]
#[bench::package(numbers_of_the_package())]
#[bench::fixture(
    args = ("numbers.txt"),
    setup = numbers,
    config = LibraryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["benches/items/numbers.txt"]))
)]
#[bench::directory(
    args = ("numbers.txt"),
    setup = numbers,
    config = LibraryBenchmarkConfig::default().current_dir("benches/items")
)]
#[bench::directory_of_a_sandbox(
    args = ("numbers.txt"),
    setup = numbers,
    config = LibraryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["benches/items"]))
        .current_dir("items")
)]
fn sum(numbers: Vec<u64>) -> u64 {
    black_box(numbers).iter().sum()
}

#[library_benchmark(
    config = LibraryBenchmarkConfig::default().sandbox(true),
    setup = create,
    teardown = check
)]
#[bench::first("first")]
#[bench::second("second")]
fn copy_a_file(text: String) -> String {
    check_sandbox();
    fs::copy("made.txt", "read.txt").unwrap();
    text
}

/// Checks that the lowest level decides.
#[library_benchmark(config = LibraryBenchmarkConfig::default().sandbox(true))]
#[bench::sandbox(false)]
#[bench::package(args = (true), config = LibraryBenchmarkConfig::default().sandbox(false))]
fn has_cargo_toml(expected: bool) {
    assert_eq!(fs::exists("Cargo.toml").unwrap(), expected);
}

/// Returns the length of the path of the sandbox, which is the same in all runs.
#[library_benchmark(config = LibraryBenchmarkConfig::default().sandbox(true))]
fn length_of_the_path() -> usize {
    black_box(env::current_dir().unwrap()).as_os_str().len()
}

library_benchmark_group!(
    name = good;
    benchmarks = sum, copy_a_file, has_cargo_toml, length_of_the_path
);

#[library_benchmark]
#[bench::no_fixture(
    config = LibraryBenchmarkConfig::default().sandbox(Sandbox::new(true).fixtures(["missing.txt"]))
)]
#[bench::no_directory(config = LibraryBenchmarkConfig::default().sandbox(true).current_dir("missing"))]
#[bench::panics(config = LibraryBenchmarkConfig::default().sandbox(true))]
fn wrong() {
    check_sandbox();
    panic!("in the sandbox");
}

library_benchmark_group!(name = bad; benchmarks = wrong);

main!(library_benchmark_groups = good, bad);
