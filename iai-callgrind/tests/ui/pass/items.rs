//! `file` and `iter`: types of lines and items.

#![deny(warnings)]
#![forbid(unsafe_code)]
#![warn(clippy::pedantic)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use iai_callgrind::__private::{Items, LibraryBenchmark};
use iai_callgrind::library_benchmark;

// The manifest of the crate that this is compiled in

#[library_benchmark]
#[benches::lines(file = "Cargo.toml")]
fn text(line: &str) -> &str {
    line
}

#[library_benchmark]
#[benches::lines(file = "Cargo.toml")]
fn string(line: String) -> String {
    line
}

#[library_benchmark]
#[benches::lines(file = "Cargo.toml")]
fn path(line: PathBuf) -> PathBuf {
    line
}

#[library_benchmark]
#[benches::lines(file = "Cargo.toml")]
fn boxed(line: Box<str>) -> Box<str> {
    line
}

fn own(line: String) -> OsString {
    line.into()
}

fn path_of(line: &str) -> &Path {
    Path::new(line)
}

#[library_benchmark(setup = own)]
#[benches::function(file = "Cargo.toml")]
#[benches::method(file = "Cargo.toml", setup = <OsString as From<&str>>::from)]
#[benches::closure(file = "Cargo.toml", setup = |line: &str| line.into())]
#[benches::without_type(file = "Cargo.toml", setup = |line| line.trim().into())]
#[benches::unused(file = "Cargo.toml", setup = |_| OsString::new())]
#[benches::other(file = "Cargo.toml", teardown = |line| assert!(line.len() < 9000))]
fn set_up(line: OsString) -> OsString {
    line
}

#[library_benchmark(setup = path_of)]
#[benches::lines(file = "Cargo.toml")]
fn borrowed_path(line: &Path) -> bool {
    line.is_absolute()
}

#[library_benchmark]
#[benches::lines(file = "Cargo.toml", setup = |line| line.len())]
#[benches::items(iter = ["a", "b"])]
fn generic<T: ToString>(value: T) -> String {
    value.to_string()
}

// Each kind of iterator, and literals whose types come from the function

#[library_benchmark]
#[benches::array(iter = [5_000_000_000, 1])]
#[benches::vector(iter = vec![1])]
#[benches::range(iter = 0..3)]
#[benches::inferred(iter = ["1", "2"].map(|text| text.parse().unwrap()))]
#[benches::reference(iter = [1_u64, 2].iter().copied())]
#[benches::empty(iter = Vec::new())]
#[benches::block(iter = {
    let first = 1;
    (first..).take(2)
})]
fn number(number: u64) -> u64 {
    number
}

#[library_benchmark]
#[benches::pairs(iter = [(5_000_000_000, "a"), (1, "b")])]
#[benches::map(iter = BTreeMap::from([(1, "a"), (2, "b")]))]
#[benches::zipped(iter = (0..).zip(["a", "b"]))]
fn two(left: u64, right: &str) -> u64 {
    left + right.len() as u64
}

fn join((left, right): (u64, &str)) -> String {
    format!("{left}{right}")
}

#[library_benchmark(setup = |left: u64, right: &str| format!("{left}{right}"))]
#[benches::taken_apart(iter = (0..).zip(["a", "b"]))]
#[benches::without_types(iter = (0..).zip(["a"]), setup = |left: u64, right| right.repeat(left as usize))]
#[benches::closure(iter = (0..).zip(["a", "b"]), setup = |(left, right)| join((left, right)))]
#[benches::function(iter = (0..).zip(["a", "b"]), setup = join)]
fn tuples(text: String) -> String {
    text
}

#[library_benchmark]
#[benches::borrowed(iter = &[String::from("a")])]
#[benches::inferred(iter = vec![&"a".into(), &"b".into()])]
#[allow(clippy::ptr_arg)]
fn reference(text: &String) -> usize {
    text.len()
}

#[library_benchmark]
#[benches::borrowed(iter = &[String::from("a")])]
fn converted(text: &str) -> usize {
    text.len()
}

#[library_benchmark]
#[benches::units(iter = [(), ()])]
fn nothing() {}

#[library_benchmark(setup = || String::new())]
#[benches::units(iter = [(), ()])]
fn nothing_for_the_setup(text: String) -> String {
    text
}

// Ids that are similar and not the same

#[library_benchmark]
#[benches::id(iter = [1])]
#[bench::id(1)]
#[bench::id_(1)]
#[bench::id_00(1)]
#[bench::id_a(1)]
#[benches::id_1(iter = [1], setup = |number| number)]
fn ids(number: u64) -> u64 {
    number
}

macro_rules! generated {
    ($name:ident, $file:literal, $iter:expr) => {
        #[library_benchmark]
        #[benches::of_a_file(file = $file)]
        #[benches::of_an_iterator(iter = $iter)]
        fn $name(text: String) -> String {
            text
        }
    };
}

generated!(from_a_macro, "Cargo.toml", ["a"].map(str::to_owned));

/// Returns the number of cases of a function's annotations.
fn numbers<F: LibraryBenchmark>() -> Vec<(&'static str, usize)> {
    let number = |items| match items {
        Items::One => 1,
        Items::Lines(lines) => lines.len(),
        Items::Counted(count) => count(),
    };
    F::FUNCTION.cases.iter().map(|case| (case.id.unwrap(), number(case.items))).collect()
}

fn main() {
    let Items::Lines(lines) = <text as LibraryBenchmark>::FUNCTION.cases[0].items else {
        panic!("no lines");
    };
    assert!(lines.contains(&"[package]"), "{lines:?}");
    assert_eq!(numbers::<set_up>().iter().filter(|case| case.1 == lines.len()).count(), 6);
    assert_eq!(numbers::<generic>(), [("lines", lines.len()), ("items", 2)]);
    assert_eq!(
        numbers::<number>(),
        [
            ("array", 2),
            ("vector", 1),
            ("range", 3),
            ("inferred", 2),
            ("reference", 2),
            ("empty", 0),
            ("block", 2),
        ]
    );
    assert_eq!(numbers::<two>(), [("pairs", 2), ("map", 2), ("zipped", 2)]);
    assert_eq!(numbers::<nothing>(), [("units", 2)]);
    assert_eq!(numbers::<from_a_macro>(), [("of_a_file", lines.len()), ("of_an_iterator", 1)]);
    let arguments = <from_a_macro as LibraryBenchmark>::FUNCTION.cases[1].arguments;
    assert_eq!(arguments.replace(' ', ""), "nthof[\"a\"].map(str::to_owned)");
}
